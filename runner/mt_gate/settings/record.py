"""The settings of a run, one record each.

A field of ``Settings`` defines type, constraints and default; its ``Setting`` adds the help text,
its origin on a pull request, and whether it decides a verdict and is stored. They define the
options of the commands (``commands/options.py``), the inputs of the action, the keys of
``mt-gate.toml``, the stored settings (``results.result.RunSettings``), the settings that
``mt-gate compare`` can change, and the command that repeats a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta
from msgspec.structs import fields

from mt_gate.base.errors import page
from mt_gate.settings.policy import LINE, Limit, Margin, Policy, worded
from mt_gate.tasks.table import TASKS

CONFIG, OUT = Path("mt-gate.toml"), Path("mt-gate-out")
DEVICES = ("auto", "cpu", "cuda")
FP32 = "fp32"
"""Default precision of an export."""
PRECISIONS = (FP32, "fp16", "int8")
ONNX, TORCH = BACKENDS = ("onnx", "torch")
ANSWERS = tuple(dict.fromkeys(answer for task in TASKS.values() for answer in task.answers))
"""Outputs for which a checkpoint may use different words: yes and no."""
MOST_RELATIONS, MOST_LABELS = 200, 1000


class Whose(Enum):
    """Whose value of a setting counts when a pull request or merge group is judged."""

    JUDGE = auto()
    """The base's: the setting names a program, decides a verdict, or affects later steps."""
    TESTED = auto()
    """The pull request's: the setting names what is tested; reports show a change."""
    PLACE = auto()
    """The pull request's: the setting says where to compute, which does not affect a verdict."""


class Setting(NamedTuple):
    """Description of a setting; the last four fields come from its field in ``Settings``."""

    help: str  # a sentence without its full stop
    metavar: str = ""
    link: str = ""  # a page about it
    default_text: str = ""  # words shown as the default if there is no default value
    decides: bool = False  # a verdict; ``compare`` may use another value for a stored result
    stored: bool = False  # with a result, like all that decide; such a setting cannot be None
    of_checkpoints: bool = False  # rejected with --system
    of_endpoints: bool = False  # rejected without --system openai:
    names: Callable[[], Iterable[str]] | None = None  # the allowed values, if a table has them
    whose: Whose = Whose.JUDGE
    # If deprecated: since which version, what to use instead, and which version removes it.
    deprecated: str = ""
    name: str = ""
    form: Any = None  # the type of a value with constraints; ``kind`` is without
    kind: Any = None
    default: Any = None


def one_of(names: Iterable[str]) -> Meta:
    """Return the constraint that a text is one of these names."""
    pattern = rf"\A(?:{'|'.join(map(re.escape, names))})\Z"
    extra = {"expected": f"one of: {', '.join(names)}", "names": (*names,)}
    return Meta(extra=extra, pattern=pattern)


Text = Annotated[str, worded("a text that is not empty", pattern=r"\A(?=[^\0]*\S)[^\0]*\Z")]
Place = Annotated[Text, Meta(extra={"path": True})]
"""A path that the file system accepts, or a name used in place of a path."""
GateName = Annotated[str, worded("a line of 1 to 100 characters", pattern=LINE, max_length=100)]
Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Times = Annotated[int, Meta(ge=1, le=25)]
Requests = Annotated[int, Meta(ge=1, le=64)]
Cost = Annotated[float, Meta(ge=1e-6, le=1e9)]
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
"""Limits by relation; ``*`` is for all that are not named."""
LabelMap = Annotated[
    Mapping[Annotated[str, _LABEL], Annotated[tuple[Annotated[str, _LABEL], ...], _SOME]],
    worded("LABEL=NAME|NAME,... with one name or more for each label", max_length=MOST_LABELS),
]
"""The system's labels, by the label of the suite that they mean."""
Thresholds = Annotated[
    Mapping[Annotated[str, _LABEL], Limit],
    worded(f"thresholds of at most {MOST_LABELS} labels", max_length=MOST_LABELS),
]
"""Thresholds by label; ``*`` is for all that are not named."""
Variables = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[A-Za-z_][A-Za-z0-9_]{0,99}\Z")], ...],
    worded("names of environment variables, such as OUR_KEY, and no values"),
]
Answers = Annotated[
    Mapping[Annotated[str, one_of(ANSWERS)], Text],
    worded("yes=TEXT,no=TEXT, two different texts", min_length=2, max_length=2),
]


_judge = partial(Setting, whose=Whose.JUDGE)
_decides = partial(Setting, decides=True)
_tested = partial(Setting, whose=Whose.TESTED)
_place = partial(Setting, whose=Whose.PLACE)
_endpoint = partial(Setting, of_endpoints=True)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a run, named like the options, with underscores.

    Either ``checkpoint`` or ``system`` is set, and the other is empty.
    """

    checkpoint: Annotated[
        Place,
        _tested("Test this checkpoint: a Hugging Face folder, or an export of mt-gate", "PATH"),
    ] = ""
    system: Annotated[
        Text, _judge("Test another system instead of a checkpoint", "KIND:WHAT", page("systems"))
    ] = ""
    task: Annotated[str, _judge(f"Task, one of: {', '.join(TASKS)}", "TASK", names=TASKS.keys)]
    suite: Annotated[
        Place,
        _judge(
            "Run this suite: a built-in one, or a folder",
            "NAME|DIR",
            default_text="TASK-default, or text-robustness for task text",
        ),
    ]
    baseline: Annotated[Path | None, _judge("Compare with this baseline file", "FILE")] = None
    against: Annotated[
        Place,
        _judge(
            "Compare with this checkpoint or system, run in the same job, instead of a baseline",
            "PATH|KIND:WHAT",
            page("qualify"),
        ),
    ] = ""
    out: Annotated[Path, _judge("Write files to this folder", "DIR")] = OUT
    name: Annotated[
        GateName, _judge("Name of this gate in reports", "GATE", default_text="the task")
    ] = ""
    device: Annotated[
        str, one_of(DEVICES), _place(f"Compute on this device: {', '.join(DEVICES)}", "DEVICE")
    ] = "auto"
    precision: Annotated[
        Precision | None,
        _tested(
            f"Export a Hugging Face checkpoint in this precision: {', '.join(PRECISIONS)} "
            "(8-bit weights, fp32 arithmetic)",
            "PRECISION",
            default_text="as exported, or fp32",
            of_checkpoints=True,
        ),
    ] = None
    backend: Annotated[
        str,
        one_of(BACKENDS),
        _tested(
            "Run a Hugging Face checkpoint with ONNX Runtime (onnx) or PyTorch (torch, slower)",
            "BACKEND",
            page("checkpoints", "pytorch"),
            of_checkpoints=True,
        ),
    ] = ONNX
    threads: Annotated[
        Threads | None,
        _place(
            "Compute with this many CPU threads",
            "N",
            default_text="all usable cores",
            of_checkpoints=True,
        ),
    ] = None
    base_precision: Annotated[
        Precision | None,
        _judge(
            "Precision of the base checkpoint", "PRECISION", default_text="as exported, or fp32"
        ),
    ] = None
    base_device: Annotated[
        Device | None,
        _judge("Device of the base checkpoint", "DEVICE", default_text="the same device"),
    ] = None
    base_threads: Annotated[
        Threads | None,
        _judge("CPU threads of the base checkpoint", "N", default_text="all usable cores"),
    ] = None
    endpoint: Annotated[
        Text,
        _endpoint(
            "Base URL of the endpoint of --system openai:MODEL", "URL", page("language-models")
        ),
    ] = ""
    prompt: Annotated[
        Path | None,
        _endpoint("Prompt of a language model, as text or TOML", "FILE", whose=Whose.TESTED),
    ] = None
    base_prompt: Annotated[
        Path | None, _endpoint("Prompt of the base", "FILE", default_text="the same prompt")
    ] = None
    repeats: Annotated[
        Times, _endpoint("Run each input this many times, use the most frequent prediction", "N")
    ] = 1
    concurrency: Annotated[
        Requests,
        _endpoint("Send this many requests at the same time", "N", whose=Whose.PLACE),
    ] = 8
    max_requests: Annotated[
        Count | None, _endpoint("Send at most this many requests", "N", default_text="no limit")
    ] = None
    max_cost: Annotated[
        Cost | None,
        _endpoint(
            "Stop before the requests cost more than this, at the prompt's prices",
            "C",
            default_text="no limit",
        ),
    ] = None
    timeout: Annotated[Seconds, _judge("Wait at most this many seconds for a prediction", "S")] = (
        60.0
    )
    max_memory: Annotated[
        Gigabytes | None,
        _judge(
            "Limit the memory of a checkpoint, in GiB",
            "GIB",
            default_text="4 plus 4 times the size of its files",
            of_checkpoints=True,
        ),
    ] = None
    system_environment: Annotated[
        Variables,
        _judge(
            "Pass these environment variables to a command, in addition to harmless ones like PATH",
            "NAME,...",
            page("systems"),
        ),
    ] = ()
    alpha: Annotated[Alpha, _decides("Significance level", "A")] = 0.05
    margin: Annotated[
        Margin,
        _decides("Allowed rise of a violation rate, or drop of an accuracy (0.01 = 1 point)", "M"),
    ] = 0.01
    strict: Annotated[
        bool,
        _decides("Require proof of no regression: fail unless the 95% CI stays within the margin"),
    ] = False
    max_applicability_loss: Annotated[
        Limit,
        _decides("Allowed drop in prediction coverage, in absolute terms (0.1 = 10 points)", "L"),
    ] = 0.10
    max_applicability_drop: Annotated[
        Limit, _decides("Allowed relative drop in a relation's testable cases (0.5 = half)", "D")
    ] = 0.5
    max_violation_rate: Annotated[
        Rates,
        _decides(
            "Limit the violation rate, for all relations (R) or by name (RELATION=R,...)", "R"
        ),
    ] = {}
    must_hold: Annotated[
        GroupIds, _decides("Cases that must not be violated, by id", "ID,...")
    ] = ()
    required: Annotated[
        RelationIds, _decides("Relations that must be compared with the baseline", "ID,...")
    ] = ()
    max_churn: Annotated[
        Limit,
        _decides("Allowed share of changed predictions (the lower end of its 95% CI counts)", "C"),
    ] = 1.0
    max_negative_flips: Annotated[
        Limit,
        _decides(
            "Allowed share of labelled inputs that become wrong (without --labels: of cases newly "
            "violated)",
            "F",
        ),
    ] = 1.0
    policy: Annotated[
        Policy,
        _decides(
            "Relations that block, warn or report, in TOML like the table policy of mt-gate.toml",
            "TOML",
            page("policy"),
        ),
    ] = Policy()
    retrained: Annotated[
        bool,
        _decides(
            "The checkpoint was trained again: allow for the variation between trainings",
            link=page("baselines", "a-retrained-checkpoint"),
        ),
    ] = False
    labels: Annotated[
        Path | None, _judge("Read labelled inputs from this file", "FILE", page("evaluate"))
    ] = None
    relations: Annotated[
        RelationIds, _judge("Run only these relations", "ID,...", stored=True)
    ] = ()
    sources: Annotated[
        Count | None,
        _judge("Run a seeded sample of this many source texts", "N", default_text="all"),
    ] = None
    exclude: Annotated[
        tuple[str, ...], _judge("Exclude source texts from these corpora", "CORPUS,...")
    ] = ()
    early_stop: Annotated[
        bool,
        _judge(
            "Stop early once a regression is certain, or unlikely to be detected",
            link=page("decisions", "early-stop"),
        ),
    ] = False
    record_missing: Annotated[
        bool, _judge("Record the baseline if its file does not exist yet")
    ] = False
    mask_offensive: Annotated[
        bool, _judge("Mask offensive words in reports, if the suite lists them")
    ] = True
    cache: Annotated[
        Path | None,
        _judge(
            "Cache predictions, exports and results of language tools in this folder",
            "DIR",
            default_text="the user's cache",
        ),
    ] = None
    answers: Annotated[
        Answers,
        _judge(
            "Texts that a boolq checkpoint uses for yes and no",
            "yes=TEXT,no=TEXT",
            page("checkpoints"),
            of_checkpoints=True,
        ),
    ] = {}
    label_map: Annotated[
        LabelMap,
        _judge(
            "Map the suite's labels to your model's, e.g. hateful=LABEL_1",
            "LABEL=NAME|NAME,...",
            page("labels", "label-map"),
        ),
    ] = {}
    threshold: Annotated[
        Thresholds,
        _judge(
            "Decision threshold, for all labels (0.8) or per label (hateful=0.8)",
            "T",
            page("labels", "threshold"),
        ),
    ] = {}
    max_length: Annotated[
        Tokens | None,
        _judge(
            "Limit the tokens of an input",
            "N",
            default_text="the checkpoint's maximum",
            of_checkpoints=True,
        ),
    ] = None
    ontology: Annotated[
        Place,
        _judge(
            "Define what the labels of a re model mean",
            "NAME|FILE",
            page("ontologies"),
            default_text="the built-in one that defines them",
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
    "name",
    "precision",
    "backend",
    "system_environment",
    "endpoint",
    "prompt",
    "base_prompt",
    "repeats",
    "labels",
    "answers",
    "max_length",
    "ontology",
)
"""Settings that a result stores as the user wrote them, so that its command repeats the run."""


def dashed(name: str) -> str:
    """Return a setting's name with hyphens, as in files, options and inputs."""
    return name.replace("_", "-")


def of(values: Mapping[str, Any], whose: Whose) -> dict[str, Any]:
    """Return those of ``values`` that belong to ``whose``."""
    return {name: value for name, value in values.items() if SETTINGS[name].whose is whose}
