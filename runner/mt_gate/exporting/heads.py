"""Which architectures can be exported for a task, and in which input form.

The end of a class's name is its purpose (``ForTokenClassification``). The part before it is the
family (BERT, RoBERTa, ...), which transformers' auto classes resolve. The name does not show how a
checkpoint marks the arguments of a relation. If the vocabulary has no known markers,
``input_form.json`` next to ``config.json`` must state how.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import msgspec

from mt_gate.base.errors import CannotJudge, UsageError, page, quoted
from mt_gate.exporting.folder_files import (
    CONFIG,
    ENTITIES,
    INPUT_FORM,
    MODULES,
    POOLING,
    SENTENCES,
    SETFIT,
    TOKENIZER_CONFIG,
    read_header,
    read_json,
)
from mt_gate.sut.boolq import TEMPLATE, read_answers
from mt_gate.sut.card import RULES, TOKENIZER, InputForm, check_form
from mt_gate.sut.reader import activation_of
from mt_gate.sut.relation_text import check_labels
from mt_gate.tasks.boolq import NO, TEXT_TO_TEXT, YES
from mt_gate.tasks.relation_extraction import ENTITY_PAIR, MARKERS, MASK, PLAIN, STARTS, TYPED
from mt_gate.tasks.spec import LONGEST_LABEL, MOST_LABELS, PROMPT
from mt_gate.tasks.table import TASKS
from mt_gate.tasks.tag_scheme import read_tag_scheme
from mt_gate.tasks.text import NONE, ONE, SIGMOID, SOFTMAX
from mt_gate.tasks.text import PAIR as TEXT_PAIR

Config = Mapping[str, Any]
Answers = Mapping[str, str]


class ModelHead(NamedTuple):
    """A kind of architecture: the end of its name, its input form, and the class that loads it."""

    ending: str
    form: str
    auto: str


class TaskExport(NamedTuple):
    """How to read Hugging Face checkpoints for a task."""

    heads: tuple[ModelHead, ...]
    labels: Callable[[Path, Config, str, Answers], tuple[tuple[str, ...], Answers]]
    reading: Callable[[Path, Config, ModelHead], InputForm]


_CLASS = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)


def export_of(task: str) -> TaskExport:
    """Return how to read a task's checkpoints. Raises UsageError: the task has no exports."""
    spec = TASKS[task]
    if not spec.export:
        known = ", ".join(name for name, spec in TASKS.items() if spec.export)
        raise UsageError(f"mt-gate cannot export checkpoints for task {task}. Tasks: {known}.")
    resolved: TaskExport = resolve_name(spec.export)
    return resolved


def architecture_of(path: Path, config: Config, task: str) -> tuple[str, ModelHead]:
    """Return the architecture's name and kind. Raises CannotJudge and UsageError."""
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and names else "none"
    if not (isinstance(name, str) and _CLASS.fullmatch(name)):
        raise CannotJudge(
            f"{path}: architectures[0] is {str(name)[:60]!r}. Expected the name of a class. "
            "Save the checkpoint again."
        )
    heads = export_of(task).heads
    for head in heads:
        if name.endswith(head.ending):
            return name, head
    endings = " or ".join(head.ending for head in heads)
    raise CannotJudge(
        f"{path}: architecture {name} does not fit task {task}, which needs one that ends in "
        f"{endings}. Check --checkpoint and --task."
    )


UNNAMED = {"0": "LABEL_0", "1": "LABEL_1"}
"""The default ``id2label``, which save_pretrained() does not write."""


def with_labels(config: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with ``id2label``; add default names if it has only their number."""
    count = config.get("num_labels")
    if config.get("id2label") is not None or not isinstance(count, int) or count > MOST_LABELS:
        return config
    return {**config, "id2label": {str(index): f"LABEL_{index}" for index in range(count)}}


def label_names(path: Path, table: Any) -> tuple[str, ...]:
    """Return the labels in a table ``id2label``, in the order of the scores."""
    names = table if isinstance(table, dict) else {}
    if len(names) > MOST_LABELS:
        raise CannotJudge(
            f"{path}: id2label has {len(names):,} labels, but {MOST_LABELS:,} is the limit."
        )
    values = [names.get(str(index)) for index in range(len(names))]
    # Some training scripts write the numbers of a data set's classes as labels.
    labels = tuple(str(value) for value in values if isinstance(value, str | int))
    if not labels or len(labels) < len(values):
        raise CannotJudge(
            f"{path}: id2label is {str(table)[:80]}. Expected a text for each label, numbered "
            "from 0. Fix it."
        )
    longest = max(labels, key=len)
    if len(longest) > LONGEST_LABEL:
        raise CannotJudge(
            f"{path}: id2label has a label of {len(longest):,} characters ({longest[:40]}...), but "
            f"{LONGEST_LABEL} is the limit. Shorten it."
        )
    return labels


PROMPTED = (
    ModelHead("ForCausalLM", PROMPT, "AutoModelForCausalLM"),
    ModelHead("LMHeadModel", PROMPT, "AutoModelForCausalLM"),
)
"""Language models, which classify by the probability of each label's text after a prompt."""
Labels = tuple[tuple[str, ...], Answers]
_SEQUENCE, _AUTO_SEQUENCE = "ForSequenceClassification", "AutoModelForSequenceClassification"


def _read_tags(path: Path, config: Config, *_: object) -> Labels:
    labels = label_names(path, config.get("id2label"))
    read_tag_scheme(labels, where=str(path))
    return labels, {}


NER = TaskExport(
    heads=(ModelHead("ForTokenClassification", "text", "AutoModelForTokenClassification"),),
    labels=_read_tags,
    reading=lambda _, __, head: InputForm(input_form=head.form),
)

_OF_T5 = {YES: "True", NO: "False"}
"""Texts that T5 was trained to return for boolean questions."""


def _read_yes_no(path: Path, config: Config, form: str, answers: Answers) -> Labels:
    if form == TEXT_TO_TEXT:
        words = answers or _OF_T5
        return (words[NO], words[YES]), words
    labels = label_names(path, config.get("id2label", UNNAMED))
    yes, no = read_answers(labels, answers, where=str(path))
    return labels, {YES: labels[yes], NO: labels[no]}


BOOLQ = TaskExport(
    heads=(
        ModelHead(_SEQUENCE, "text-pair", _AUTO_SEQUENCE),
        # T5, mT5, UMT5: the first token is the prediction. BART starts with other tokens.
        ModelHead("T5ForConditionalGeneration", TEXT_TO_TEXT, "AutoModelForSeq2SeqLM"),
        *PROMPTED,
    ),
    labels=_read_yes_no,
    reading=lambda _, __, head: InputForm(
        input_form=head.form, template=TEMPLATE if head.form == TEXT_TO_TEXT else ""
    ),
)

_ACTIVATIONS = {
    "single_label_classification": SOFTMAX,
    "multi_label_classification": SIGMOID,
    "regression": NONE,
}
"""Activation for each ``problem_type`` that training writes to the configuration."""
_KEYS = ("input_form", "activation", "score_range")
_CAUSE = (
    f'Expected for example {{"input_form": "{TEXT_PAIR}", "activation": "{SIGMOID}"}}, with only '
    f"the keys {', '.join(_KEYS)}: {page('labels')}"
)


def _read_text_form(path: Path, config: Config, head: ModelHead) -> InputForm:
    form = _read_stated_form(path) if os.path.lexists(path / INPUT_FORM) else InputForm()
    where = f"{path / INPUT_FORM}" if form.activation else f"{path / CONFIG}, {INPUT_FORM}"
    activation, problem = form.activation, config.get("problem_type")
    if not activation and problem is not None:
        if not isinstance(problem, str) or problem not in _ACTIVATIONS:
            raise CannotJudge(
                f"{path / CONFIG}: problem_type is {quoted(problem)}. Expected one of "
                f"{', '.join(_ACTIVATIONS)}. Fix it, or set activation in {INPUT_FORM}: "
                f"{page('labels')}"
            )
        activation = _ACTIVATIONS[problem]
    input_form = form.input_form or head.form
    form = msgspec.structs.replace(form, input_form=input_form, activation=activation)
    labels, _ = _read_text_labels(path / CONFIG, config)
    return msgspec.structs.replace(form, activation=activation_of(form, labels, where))


def _read_stated_form(path: Path) -> InputForm:
    form = read_json(path, INPUT_FORM, InputForm, 1 << 20, _CAUSE)
    others = {*msgspec.to_builtins(form)} - {*_KEYS}
    if others or form.input_form not in ("", ONE, TEXT_PAIR):
        wrong = f"it has {min(others)}" if others else f"input_form is {form.input_form[:40]!r}"
        raise CannotJudge(f"{path / INPUT_FORM}: {wrong}. {_CAUSE}")
    return form


CLASSIFIER = "classifier.safetensors"
AUTO_ENCODER = "AutoModel"


def _read_text_labels(path: Path, config: Config, *_: object) -> Labels:
    """Return the labels of a classifier; for SetFit, those in its own file."""
    setfit = _read_table(path.parent, SETFIT).get("labels")
    if isinstance(setfit, list) and setfit and os.path.lexists(path.parent / CLASSIFIER):
        return label_names(
            path.parent / SETFIT, {str(index): label for index, label in enumerate(setfit)}
        ), {}
    return label_names(path, config.get("id2label", UNNAMED)), {}


class Pooling(NamedTuple):
    """How sentence-transformers turns the states of a text's tokens into one vector."""

    by_mean: bool
    normalised: bool


_POOLINGS = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
_LAYER = re.compile(r"sentence_transformers\.(?:\w+\.)*(\w+)", re.ASCII)


def read_pooling(path: Path) -> Pooling:
    """Read the layers of sentence-transformers, or of SetFit. Raises CannotJudge."""
    layers = read_json(path, MODULES, list[dict[str, Any]], _MOST, _AGAIN)
    names = [
        match[1] if match else ""
        for match in (_LAYER.fullmatch(str(m.get("type"))) for m in layers)
    ]
    modes = _read_table(path, POOLING)
    chosen = [name for name, value in modes.items() if value is True and "_mode_" in name]
    lowers = _read_table(path, SENTENCES).get("do_lower_case")
    known = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
    if names not in known or len(chosen) != 1 or chosen[0] not in _POOLINGS or lowers:
        raise CannotJudge(
            f"{path}: its layers are {quoted(', '.join([*names, *chosen]), 200)}. mt-gate exports "
            "only Transformer, Pooling (first token or mean) and Normalize. Run your own "
            f"pipeline: --system 'command:python predict.py' ({page('systems')})"
        )
    normalised = len(names) > 2 or bool(_read_table(path, SETFIT).get("normalize_embeddings"))
    return Pooling(_POOLINGS[chosen[0]], normalised)


def _read_any_text_form(path: Path, config: Config, head: ModelHead) -> InputForm:
    if head.auto == AUTO_ENCODER:
        _check_classifier(path, "hidden")
        read_pooling(path)
    return _read_text_form(path, config, head)


def _check_classifier(path: Path, width: str) -> None:
    if not (path / CLASSIFIER).is_file():
        raise CannotJudge(
            f"{path} has an encoder but no classifier. Save it as {CLASSIFIER} with 'weight' of "
            f"shape (labels, {width}) and 'bias': {page('checkpoints')}"
        )
    read_header(path / CLASSIFIER, path)


TEXT = TaskExport(
    heads=(
        ModelHead(_SEQUENCE, ONE, _AUTO_SEQUENCE),
        *PROMPTED,
        # An encoder of sentence-transformers, with a classifier of its vectors in a separate file.
        ModelHead("Model", ONE, AUTO_ENCODER),
    ),
    labels=_read_text_labels,
    reading=_read_any_text_form,
)


_MOST, _MOST_TOKENIZER, _MOST_ENTITIES = 1 << 20, 64 << 20, 128 << 20
_AGAIN = "Fix it, or save the tokenizer again."
_FITTING = {MARKERS: (MARKERS, TYPED, MASK, PLAIN), STARTS: (STARTS,), ENTITY_PAIR: (ENTITY_PAIR,)}
"""Input forms that an architecture supports, by the form of its head."""
_EXAMPLE = (
    '{"input_form": "entity-markers", "head": "[E1] {text} [/E1]", "tail": "[E2] {text} [/E2]"}'
)
_KNOWN = (
    (("[E1]", "[/E1]"), ("[E2]", "[/E2]")),
    (("[E11]", "[E12]"), ("[E21]", "[E22]")),
    (("[E1_START]", "[E1_END]"), ("[E2_START]", "[E2_END]")),
    (("<e1>", "</e1>"), ("<e2>", "</e2>")),
    (("<E1>", "</E1>"), ("<E2>", "</E2>")),
    (("[SUBJ]", "[/SUBJ]"), ("[OBJ]", "[/OBJ]")),
    (("<SUBJ>", "</SUBJ>"), ("<OBJ>", "</OBJ>")),
    (("<head>", "</head>"), ("<tail>", "</tail>")),
    (("[HEAD]", "[/HEAD]"), ("[TAIL]", "[/TAIL]")),
)
"""Known markers: start and end of the head, start and end of the tail."""


def _read_relations(path: Path, config: Config, *_: object) -> Labels:
    labels = label_names(path, config.get("id2label", UNNAMED))
    check_labels(labels, str(path))
    return labels, {}


def _read_form(path: Path, _: Config, head: ModelHead) -> InputForm:
    stated = os.path.lexists(path / INPUT_FORM)
    form = _read_stated_relation_form(path, head) if stated else _form_of_vocabulary(path, head)
    if form.input_form == ENTITY_PAIR:
        form = _with_entities(path, form)
    check_form(form, str(path / INPUT_FORM))
    if form.input_form == STARTS:
        _check_classifier(path, "2 x hidden")
    return form


def _read_stated_relation_form(path: Path, head: ModelHead) -> InputForm:
    form = read_json(path, INPUT_FORM, InputForm, _MOST, f"Expected for example {_EXAMPLE}")
    fitting = _FITTING[head.form]
    if not form.input_form and len(fitting) == 1:
        return msgspec.structs.replace(form, input_form=fitting[0])
    if form.input_form not in fitting:
        raise CannotJudge(
            f"{path / INPUT_FORM}: input_form {form.input_form!r} does not fit an architecture "
            f"...{head.ending}. Use one of: {', '.join(fitting)}."
        )
    return form


def _form_of_vocabulary(path: Path, head: ModelHead) -> InputForm:
    if head.form == ENTITY_PAIR:
        return InputForm(input_form=ENTITY_PAIR)
    known = _vocabulary(path) if head.form == MARKERS else lambda _: False
    pairs = [both for both in _KNOWN if all(known(marker) for one in both for marker in one)]
    if len(pairs) == 1:
        (one, other) = (f"{start} {{text}} {end}" for start, end in pairs[0])
        return InputForm(input_form=MARKERS, head=one, tail=other)
    example = _EXAMPLE.replace(MARKERS, head.form)
    several = f"markers of {len(pairs)} kinds in its vocabulary" if pairs else "no known markers"
    raise CannotJudge(
        f"{path} has {several if head.form == MARKERS else 'only an encoder'}, and no "
        f"{INPUT_FORM}. State in that file, next to config.json, how the model's input marks "
        f"head and tail, for example {example}"
    )


class _Entities(msgspec.Struct):
    mask: Any = msgspec.field(name="[MASK]", default=None)
    mask2: Any = msgspec.field(name="[MASK2]", default=None)


def _with_entities(path: Path, form: InputForm) -> InputForm:
    one, other = RULES[ENTITY_PAIR].example
    form = msgspec.structs.replace(form, head=form.head or one, tail=form.tail or other)
    if form.entities:
        return form
    cause = (
        "Expected ids of [MASK] and [MASK2] in that file of the checkpoint's tokenizer, or "
        f'"entities": [ID, ID] in {INPUT_FORM}'
    )
    entities = read_json(path, ENTITIES, _Entities, _MOST_ENTITIES, cause)
    if not (isinstance(entities.mask, int) and isinstance(entities.mask2, int)):
        raise CannotJudge(f"{path / ENTITIES} does not have these ids. {cause}")
    length = _read_table(path, TOKENIZER_CONFIG).get("max_mention_length")
    return msgspec.structs.replace(
        form,
        entities=(entities.mask, entities.mask2),
        mention_length=length if isinstance(length, int) else form.mention_length,
    )


class _Added(msgspec.Struct):
    content: str


class _Model(msgspec.Struct):
    vocab: msgspec.Raw = msgspec.Raw(b"")


class _Tokenizer(msgspec.Struct):
    added_tokens: list[_Added] = []
    model: _Model = msgspec.field(default_factory=_Model)


def _vocabulary(path: Path) -> Callable[[str], bool]:
    """Return a function that checks whether a text is a token in a file that transformers reads.

    The files are only parsed: loading the tokenizer would run a library on them.
    """
    table = _read_table(path, TOKENIZER_CONFIG).get("added_tokens_decoder")
    entries = table.values() if isinstance(table, dict) else ()
    tokens = {*_read_table(path, "added_tokens.json")}
    tokens |= {str(entry.get("content")) for entry in entries if isinstance(entry, dict)}
    vocabulary = b""
    if (path / TOKENIZER).is_file():
        tokenizer = read_json(path, TOKENIZER, _Tokenizer, _MOST_TOKENIZER, _AGAIN)
        tokens |= {token.content for token in tokenizer.added_tokens}
        vocabulary = bytes(tokenizer.model.vocab)  # a table, or a list of pairs

    def is_token(text: str) -> bool:
        key = re.escape(json.dumps(text).encode()) + rb"\s*[:,]"
        return text in tokens or re.search(key, vocabulary) is not None

    return is_token


def _read_table(path: Path, name: str) -> dict[str, Any]:
    if not os.path.lexists(path / name):
        return {}
    return read_json(path, name, dict[str, Any], _MOST, _AGAIN)


EXPORT = TaskExport(
    heads=(
        *PROMPTED,
        ModelHead(
            "LukeForEntityPairClassification", ENTITY_PAIR, "LukeForEntityPairClassification"
        ),
        ModelHead(_SEQUENCE, MARKERS, _AUTO_SEQUENCE),
        # An encoder, with a classifier of its states at entity starts in a separate file.
        ModelHead("Model", STARTS, AUTO_ENCODER),
    ),
    labels=_read_relations,
    reading=_read_form,
)
