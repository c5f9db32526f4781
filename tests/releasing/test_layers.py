"""What an image is large by, told by an engine that answers as Docker and podman do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from releasing import scripts

ENGINE = r"""#!/bin/sh
[ "$*" = 'history --human=false --no-trunc --format {{.Size}}	{{.CreatedBy}} image' ] || exit 9
printf '70000000\tCOPY /opt /opt\n0\tENV A=b\n100000000\tRUN apt-get   install git\n'
"""


@pytest.mark.parametrize(("most", "code"), [("", 0), ("170", 0), ("169", 1)])
def test_layers(tmp_path: Path, most: str, code: int) -> None:
    engine = tmp_path / "engine"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    command = ["bash", str(scripts.CI / "layers"), str(engine), "image", most]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stdout.splitlines() == [
        "    70.0 MB  COPY /opt /opt",
        "   100.0 MB  RUN apt-get install git",
        "   170.0 MB  in all" + (f", of at most {most} MB" if most else ""),
    ]
