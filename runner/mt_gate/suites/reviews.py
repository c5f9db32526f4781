"""Reviews of suites built with ``--filters paper``."""

from __future__ import annotations

from collections.abc import Mapping

ACCEPTED: Mapping[str, tuple[int, int]] = {}
"""Accepted and reviewed cases of a sample, by relation; empty for relations without a review."""
