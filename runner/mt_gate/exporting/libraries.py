"""The libraries of an export: quiet, off the network, and their failures in one line."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from mt_gate.base.errors import CannotJudge, MtGateError
from mt_gate.exporting.folder_files import SAVED
from mt_gate.exporting.hugging_face import HuggingFaceFolder

SAFE: Mapping[str, Any] = {"trust_remote_code": False, "local_files_only": True}
_MOST_TEXT = 200
_OFFLINE = (
    ("huggingface_hub.constants", "HF_HUB_OFFLINE"),
    ("transformers.utils.hub", "_is_offline_mode"),
)
"""Variables in which the libraries store the environment at import."""


def need_export_packages() -> None:
    """Raise CannotJudge where torch or transformers is missing."""
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise CannotJudge(
            f"This checkpoint is not exported yet, and {error.name} is not installed. Run pip "
            "install 'mt-gate[export]', use org/mt-gate/full in a workflow, or pass a folder made "
            "by mt-gate export."
        ) from None


@contextlib.contextmanager
def report_failures(
    what: str, cause: str, *, hiding: tuple[object, object] = ("", "")
) -> Iterator[None]:
    """Report a library's failure in one line: what was done, what it says, and what to do."""
    try:
        yield
    except (MtGateError, KeyboardInterrupt):
        raise
    except BaseException as error:  # panics in Rust and SystemExit share no other base
        words = " ".join(str(error)[: 10 * _MOST_TEXT].split()) or type(error).__name__
        ours, theirs = map(str, hiding)
        words = words.replace(ours, theirs) if ours else words
        raise CannotJudge(f"{what} ({words[:_MOST_TEXT]}). {cause}") from None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the exporters' chatter off the user's terminal: logs, warnings, progress bars."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    heard = io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(heard),
            contextlib.redirect_stderr(heard),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


@contextlib.contextmanager
def offline() -> Iterator[None]:
    """Keep the libraries of Hugging Face off the network, whether they are imported yet or not."""
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    switches = [
        (sys.modules[module], name)
        for module, name in _OFFLINE
        if hasattr(sys.modules.get(module), name)  # transformers 5 asks huggingface_hub
    ]
    values = [getattr(module, name) for module, name in switches]
    for module, name in switches:
        setattr(module, name, True)
    try:
        yield
    finally:
        for (module, name), value in zip(switches, values, strict=True):
            setattr(module, name, value)
        for name, text in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: text} if text is not None else {})


def load_config(folder: HuggingFaceFolder) -> Any:
    """Return the configuration with the defaults of its class. Raises CannotJudge."""
    import transformers

    with refuse_unloadable(folder):
        return transformers.AutoConfig.from_pretrained(str(folder.source), **SAFE)


def refuse_unloadable(folder: HuggingFaceFolder) -> contextlib.AbstractContextManager[None]:
    """Report what transformers fails with on a folder."""
    return report_failures(
        f"{folder.path}: transformers cannot load the checkpoint",
        SAVED,
        hiding=(folder.source, folder.path),
    )
