"""Corpora with marked pairs: each sentence once, with the pairs of all its rows."""

from __future__ import annotations

import json
from pathlib import Path

from spacy.language import Language

from mt_gate_suites.re.sources import Corpora, draw_by_text, read_corpora
from mt_gate_suites.recipe import CorpusFile, Recipe

TEXT = "Anna left Oslo with Boris."


def row(name: str, head: str, tail: str, text: str = TEXT) -> dict[str, object]:
    spans = [{"start": text.index(one), "end": text.index(one) + len(one)} for one in (head, tail)]
    return {"id": name, "text": text, "head": spans[0], "tail": spans[1], "relation": "related"}


def corpus(name: str, kind: str = "relations", *, sources: bool = True) -> CorpusFile:
    form = "jsonl" if kind == "relations" else ""
    return CorpusFile(
        name=name, file=name, kind=kind, licence="CC0", attribution="nobody", format=form,
        sources=sources,
    )  # fmt: skip


def read(nlp: Language, folder: Path, *corpora: CorpusFile, sentences: int = 9) -> Corpora:
    recipe = Recipe(
        name="r", task="re", version="1", seed=1, description="", corpus=corpora,
        sentences=sentences,
    )  # fmt: skip
    return read_corpora(recipe, folder, nlp, lambda _: None)


def write(folder: Path, name: str, *rows: object) -> None:
    (folder / name).write_text("".join(json.dumps(one) + "\n" for one in rows))


def test_rows_of_one_sentence_are_one_sentence(nlp: Language, tmp_path: Path) -> None:
    write(tmp_path, "own", row("a", "Anna", "Oslo"), row("b", "Anna", "Boris"))
    (sentence,) = read(nlp, tmp_path, corpus("own")).sentences
    assert sentence.text == TEXT
    assert [pair.id for pair in sentence.pairs] == ["a", "b"]
    assert sentence.pairs[0].relation == "related"


def test_plain_sentences_have_no_pairs_and_a_stock_gives_none(
    nlp: Language, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text(f"{TEXT}\n")
    (tmp_path / "stock").write_text("Cara left Rome.\n" + TEXT + "\n")
    actual = read(nlp, tmp_path, corpus("plain", "text"), corpus("stock", "text", sources=False))
    assert [(one.text, one.pairs) for one in actual.sentences] == [(TEXT, ())]
    assert actual.stock == ["Cara left Rome."]


def test_sentences_beyond_the_recipes_number_lend_their_names(
    nlp: Language, tmp_path: Path
) -> None:
    lines = [f"Anna left Oslo in {year}." for year in range(1990, 1996)]
    (tmp_path / "plain").write_text("\n".join(lines) + "\n")
    actual = read(nlp, tmp_path, corpus("plain", "text"), sentences=2)
    assert len(actual.sentences) == 2
    assert sorted([one.text for one in actual.sentences] + actual.stock) == lines


def test_arguments_that_cut_a_word_leave_their_row_out(nlp: Language, tmp_path: Path) -> None:
    torn = row("torn", "Ann", "Oslo"), row("blank", "Anna ", "Oslo")
    write(tmp_path, "own", *torn, row("a", "Anna", "Oslo"))
    (sentence,) = read(nlp, tmp_path, corpus("own")).sentences
    assert [pair.id for pair in sentence.pairs] == ["a"]


def test_a_draw_depends_on_seed_and_key_alone() -> None:
    keys = [f"key {number}" for number in range(20)]
    assert draw_by_text(keys, 1) == draw_by_text(reversed(keys), 1)
    assert draw_by_text(keys, 1) != draw_by_text(keys, 2)
    assert [key for key in draw_by_text(keys, 1) if key in keys[:9]] == draw_by_text(keys[:9], 1)
