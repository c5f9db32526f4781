"""Sizes of the layers of an image, from a stand-in for Docker and podman."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from releasing import scripts

ENGINE = r"""#!/bin/sh
[ "$*" = 'history --no-trunc --format {{.Size}}	{{.CreatedBy}} image' ] || exit 9
printf '%s\tCOPY /opt /opt\n%s\tENV A=b\n%s\tRUN apt-get   install git\n' SIZES
"""


@pytest.mark.parametrize("sizes", ["70MB 0B 1.1GB", "'70 MB' '0 B' '1.1 GB'"])
@pytest.mark.parametrize(("most", "code"), [("", 0), ("1170", 0), ("1169", 1)])
def test_layers(tmp_path: Path, sizes: str, most: str, code: int) -> None:
    engine = tmp_path / "engine"
    engine.write_text(ENGINE.replace("SIZES", sizes))
    engine.chmod(0o755)
    command = ["bash", str(scripts.CI / "layers"), str(engine), "image", most]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.splitlines() == [
        "    70.0 MB  COPY /opt /opt",
        "  1100.0 MB  RUN apt-get install git",
        "  1170.0 MB  in all" + (f", of at most {most} MB" if most else ""),
    ]
