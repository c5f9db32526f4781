"""Every setting of a run, one record each.

A field of ``Settings`` says its type with constraints, its default, and in a ``Setting`` all
that is not its value's: help, whose it is on a pull request, whether it decides a verdict and is
stored. From here come the options of the commands (``commands/options.py``), the inputs of the
action, the keys of ``mt-gate.toml``, what is kept with a result (``results.result.RunSettings``),
what ``mt-gate compare`` may decide again, and the command that repeats a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from mt_gate.settings.forms import Limit, Margin, Text, one_of, worded
from mt_gate.settings.policy import Policy
from mt_gate.tasks.table import TASKS

CONFIG, OUT = Path("mt-gate.toml"), Path("mt-gate-out")
DEVICES = ("auto", "cpu", "cuda")
FP32 = "fp32"
"""The precision of an export where none is named."""
PRECISIONS = (FP32, "fp16", "int8")
ANSWERS = tuple(dict.fromkeys(answer for task in TASKS.values() for answer in task.answers))
"""Outputs for which a checkpoint may have words of its own: yes and no."""
MOST_RELATIONS, MOST_LABELS = 200, 1000


class Whose(Enum):
    """Whose value of a setting counts when a pull request or merge group is judged."""

    JUDGE = auto()
    """The base's: names a program, decides a verdict or what is believed, or leads later steps."""
    TESTED = auto()
    """The pull request's: what is tested; a change is reported."""
    PLACE = auto()
    """The pull request's: where it is computed, which is no part of a verdict."""


class Setting(NamedTuple):
    """All that is said of a setting; the last four come from its field in ``Settings``."""

    help: str  # a sentence without its full stop
    metavar: str = ""
    default_text: str = ""  # words shown as the default if there is no default value
    decides: bool = False  # a verdict; a stored result may be judged by another value
    stored: bool = False  # with a result; what decides always is. It cannot be None
    of_checkpoints: bool = False  # refused with --system
    names: Callable[[], Iterable[str]] | None = None  # the allowed values, if a table has them
    whose: Whose = Whose.JUDGE
    # The version since when, what to use instead, and the version that ends it, if it goes.
    deprecated: str = ""
    name: str = ""
    form: Any = None  # the type of a value, with constraints, and without
    kind: Any = None
    default: Any = None


Place = Annotated[Text, Meta(extra={"path": True})]
"""A path that a file system can have, or a name in its place."""
Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Tokens = Annotated[int, Meta(ge=3, le=1_000_000)]
Threads = Annotated[int, Meta(ge=1, le=1_000)]
Precision = Annotated[str, one_of(PRECISIONS)]
Device = Annotated[str, one_of(DEVICES)]
Seconds = Annotated[float, Meta(ge=0.1, le=86_400)]
Gigabytes = Annotated[float, Meta(ge=0.1, le=100_000)]
Alpha = Annotated[float, Meta(ge=1e-6, le=0.5)]
GroupIds = Annotated[tuple[Annotated[str, Meta(max_length=5_000)], ...], Meta(max_length=100_000)]
RelationIds = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=MOST_RELATIONS)
]
_LABEL = Meta(pattern=r"\A(?=.*\S)[^\x00-\x1f\x7f]{1,256}\Z")
_SOME = Meta(min_length=1, max_length=MOST_LABELS)
Rates = Annotated[
    Mapping[Annotated[str, Meta(max_length=5_000)], Limit],
    worded(f"rates of at most {MOST_RELATIONS} relations", max_length=MOST_RELATIONS),
]
"""By relation; ``*`` is for all that are not named."""
LabelMap = Annotated[
    Mapping[Annotated[str, _LABEL], Annotated[tuple[Annotated[str, _LABEL], ...], _SOME]],
    worded("LABEL=NAME|NAME,... with one name or more for each label", max_length=MOST_LABELS),
]
"""By a suite's label the system's labels that are meant."""
Thresholds = Annotated[
    Mapping[Annotated[str, _LABEL], Limit],
    worded(f"thresholds of at most {MOST_LABELS} labels", max_length=MOST_LABELS),
]
"""By label; ``*`` is for all that are not named."""
Variables = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[A-Za-z_][A-Za-z0-9_]{0,99}\Z")], ...],
    worded("names of environment variables, such as OUR_KEY, and no values"),
]
Answers = Annotated[
    Mapping[Annotated[str, one_of(ANSWERS)], Text],
    worded("yes=TEXT,no=TEXT, two different texts", min_length=2, max_length=2),
]


_judge = partial(Setting, whose=Whose.JUDGE)
_tested = partial(Setting, whose=Whose.TESTED)
_place = partial(Setting, whose=Whose.PLACE)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a run does; names are the options' with underscores.

    Of ``checkpoint`` and ``system`` one is set, the other empty.
    """

    checkpoint: Annotated[
        Place, _tested("Folder of an exported (mt-gate export) or Hugging Face checkpoint", "PATH")
    ] = ""
    system: Annotated[
        Text, _judge("Another system instead of a checkpoint; see docs/systems.md", "KIND:WHAT")
    ] = ""
    task: Annotated[str, _judge(f"Task, one of: {', '.join(TASKS)}", "TASK", names=TASKS.keys)]
    suite: Annotated[
        Place,
        _judge(
            "Suite that comes with mt-gate, or a folder",
            "NAME|DIR",
            default_text="TASK-default; text-robustness for text",
        ),
    ]
    baseline: Annotated[Path | None, _judge("Baseline file to compare with", "FILE")] = None
    against: Annotated[
        Place,
        _judge(
            "Checkpoint, or KIND:WHAT, that is run in the same job to compare with, instead of a "
            "baseline; see docs/qualify.md",
            "PATH|KIND:WHAT",
        ),
    ] = ""
    out: Annotated[Path, _judge("Folder for the files to write", "DIR")] = OUT
    device: Annotated[
        str, one_of(DEVICES), _place(f"What to compute on, one of: {', '.join(DEVICES)}", "DEVICE")
    ] = "auto"
    precision: Annotated[
        Precision | None,
        _tested(
            f"Precision that a Hugging Face checkpoint is exported in, one of: "
            f"{', '.join(PRECISIONS)} (8-bit weights, fp32 arithmetic)",
            "PRECISION",
            default_text="as exported, else fp32",
            of_checkpoints=True,
        ),
    ] = None
    threads: Annotated[
        Threads | None,
        _place(
            "Threads that a checkpoint computes with on a CPU",
            "N",
            default_text="the usable cores",
            of_checkpoints=True,
        ),
    ] = None
    base_precision: Annotated[
        Precision | None,
        _judge("The precision of --against", "PRECISION", default_text="as exported, else fp32"),
    ] = None
    base_device: Annotated[
        Device | None, _judge("The device of --against", "DEVICE", default_text="the device")
    ] = None
    base_threads: Annotated[
        Threads | None, _judge("The threads of --against", "N", default_text="the usable cores")
    ] = None
    timeout: Annotated[Seconds, _judge("Most seconds an answer may take", "S")] = 60.0
    max_memory: Annotated[
        Gigabytes | None,
        _judge(
            "Most memory in GiB that a checkpoint may use",
            "GIB",
            default_text="4 plus 4 times its files",
            of_checkpoints=True,
        ),
    ] = None
    system_environment: Annotated[
        Variables,
        _judge(
            "Environment variables that a command gets in addition to the harmless ones; "
            "see docs/systems.md",
            "NAME,...",
        ),
    ] = ()
    alpha: Annotated[Alpha, _judge("Significance level", "A", decides=True)] = 0.05
    margin: Annotated[
        Margin,
        _judge(
            "Rise of a violation rate, or fall of an accuracy, that is allowed", "M", decides=True
        ),
    ] = 0.01
    strict: Annotated[
        bool,
        _judge(
            "Fail unless all relations together, and each large enough, are shown not to be worse "
            "by more than the margin",
            decides=True,
        ),
    ] = False
    max_applicability_loss: Annotated[
        Limit, _judge("Fall in the share of answered groups that is allowed", "L", decides=True)
    ] = 0.10
    max_applicability_drop: Annotated[
        Limit,
        _judge(
            "Part of a relation's share of answered, or applicable, groups that may be lost",
            "D",
            decides=True,
        ),
    ] = 0.5
    max_violation_rate: Annotated[
        Rates,
        _judge(
            "Highest violation rate allowed, R for all relations or RELATION=R,... by name",
            "R",
            decides=True,
        ),
    ] = {}
    must_hold: Annotated[
        GroupIds, _judge("Groups that must not be violated, by id", "ID,...", decides=True)
    ] = ()
    required: Annotated[
        RelationIds,
        _judge("Relations that must be compared with the baseline", "ID,...", decides=True),
    ] = ()
    max_churn: Annotated[
        Limit,
        _judge(
            "Share of answers that may differ from the baseline's; the interval's lower end counts",
            "C",
            decides=True,
        ),
    ] = 1.0
    max_negative_flips: Annotated[
        Limit,
        _judge(
            "Share of labelled inputs that may turn from right to wrong, without --labels of "
            "groups from held to violated; the interval's lower end counts",
            "F",
            decides=True,
        ),
    ] = 1.0
    policy: Annotated[
        Policy,
        _judge(
            "What is asked of each relation, in TOML as the table policy of mt-gate.toml has it; "
            "see docs/policy.md",
            "TOML",
            decides=True,
        ),
    ] = Policy()
    labels: Annotated[Path | None, _judge("Labelled inputs; see docs/evaluate.md", "FILE")] = None
    relations: Annotated[
        RelationIds, _judge("Run only these relations", "ID,...", stored=True)
    ] = ()
    sources: Annotated[
        Count | None,
        _judge(
            "Run a seeded sample of this many of the suite's source inputs", "N", default_text="all"
        ),
    ] = None
    exclude: Annotated[
        tuple[str, ...],
        _judge("Exclude source inputs from these corpora of the suite", "CORPUS,..."),
    ] = ()
    early_stop: Annotated[
        bool,
        _judge(
            "Ask no more once a loss is certain, or none is likely to be found; see "
            "docs/decisions.md#early-stop"
        ),
    ] = False
    record_missing: Annotated[
        bool, _judge("Record the baseline if its file does not exist yet")
    ] = False
    mask_offensive: Annotated[
        bool, _judge("Mask offensive words in reports, where the suite names them")
    ] = True
    cache: Annotated[
        Path | None,
        _judge(
            "Folder that keeps predictions, exports and answers of language tools for later runs",
            "DIR",
            default_text="the user's cache",
        ),
    ] = None
    answers: Annotated[
        Answers,
        _judge(
            "What a boolq checkpoint calls yes and no; see docs/checkpoints.md",
            "yes=TEXT,no=TEXT",
            of_checkpoints=True,
        ),
    ] = {}
    label_map: Annotated[
        LabelMap,
        _judge(
            "What labels of a text system the suite's are; see docs/labels.md",
            "LABEL=NAME|NAME,...",
        ),
    ] = {}
    threshold: Annotated[
        Thresholds,
        _judge(
            "Score from which on a text system decides for a label, T for all labels or "
            "LABEL=T,... by name",
            "T",
        ),
    ] = {}
    max_length: Annotated[
        Tokens | None,
        _judge(
            "Most tokens in an input",
            "N",
            default_text="what the checkpoint takes",
            of_checkpoints=True,
        ),
    ] = None
    ontology: Annotated[
        Place,
        _judge(
            "What the labels of a re system mean; see docs/ontologies.md",
            "NAME|FILE",
            default_text="the one that comes with mt-gate and has them",
        ),
    ] = ""


def _settings() -> Iterator[Setting]:
    hints = get_type_hints(Settings, include_extras=True)
    for field in fields(Settings):
        hint, default = hints[field.name], field.default
        [about] = [item for item in hint.__metadata__ if isinstance(item, Setting)]
        optional = type(None) in get_args(hint.__origin__)
        form = next(iter(get_args(hint.__origin__))) if optional else hint
        plain = form.__origin__ if get_origin(form) is Annotated else form
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        yield about._replace(
            stored=about.stored or about.decides,
            name=field.name,
            form=form,
            kind=get_origin(plain) or plain,
            default=None if default is msgspec.NODEFAULT else default,
        )


SETTINGS = {setting.name: setting for setting in _settings()}
"""Every setting by name, in the order in which they are shown."""
STORED = tuple(name for name, setting in SETTINGS.items() if setting.stored)
DECIDING = tuple(name for name, setting in SETTINGS.items() if setting.decides)
OPTIONS = (
    "checkpoint",
    "system",
    "suite",
    "precision",
    "system_environment",
    "labels",
    "answers",
    "max_length",
    "ontology",
)
"""What a result keeps as the user gave it, so that its command repeats the run."""


def dashed(name: str) -> str:
    """Return a setting's name as files, options and inputs have it."""
    return name.replace("_", "-")


def of(values: Mapping[str, Any], whose: Whose) -> dict[str, Any]:
    """Return those of ``values`` that belong to ``whose``."""
    return {name: value for name, value in values.items() if SETTINGS[name].whose is whose}
