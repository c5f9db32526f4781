"""A Flair sequence tagger as a system under test, in process."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mt_gate.base.errors import CannotJudge, UsageError, reported
from mt_gate.base.jsonio import sha256_file
from mt_gate.results.result import CheckpointHead
from mt_gate.sut.cpu import cpu_name
from mt_gate.sut.protocol import Prediction
from mt_gate.sut.systems.entities import settled
from mt_gate.sut.systems.unscored import Unscored, answered, head, key

AT_ONCE = 128
"""Sentences between two looks at the cache."""
MINI_BATCH = 32
_NO_LABEL = "O"


class FlairTagger(Unscored):
    """The spans that a Flair ``SequenceTagger`` finds."""

    def __init__(self, path: str, device: str) -> None:
        """Load a tagger.

        Args:
            path: a file saved by Flair, or a folder with its ``pytorch_model.bin``.
            device: auto, cpu or cuda.

        Raises:
            UsageError: no such file.
            CannotJudge: it holds more than plain values, or does not fit together.
        """
        # What a tagger needs is in its file; nothing may be fetched in its name.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        import flair
        import torch

        logging.getLogger("flair").setLevel(logging.ERROR)
        file = _file(path)
        self._where = f"flair:{path}"
        self._device = _use(flair, torch, device)
        self._tagger = _load(file)
        self._name = file.parent.name if file.name == _IN_FOLDER else file.stem
        self._provider = f"Flair {flair.__version__}, PyTorch {torch.__version__}"
        self._fingerprint = f"sha256:{sha256_file(file)}"

    @property
    def head(self) -> CheckpointHead:
        """Name and hash of the file; the versions of Flair and PyTorch."""
        return head(
            self._name,
            self._provider,
            fingerprint=self._fingerprint,
            device=self._device,
            cpu=cpu_name(),
        )

    @property
    def cache_key(self) -> str:
        """The file, the libraries and the device."""
        return key("flair", self._provider, self._device, fingerprint=self._fingerprint)

    def predict(
        self, inputs: Sequence[Mapping[str, Any]]
    ) -> Iterator[list[tuple[int, Prediction]]]:
        """Answer every input, ``AT_ONCE`` at a time."""
        return answered(inputs, AT_ONCE, self._answers)

    def _answers(self, texts: Sequence[str]) -> list[Prediction]:
        from flair.data import Sentence

        sentences = [Sentence(text) for text in texts]
        for sentence in sentences:
            # By itself: else a tagger with context would see its neighbours in the batch.
            Sentence.set_context_for_sentences([sentence])
        try:
            self._tagger.predict(sentences, mini_batch_size=MINI_BATCH)
        except Exception as error:  # Flair's and torch's own; there is no common class
            raise CannotJudge(
                f"{self._where}: fails on a sentence ({reported(error, 300)}); fix the tagger"
            ) from None
        return [
            settled(text, self._spans(sentence), self._where)
            for text, sentence in zip(texts, sentences, strict=True)
        ]

    def _spans(self, sentence: Any) -> list[tuple[int, int, str]]:
        return [
            (span.start_position, span.end_position, label.value)
            for span in sentence.get_spans(self._tagger.label_type)
            for label in span.get_labels(self._tagger.label_type)
            if label.value != _NO_LABEL
        ]


_IN_FOLDER = "pytorch_model.bin"


def _file(path: str) -> Path:
    file = Path(path) / _IN_FOLDER if os.path.isdir(path) else Path(path)
    if not os.path.isfile(file):
        raise UsageError(
            f"--system flair:{path}: no such file; expected a SequenceTagger saved by Flair "
            f"(final-model.pt), or a folder with its {_IN_FOLDER}"
        )
    return file


def _use(flair: Any, torch: Any, device: str) -> str:
    if device == "cuda" and not torch.cuda.is_available():
        raise CannotJudge(
            f"device cuda: PyTorch {torch.__version__} finds none; "
            "install a build for your CUDA, or use --device cpu"
        )
    chosen = "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
    flair.device = torch.device(chosen)
    return chosen


def _load(file: Path) -> Any:
    from flair.models import SequenceTagger

    from mt_gate.sut.systems.flair_file import read_state

    state = read_state(file)
    try:
        tagger = SequenceTagger.load(state)
    except Exception as error:  # Flair's and torch's own; there is no common class
        raise CannotJudge(
            f"flair:{file}: does not fit together ({reported(error, 300)}); "
            "expected a SequenceTagger saved by Flair 0.12 or later; save it again"
        ) from None
    if not tagger.predict_spans:
        raise CannotJudge(
            f"flair:{file}: tags words, not spans (labels of {tagger.label_type}); "
            "expected a recogniser of entities; name another file"
        )
    return tagger
