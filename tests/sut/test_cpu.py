from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mt_gate.sut import limits
from mt_gate.sut.limits import cgroup_quota


def test_version_2(tmp_path: Path) -> None:
    (tmp_path / "limits.max").write_text("150000 100000\n")
    assert cgroup_quota(((tmp_path / "limits.max", None),)) == 1.5


X86 = """processor\t: 0
model name\t: Some(R) Processor @ 2.10GHz
flags\t\t: fpu sse2 avx2 avx512_vnni fma avx512f hypervisor
processor\t: 1
flags\t\t: fpu
"""
ARM = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd asimddp i8mm\n"


@pytest.mark.parametrize(
    ("info", "features"),
    [(X86, ("avx2", "avx512_vnni", "avx512f", "fma")), (ARM, ("asimddp", "i8mm")), ("", ())],
)
def test_features_that_move_numbers_are_read_of_the_first_processor(
    info: str, features: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(info)
    monkeypatch.setattr(limits, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(sys, "platform", "linux")
    assert limits.cpu_features() == features
    assert ("Some(R)" in limits.cpu_name()) is (info == X86)


@pytest.mark.parametrize(
    ("told", "features"),
    [
        (
            {
                "machdep.cpu.features": b"FPU SSE4.2 FMA AVX1.0\0",
                "machdep.cpu.leaf7_features": b"AVX2 BMI2 AVX512F\0",
            },
            ("avx", "avx2", "avx512f", "fma"),
        ),
        (
            {
                "hw.optional.arm.FEAT_DotProd": b"\1\0\0\0",
                "hw.optional.arm.FEAT_BF16": b"\0\0\0\0",
            },
            ("asimddp",),
        ),
        ({}, ()),
    ],
)
def test_macs_name_features_in_their_own_words(
    told: dict[str, bytes], features: tuple[str, ...]
) -> None:
    assert limits.of_mac(lambda name: told.get(name, b"")) == features
