"""Small checkpoints of the benchmark of architectures: export, or run in PyTorch."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs mt-gate[export]")
pytest.importorskip("transformers", reason="needs mt-gate[export]")

import architectures


@pytest.mark.parametrize(
    ("name", "result"), [("Electra", "exports, "), ("Qwen3", "exports, "), ("Mixtral", "`--back")]
)
def test_a_row(name: str, result: str) -> None:
    (family,) = (family for family in architectures.FAMILIES if family.name == name)
    assert architectures.outcome(family, family.heads[-1]).startswith(result)


def test_a_table_that_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "architectures.md"
    monkeypatch.setattr(architectures, "RESULTS", results)
    monkeypatch.setattr(architectures, "FAMILIES", architectures.FAMILIES[:2])
    heads = iter(range(99))
    monkeypatch.setattr(architectures, "outcome", lambda *_: f"exports, {next(heads)}")
    architectures.main([])
    first = results.read_text()
    architectures.main([])
    assert results.read_text() == first  # no row is measured again
    monkeypatch.setattr(architectures.transformers, "__version__", "9.0")
    architectures.main(["Bert"])
    versions, cells = architectures.read_table(results.read_text())
    assert versions[1:] == ["9.0"]
    assert cells["BertForTokenClassification"] == ["exports, 2", "exports, 4"]
    assert cells["AlbertForTokenClassification"][1:] in ([], ["?"])
