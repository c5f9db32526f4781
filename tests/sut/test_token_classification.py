"""Spans in characters, for word pieces and bytes alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from cases import table
from making import LABELS, SENTENCES, save_roberta
from mt_gate.suites.format import find_suite, read_suite
from mt_gate.sut.folder import CheckpointFolder
from mt_gate.sut.onnx import OnnxSystem
from mt_gate.sut.reader import decode_entities, encode_sentences, load_tokenizer
from mt_gate.tasks.tag_scheme import read_tag_scheme
from speeds import Made

SCHEME = read_tag_scheme(LABELS, where="here")


def answer(tokenizer: object, text: str, names: dict[str, str]) -> list[list[object]]:
    (encoded,) = encode_sentences(tokenizer, [text])
    logits = np.zeros((len(encoded.ids), len(LABELS)), np.float32)
    logits[:, LABELS.index("I-LOC")] = 5  # pieces that are no word's first must not matter
    for (start, end), first in zip(encoded.words, encoded.first_tokens, strict=True):
        label = names.get(text[start:end], "O")
        if first >= 0:
            logits[first] = 0
            logits[first, LABELS.index(label)] = 9
    output = decode_entities(encoded, logits, SCHEME).output
    assert output is not None
    return [[text[start:end], label] for start, end, label in output["entities"]]


@pytest.fixture(scope="module")
def byte_level(made_once: Made) -> object:
    pytest.importorskip("transformers")
    return load_tokenizer(CheckpointFolder(made_once(save_roberta, LABELS)))


@pytest.fixture(params=["word-piece", "byte-level"])
def tokenizer(request: pytest.FixtureRequest, hugging_face: Path, byte_level: object) -> object:
    if request.param == "byte-level":
        return byte_level
    return load_tokenizer(CheckpointFolder(hugging_face))


@pytest.mark.parametrize("text", table(__file__, "spans_are_the_words_characters"))
def test_spans_are_the_words_characters(tokenizer: object, text: str) -> None:
    names = {"Anna": "B-PER", "Boris": "B-PER", "New": "B-LOC", "York": "I-LOC"}
    actual = answer(tokenizer, text, names)
    assert [(str(name).split(), label) for name, label in actual] == [
        (["Anna"], "PER"),
        (["Boris"], "PER"),
        (["New", "York"], "LOC"),
    ]


def words(tokenizer: object, text: str) -> list[str]:
    (result,) = encode_sentences(tokenizer, [text])
    assert len(result.words) == len(result.first_tokens)
    return [text[start:end] for start, end in result.words]


def pieces(*parts: str, prefix: str = "##", lower: bool = False) -> Tokenizer:
    known = ["[UNK]", *parts]
    model = models.WordPiece(
        {piece: number for number, piece in enumerate(known)},
        unk_token="[UNK]",
        continuing_subword_prefix=prefix,
    )
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=lower)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def unigram(*parts: str) -> Tokenizer:
    scores = [("<unk>", -9.0), *((part, -1.0) for part in parts)]
    made = Tokenizer(models.Unigram(scores, unk_id=0))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return made


class TestWords:
    def test_chinese_and_other_scripts_without_spaces(self) -> None:
        assert words(pieces(*"张三在北京"), "张三在北京.") == [*"张三在北京."]
        thai = pieces("สม", "##ชาย", "ทำงาน")
        thai.pre_tokenizer = pre_tokenizers.Split(Regex("สมชาย|ทำงาน"), "isolated")
        assert words(thai, "สมชายทำงาน") == ["สมชาย", "ทำงาน"]

    def test_vowel_signs(self) -> None:
        hindi = pieces("राहुल", "दिल्ली")
        hindi.normalizer = normalizers.NFC()
        assert words(hindi, "राहुल दिल्ली में ।") == ["राहुल", "दिल्ली", "में", "।"]

    def test_punctuation_as_bert_splits_it(self) -> None:
        actual = words(pieces("u", "s"), "U.S.-based O'Brien")
        assert actual == ["U", ".", "S", ".", "-", "based", "O", "'", "Brien"]

    def test_punctuation_as_byte_level_tokenizers_split_it(self, byte_level: object) -> None:
        actual = words(byte_level, "  Anna's friend,  Boris")
        assert actual == ["Anna", "'s", "friend", ",", "Boris"]

    def test_byte_level_tokens_of_a_script_without_spaces(self, byte_level: object) -> None:
        assert words(byte_level, "张三 met 北京.") == [*"张三", "met", *"北京", "."]

    def test_sentence_pieces(self) -> None:
        english = unigram("▁Anna", "▁met", "▁Bor", "is", ".", "▁")
        assert words(english, "Anna  met Boris.") == ["Anna", "met", "Boris", "."]
        chinese = unigram("▁", "张", "三", "在", "北京", "。")
        assert words(chinese, "张三在北京。") == ["张", "三", "在", "北京", "。"]
        (actual,) = encode_sentences(chinese, ["张三在"])
        assert actual.first_tokens == [1, 2, 3]  # the first token is a space alone

    def test_no_pre_tokenizer(self) -> None:
        whole = unigram("▁Anna", "▁met", "▁Bor", "is", ".")
        whole.pre_tokenizer = None
        whole.normalizer = normalizers.Sequence(
            [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
        )
        assert words(whole, "Anna met Boris.") == ["Anna", "met", "Boris", "."]

    @pytest.mark.parametrize("mark", ["\u200b", "\u2060", "\ufeff", "\u0335", "\u0301"])
    def test_what_the_tokenizer_drops_splits_no_word(self, mark: str) -> None:
        tokenizer = pieces("anna", "oslo", "met", lower=True)
        actual = words(tokenizer, f"Anna met Os{mark}lo{mark} met{mark}.")
        assert actual == ["Anna", "met", f"Os{mark}lo", "met", "."]


AS_FIRST = (
    "Anna met Boris in New York.",
    "U.S.-based AT&T's O'Brien (Jean-Luc) paid $3,000.50 to Dr. J. Smith Jr.",
    "In 张三 ZÜRICH, Łódź and São Paulo: İzmir! 東京 http://a.b/c?d=e #x @y 😀",
    "  Berlin\tParis\n\nRome  \u00a0Oslo ",
    "The United Nations Security Council met in Geneva, Switzerland; Kofi Annan spoke.",
)


def assert_as_first(folder: Path, system: OnnxSystem, texts: list[str]) -> int:
    from transformers import pipeline

    tagger = pipeline("ner", str(folder), aggregation_strategy="first", device="cpu")
    result = dict(pair for some in system.predict([{"text": t} for t in texts]) for pair in some)
    count = 0
    for index, (text, entities) in enumerate(zip(texts, tagger(texts), strict=True)):
        wanted = [[one["start"], one["end"], one["entity_group"]] for one in entities]
        assert result[index].output == {"entities": wanted}, text
        count += len(wanted)
    return count


@pytest.mark.nightly
def test_as_transformers_on_a_real_checkpoint(shared: Path, fine_tuned: Callable) -> None:
    sources = read_suite(find_suite("ner-default")).sources
    texts = [*AS_FIRST, *(source.input["text"] for source in sources[:60])]
    system = OnnxSystem(fine_tuned("ner"), "ner", "cpu")
    assert assert_as_first(shared / "models" / "ner", system, texts) > 50


def test_as_transformers_on_random_labels(hugging_face: Path, exported: Path) -> None:
    """Every token may be of any label here, so any other word would show."""
    texts = [*AS_FIRST[:1], "(Anna), 'Boris' & Oslo-Paris: 3,5% of Erik's Rome?", *SENTENCES[:60]]
    assert assert_as_first(hugging_face, OnnxSystem(exported, "ner", "cpu"), texts) > 50
