"""Replaces a first name with another of the same gender.

A first name with a surname is not replaced, because it means a particular person.
"""

from __future__ import annotations

from random import Random

from spacy.tokens import Doc, Token

from mt_gate_suites.grammar.rewrite import Rewrite, edited
from mt_gate_suites.lexicons.given_names import FEMALE, MALE
from mt_gate_suites.lexicons.reading import word_set
from mt_gate_suites.text.protected import is_free, protected_spans
from mt_gate_suites.text.relation import TextRelation
from mt_gate_suites.text.transformation import OfDoc

_OF_ONE = word_set("text/exchanges", "names-of-one")


def transform(doc: Doc, rng: Random) -> list[Rewrite]:
    """Return the text with its only first name replaced, wherever it occurs."""
    names = {token.text for token in doc if _is_separate(token)}
    if len(names) != 1:
        return []
    name = names.pop()
    places = [token for token in doc if token.text == name]
    pool = sorted((MALE if name in MALE else FEMALE) - _OF_ONE - {name})
    spans = protected_spans(doc.text)
    free = all(_is_separate(t) and is_free(t.idx, t.idx + len(t), spans) for t in places)
    if not free or (
        any(token.tag_ in {"NNP", "NNPS"} and token.text != name for token in doc) or len(doc) < 4
    ):
        return []
    new = rng.choice(pool)
    return [edited(doc.text, [(token.idx, token.idx + len(token), new) for token in places])]


def _is_separate(token: Token) -> bool:
    """Whether a token is a person's first name, with no other name next to it."""
    if token.text not in MALE | FEMALE or token.text in _OF_ONE or token.ent_type_ != "PERSON":
        return False
    doc = token.doc
    neighbours = [doc[at] for at in (token.i - 1, token.i + 1) if 0 <= at < len(doc)]
    return token.tag_ == "NNP" and not any(
        near.tag_ in {"NNP", "NNPS", "CD", "HYPH"} or near.text == "&" for near in neighbours
    )


RELATION = TextRelation(
    name="name-replacement",
    title="First-name replacement",
    description=(
        "Replaces a first name with another of the same gender. The prediction must not change."
    ),
    paper="Ribeiro et al., ACL 2020 (CheckList), change names",
    before="Anna has not sent the money yet.",
    after="Olivia has not sent the money yet.",
    transformation=OfDoc(transform),
)
