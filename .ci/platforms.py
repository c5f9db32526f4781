"""Prints the digest of an image for each platform, from its index on standard input.

    docker buildx imagetools inspect --raw IMAGE | python .ci/platforms.py linux/amd64,linux/arm64

A line ``PLATFORM DIGEST`` each. An engine that keeps one image per name cannot hold two platforms
of one index; by these digests it can. SBOM and provenance, which an index lists as platform
``unknown``, are no images.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def digests(index: Any, platforms: list[str]) -> list[str]:
    """Return the digests of an index's images, in the order of the platforms.

    Raises:
        ValueError: it is no index, or has not one image for each of exactly these platforms.
    """
    entries = index.get("manifests") if isinstance(index, dict) else None
    if not isinstance(entries, list):
        raise ValueError("expected an index, as imagetools inspect --raw prints it")
    found: list[tuple[str, str]] = []
    for entry in entries:
        platform = entry["platform"]
        if platform["os"] == "unknown":
            continue
        if not DIGEST.fullmatch(entry["digest"]):
            raise ValueError(f"digest {entry['digest']!r}: expected sha256: and 64 digits")
        found.append((f"{platform['os']}/{platform['architecture']}", entry["digest"]))
    if sorted(name for name, _ in found) != sorted(platforms):
        there = ", ".join(name for name, _ in found) or "none"
        raise ValueError(f"images for {there}; expected {', '.join(platforms)}")
    by_platform = dict(found)
    return [by_platform[platform] for platform in platforms]


def main(arguments: list[str]) -> int:
    """Print; return the exit code."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    platforms = arguments[0].split(",")
    try:
        found = digests(json.load(sys.stdin), platforms)
    except (KeyError, TypeError, ValueError) as error:
        print(f"platforms.py: {error}", file=sys.stderr)
        return 2
    for platform, digest in zip(platforms, found, strict=True):
        print(platform, digest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
