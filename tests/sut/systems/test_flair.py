"""Small Flair taggers with random weights, as Flair saves them, and hostile files."""

from __future__ import annotations

import io
import json
import os
import pickle
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from making import LABELS, SENTENCES, save_bert
from mt_gate.base.errors import CANNOT_JUDGE, PASS, USAGE, CannotJudge
from mt_gate.sut.systems.flair_file import read_state

pytest.importorskip("flair", reason="needs mt-gate[flair]")

import flair
import torch
from flair.data import Dictionary, Sentence
from flair.embeddings import (
    CharacterEmbeddings,
    FlairEmbeddings,
    HashEmbeddings,
    OneHotEmbeddings,
    StackedEmbeddings,
    TransformerWordEmbeddings,
    WordEmbeddings,
)
from flair.models import LanguageModel, SequenceTagger

from mt_gate.sut.systems.flair_tagger import FlairTagger

INPUTS = [{"text": text} for text in [*SENTENCES[:20], "😀 Zoë met  Anna .", "", "  "]]


def characters() -> Dictionary:
    made = Dictionary(add_unk=True)
    for code in range(32, 127):
        made.add_item(chr(code))
    return made


def language_model(forward: bool) -> LanguageModel:
    return LanguageModel(characters(), forward, hidden_size=16, nlayers=1, embedding_size=8)


def stacked(_: Path) -> Any:
    both = [FlairEmbeddings(language_model(forward)) for forward in (True, False)]
    return StackedEmbeddings([*both, CharacterEmbeddings(characters())])


EMBEDDINGS: dict[str, Callable[[Path], Any]] = {
    "stacked": stacked,
    "hash": lambda _: HashEmbeddings(num_embeddings=50, embedding_length=8),
    "one-hot": lambda _: OneHotEmbeddings(characters(), embedding_length=8),
    "word": lambda _: WordEmbeddings(None, vocab={"anna": 0}, embedding_length=8, name="glove"),
    "bert": lambda folder: TransformerWordEmbeddings(
        str(save_bert(folder / "bert", LABELS)), layers="-1", use_context=True
    ),
}


def save_tagger(folder: Path, kind: str = "hash", **changes: Any) -> Path:
    """Save a tagger as Flair does, with keys of its state replaced."""
    torch.manual_seed(7)
    tags = Dictionary(add_unk=False)
    for name in ("PER", "LOC"):
        tags.add_item(name)
    tags.span_labels = True
    rnn = kind != "bert"
    tagger = SequenceTagger(
        EMBEDDINGS[kind](folder), tags, "ner", use_rnn=rnn, use_crf=rnn, hidden_size=8
    )
    path = folder / f"{kind}.pt"
    if not changes:
        tagger.save(path)
        return path
    state = tagger._get_state_dict()
    torch.save({**state, **changes}, path, pickle_protocol=4)
    return path


@pytest.fixture
def result(tmp_path: Path) -> Callable[[], dict]:
    return lambda: json.loads((tmp_path / "out" / "result.json").read_text())


def test_a_run_a_baseline_and_a_second_run(
    run_system: Callable, result: Callable, tmp_path: Path
) -> None:
    path, baseline = save_tagger(tmp_path), tmp_path / "baselines" / "ner.json"
    answer = run_system(f"flair:{path}", "--record-missing", baseline=baseline)
    assert answer.code == PASS, answer
    first = result()
    assert first["checkpoint"]["name"] == "hash"
    assert first["checkpoint"]["fingerprint"].startswith("sha256:")
    assert first["checkpoint"]["runtime"]["provider"].startswith(f"Flair {flair.__version__}, ")
    assert first["profile"]["candidate"]["entities per sentence"] > 0
    assert run_system(f"flair:{path}", baseline=baseline).code == PASS
    assert result()["verdict"] == "pass"
    assert result()["predictions"]["cached"] == result()["predictions"]["unique"]


@pytest.mark.parametrize("kind", EMBEDDINGS)
def test_answers_are_flair_s_own(tmp_path: Path, kind: str) -> None:
    """Read by the short list of names, a tagger answers as when Flair unpickles it."""
    path = save_tagger(tmp_path, kind)
    answers = dict(
        pair for batch in FlairTagger(str(path), "cpu").predict(INPUTS) for pair in batch
    )
    reference = SequenceTagger.load(path)
    found = 0
    for at, item in enumerate(INPUTS):
        sentence = Sentence(item["text"])
        reference.predict(sentence)
        spans = [
            [span.start_position, span.end_position, span.get_label("ner").value]
            for span in sentence.get_spans("ner")
        ]
        assert answers[at].output == {"entities": spans}
        found += len(spans)
    assert found


def test_a_folder_and_training_notes(tmp_path: Path) -> None:
    """What Flair keeps of a training may name anything; it is not looked at."""
    notes = {"flair_version": "0.15", "training_parameters": {"optimizer": torch.optim.SGD}}
    path = save_tagger(tmp_path, model_card=notes)
    path.rename(tmp_path / "pytorch_model.bin")
    assert FlairTagger(str(tmp_path), "cpu").head.name == tmp_path.name


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("place", ["hidden_size", "model_card", "state_dict", "tag_dictionary"])
def test_a_pickle_that_would_run_something_runs_nothing(tmp_path: Path, place: str) -> None:
    mark = tmp_path / "ran"
    path = save_tagger(tmp_path, **{place: Evil(mark)})
    refusal = ""
    try:
        read_state(path)
    except CannotJudge as error:
        refusal = str(error)
    assert not mark.exists()
    if place == "model_card":
        assert refusal == "", "what is not needed is not looked at"
    else:
        assert "posix.mkdir" in refusal


def test_the_same_file_unpickled_freely_would_run_it(tmp_path: Path) -> None:
    """The test above could fail."""
    path = save_tagger(tmp_path, hidden_size=Evil(tmp_path / "ran"))
    torch.load(path, weights_only=False)
    assert (tmp_path / "ran").exists()


def embeddings(**params: Any) -> dict[str, Any]:
    return {"embeddings": params}


TOKENIZER = io.BytesIO()
with zipfile.ZipFile(TOKENIZER, "w") as archive:
    archive.writestr("tokenizer_config.json", '{"auto_map": {"AutoTokenizer": "evil.Tokenizer"}}')


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (embeddings(__cls__="FastTextEmbeddings", fasttext_binary=b""), "FastTextEmbeddings"),
        (embeddings(__cls__="ELMoEmbeddings"), "beyond the file"),
        (embeddings(), "None"),
        (embeddings(__cls__="WordEmbeddings", embeddings="x.gensim"), "not on the list"),
        (embeddings(__cls__="CharacterEmbeddings", path_to_char_dict="x.pkl"), "not a dictionary"),
        (embeddings(__cls__="CharacterEmbeddings", path_to_char_dict=None), "not a dictionary"),
        (
            embeddings(__cls__="FlairEmbeddings", model_params={"dictionary": "x"}),
            "not a dictionary",
        ),
        (
            embeddings(
                __cls__="StackedEmbeddings", embeddings=[{"__cls__": "TransformerJitEmbeddings"}]
            ),
            "TransformerJitEmbeddings",
        ),
        (embeddings(__cls__="TransformerWordEmbeddings", model="bert-base-cased"), "not complete"),
        (
            embeddings(
                __cls__="TransformerWordEmbeddings",
                config_state_dict={"auto_map": {}},
                tokenizer_data=TOKENIZER,
            ),
            "auto_map",
        ),
        (
            embeddings(
                __cls__="TransformerWordEmbeddings",
                config_state_dict={"model_type": "bert"},
                tokenizer_data=TOKENIZER,
            ),
            "auto_map",
        ),
        (
            embeddings(__cls__="TransformerWordEmbeddings", trust_remote_code=True),
            "trust_remote_code",
        ),
        ({"__cls__": "TextClassifier"}, "another model"),
        ({"hidden_size": 999}, "does not fit together"),
        ({"tag_dictionary": None}, "does not fit together"),
    ],
)
def test_files_that_reach_beyond_themselves_or_do_not_fit(
    run_system: Callable, tmp_path: Path, changes: dict, words: str
) -> None:
    answer = run_system(f"flair:{save_tagger(tmp_path, **changes)}")
    assert answer.code == CANNOT_JUDGE, answer
    assert words in answer.err
    assert len(answer.err.strip().splitlines()) == 1


def test_what_is_no_flair_file(run_system: Callable, tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    whole = save_tagger(tmp_path).read_bytes()
    script = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), script)
    for content in (b"", b"garbage", pickle.dumps({}), whole[: len(whole) // 2], script.getvalue()):
        path.write_bytes(content)
        answer = run_system(f"flair:{path}")
        assert answer.code == CANNOT_JUDGE, content[:20]
        assert str(path) in answer.err
    torch.save({"state_dict": {}}, path)
    assert "without embeddings" in run_system(f"flair:{path}").err
    torch.save([1], path)
    assert "another model" in run_system(f"flair:{path}").err
    torch.save({}, path, _use_new_zipfile_serialization=False)
    assert run_system(f"flair:{path}").code == CANNOT_JUDGE


def test_no_such_file(run_system: Callable, tmp_path: Path) -> None:
    assert run_system("flair:nowhere.pt").code == USAGE
    assert run_system(f"flair:{tmp_path}").code == USAGE


def test_no_gpu(run_system: Callable, tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    answer = run_system(f"flair:{save_tagger(tmp_path)}", device="cuda")
    assert answer.code == CANNOT_JUDGE
    assert "device cuda" in answer.err


def test_nothing_of_flair_is_loaded_for_other_systems() -> None:
    import subprocess

    names = "('flair', 'torch', 'spacy', 'boto3', 'azure.ai')"
    code = f"import sys, mt_gate.gate; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
