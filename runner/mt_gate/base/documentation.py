"""Addresses of the documentation's pages, which messages and reports name."""

from __future__ import annotations

HOME = "https://org.github.io/mt-gate/"


def page(name: str, anchor: str = "") -> str:
    """Return the address of ``docs/NAME.md``, or of a heading on it, named as GitHub names it.

    >>> page("baselines", "several-runs")
    'https://org.github.io/mt-gate/baselines.html#several-runs'
    """
    return f"{HOME}{name}.html{anchor and '#'}{anchor}"
