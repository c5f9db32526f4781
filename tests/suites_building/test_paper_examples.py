"""Every follow-up that the papers print comes out of ``suite build --filters paper``."""

from __future__ import annotations

import itertools
import tomllib
from random import Random
from typing import Any

import pytest
from spacy.language import Language

from cases import FOLDER
from making_samples import marked, sample
from mt_gate.language.kinds import ToolNames, open_lexicons
from mt_gate.language.wordnet import WordNet
from mt_gate.relations.ner.entity_shuffle import shuffle
from mt_gate_suites.boolq.question import QuestionText, Resources, read_questions
from mt_gate_suites.builder_api import transformation_of
from mt_gate_suites.ner.replacement import Replacer
from mt_gate_suites.ner.slots import Usage
from mt_gate_suites.re.name_pools import Pools
from mt_gate_suites.recipe import PAPER_FILTERS

EXAMPLES: list[dict[str, Any]] = tomllib.loads(
    (FOLDER / "paper_examples.toml").read_text(encoding="utf-8")
)["example"]
NATIONS = "Albanian Algerian American British Canadian Zambian".split()
ALL_POOLS = [
    Pools.of([("NATIONALITY", name, f"The {name} left.") for name in three for _ in range(10)])
    for three in itertools.combinations(NATIONS, 3)
]
"""Which name a source gets depends on the others, so every name is in several pools."""


def make(example: dict[str, Any], nlp: Language, wordnet: str) -> list[str]:
    """Return the follow-ups of a source; of voice-change the passages."""
    source, relation = example["source"], example["relation"]
    task, _, name = relation.partition("/")
    if "names" in example:
        return [str(one.input["text"]) for one in _shuffled(source, example["names"].split())]
    if task == "re":
        pair = sample(nlp, source)
        transform = transformation_of(relation, paper=True)
        return [marked(one) for pools in ALL_POOLS for one in transform(pair, pools)]
    if task == "boolq":
        texts = QuestionText(source, example.get("passage", ""))
        resources = Resources(nlp, WordNet(wordnet))
        (question,) = read_questions([texts], nlp, resources.wordnet.is_name)
        rewrite = transformation_of(relation, paper=True)(question, resources)
        return [rewrite.text] if rewrite else []
    doc = nlp(source)
    if name == "structural":
        (made,) = transformation_of(relation, paper=True)([doc], nlp)
    else:
        usage = Usage()
        for text in example["corpus"] * 2:
            usage.add(nlp(text))
        tools = open_lexicons(ToolNames(wordnet=wordnet, cache=FOLDER))
        (made,) = Replacer(tools, PAPER_FILTERS, nlp, usage, least=1).phrases([doc])
    return [rewrite.text for rewrite in made]


def _shuffled(text: str, names: list[str]) -> Any:
    entities: list[list[Any]] = []
    for name, label in (item.replace("_", " ").split(":") for item in names):
        start = text.index(name)
        entities.append([start, start + len(name), label])
    output = {"entities": entities}
    seeds = (Random(seed) for seed in range(20))
    return itertools.chain.from_iterable(shuffle({"text": text}, output, seed) for seed in seeds)


def _mark(example: dict[str, Any]) -> Any:
    marks = [pytest.mark.xfail(strict=True)] if "missing" in example else []
    return pytest.param(example, marks=marks, id=f"{example['relation']}-{example['section']}")


@pytest.mark.parametrize("example", map(_mark, EXAMPLES))
def test_the_papers_examples(example: dict[str, Any], nlp: Language, wordnet_folder: str) -> None:
    made = make(example, nlp, wordnet_folder)
    wanted = example.get("instead", example["follow_up"])
    assert wanted in made
    assert ("instead" in example) == ("reason" in example)
    assert "instead" not in example or example["follow_up"] not in made
