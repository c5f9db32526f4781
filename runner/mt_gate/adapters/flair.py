"""A Flair tagger as a program: ``python -m mt_gate.adapters.flair final-model.pt --trusted``.

Flair unpickles the file, and a pickle can run any program: hence the second argument.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import os
from pathlib import Path

from mt_gate.adapters.serving import Entities, fail, serve

AT_ONCE = 32
IN_FOLDER = "pytorch_model.bin"


def main() -> None:
    """Serve the tagger that the command line names."""
    parser = argparse.ArgumentParser(prog="flair")
    parser.add_argument("path", type=Path, help="file, or folder with its pytorch_model.bin")
    parser.add_argument("--trusted", action="store_true", help="the file may run any program")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    options = parser.parse_args()
    path = options.path / IN_FOLDER if options.path.is_dir() else options.path
    if not options.trusted:
        fail("A Flair file can run any program when it is read. Add --trusted if you trust it.")
    if not path.is_file():
        fail(f"{path} does not exist. Expected a SequenceTagger saved by Flair.")
    # A tagger's file has all that it needs, so do not let Flair download anything.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import flair
    from flair.data import Sentence
    from flair.models import SequenceTagger

    logging.getLogger("flair").setLevel(logging.ERROR)
    try:
        if options.device != "auto":
            import torch

            flair.device = torch.device(options.device)
        # Hash the file before loading it, because a pickle can write to its own file.
        fingerprint = hashlib.sha256(path.read_bytes()).hexdigest()
        tagger = SequenceTagger.load(path)
    except Exception as error:  # Flair, torch and pickle have no common class
        fail(f"Flair cannot load {path} ({error})")

    def ask(texts: list[str]) -> list[Entities | None]:
        sentences = [Sentence(text) for text in texts]
        for sentence in sentences:
            # Without this, a tagger with context would see the neighbours in the batch.
            Sentence.set_context_for_sentences([sentence])
        tagger.predict(sentences, mini_batch_size=AT_ONCE)
        return [
            [
                (span.start_position, span.end_position, span.get_label(tagger.label_type).value)
                for span in sentence.get_spans(tagger.label_type)
            ]
            for sentence in sentences
        ]

    name = path.parent.name if path.name == IN_FOLDER else path.stem
    serve(name, ask, size=AT_ONCE, fingerprint=f"sha256:{fingerprint}, Flair {flair.__version__}")


if __name__ == "__main__":
    main()
