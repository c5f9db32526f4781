"""A spaCy pipeline as a system under test, in process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mt_gate.base.errors import CannotJudge, UsageError, quoted, reported
from mt_gate.base.files import canonical, sha256_file
from mt_gate.sut.processes import cpu_name
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.command import Unscored, head, key, settled_entities

if TYPE_CHECKING:
    from spacy.language import Language

AT_ONCE = 256
"""Sentences per batch, predicted between two reads of the cache."""
_SETS_ENTITIES = "doc.ents"


class SpacyPipeline(Unscored):
    """The entities of a pipeline.

    Components after the last one that sets entities cannot change them, so they do not run.
    Components before it run, because recognisers and rulers may use sentence boundaries and tags.
    """

    def __init__(self, name: str, device: str) -> None:
        import spacy
        from spacy.about import __version__ as version

        used = _use(spacy, device)
        if spacy.util.is_package(name):
            folder = Path(spacy.util.get_package_path(name))
        elif os.path.isdir(name):
            folder = Path(name)
        else:
            raise UsageError(
                f"No installed spaCy pipeline and no folder is named {quoted(name)}. Install it "
                f"(python -m spacy download {name}), or pass its folder: --system spacy:FOLDER."
            )
        try:
            self._nlp: Language = spacy.load(name)
        except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
            raise CannotJudge(
                f"spacy:{name}: spaCy {version} cannot load it ({reported(error, 300)}). Install "
                "the spaCy version that made it."
            ) from None
        setters = [
            at
            for at, component in enumerate(self._nlp.pipe_names)
            if _SETS_ENTITIES in self._nlp.get_pipe_meta(component).assigns
        ]
        if not setters:
            raise CannotJudge(
                f"spacy:{name}: its components ({', '.join(self._nlp.pipe_names) or 'none'}) set "
                "no entities. Choose a pipeline with a component such as ner."
            )
        labels = (self._nlp.pipe_labels.get(self._nlp.pipe_names[at], ()) for at in setters)
        self.labels = tuple(dict.fromkeys(chain.from_iterable(labels)))
        self._unneeded = self._nlp.pipe_names[setters[-1] + 1 :]
        meta, mark = self._nlp.meta, fingerprint(folder, version)
        self.head = head(
            f"{meta['lang']}_{meta['name']} {meta['version']}",
            f"spaCy {version}",
            fingerprint=mark,
            device=used,
            cpu=cpu_name(),
        )
        self.cache_key = key("spacy", used, fingerprint=mark)
        self._where = f"spacy:{name}"

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Predict every input, ``AT_ONCE`` at a time."""
        for start in range(0, len(inputs), AT_ONCE):
            texts = [value["text"] for value in inputs[start : start + AT_ONCE]]
            try:
                docs = list(self._nlp.pipe(texts, disable=self._unneeded))
            except Exception as error:  # components raise errors without a common base class
                raise CannotJudge(
                    f"{self._where} fails on a sentence ({reported(error, 300)}). Fix the pipeline."
                ) from None
            predictions = []
            for text, doc in zip(texts, docs, strict=True):
                entities = [(of.start_char, of.end_char, of.label_) for of in doc.ents if of.label_]
                predictions.append(settled_entities(text, entities, self._where))
            yield [*enumerate(predictions, start)]


def fingerprint(folder: Path, version: str) -> str:
    """Return sha256 over a pipeline's files, by name, and spaCy's version; links are followed."""
    files = sorted(
        (path.relative_to(folder).as_posix(), sha256_file(path))
        for path in _files(folder, frozenset())
    )
    return f"sha256:{hashlib.sha256(canonical([files, version])).hexdigest()}"


def _files(folder: Path, inside: Set[Path]) -> Iterator[Path]:
    real = folder.resolve()
    if real in inside or not os.access(folder, os.R_OK | os.X_OK):
        return
    for path in folder.iterdir():
        if path.is_dir() and path.name != "__pycache__":
            yield from _files(path, inside | {real})
        elif path.is_file():
            yield path


def _use(spacy: Any, device: str) -> str:
    if device == "cpu":
        spacy.require_cpu()
        return "cpu"
    use_gpu = spacy.require_gpu if device == "cuda" else spacy.prefer_gpu
    try:
        return "cuda" if use_gpu() else "cpu"
    except ValueError as error:
        raise CannotJudge(
            f"--device cuda: spaCy finds no GPU ({reported(error, 300)}). Install cupy for your "
            "CUDA, or pass --device cpu."
        ) from None
