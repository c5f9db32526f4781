"""Settings files, inputs of the action, events, pull requests, and caches."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hostile.models import outside
from hostile.running import Case, Ground, gate, limits
from making_pull_requests import Forge, event, of_pull_request

CONFIG = (
    r"mt-gate\.toml.*(TOML|fix|must|pass|see|expected|known|regular|link|not exist|has no|check"
    r"|bytes|/proc|folder|FIFO)"
)
SETTING = (
    r"(--|INPUT_|mt-gate\.toml|checkpoint|suite|baseline|system|relation)"
    r".*(expected|known|name|fix|must|pass|see|give|leave|neither|not exist)"
    r"|check --config"
)
EVENT = (
    r"(baseline|event|GITHUB_EVENT_PATH|mt-gate\.toml)"
    r".*(expected|event|base|commit|set baseline-from)"
)
GREEN, RED, NEVER_GREEN = (0,), (1,), (1, 3)

# Settings files


def of(
    identity: str, content: bytes | str, line: str = CONFIG, codes: tuple[int, ...] = (2, 3)
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.write("mt-gate.toml", content)
        return gate(ground)

    return Case(f"toml-{identity}", made, line, codes)


def put(identity: str, make: Callable[[Path], object], codes: tuple[int, ...] = (2, 3)) -> Case:
    def made(ground: Ground) -> list[str]:
        path = ground.folder / "mt-gate.toml"
        if make is outside:
            target = ground.folder.parent / "elsewhere.toml"
            target.write_text("margin = 0.5\n")
            path.symlink_to(target)
        else:
            make(path)
        # Named: a file that is not named need not be there.
        return gate(ground, "--config", "mt-gate.toml")

    return Case(f"toml-{identity}", made, CONFIG, codes)


def program(words: str) -> str:
    code = (
        f"import os, json, sys; {words}\n"
        "for line in sys.stdin:\n"
        "    answer = {'id': json.loads(line)['id'], 'entities': []}\n"
        "    print(json.dumps(answer), flush=True)"
    )
    return f'command:{sys.executable} -c "{code}"'


RUN = "open('ran', 'w')"
TELL = "open('environment', 'w').write(repr(dict(os.environ)))"


def own_system(ground: Ground) -> list[str]:
    suite = ground.take("suite")
    return [
        "run",
        "--system",
        program(TELL),
        "--task",
        "ner",
        "--suite",
        str(suite),
        "--out",
        "out",
    ]


FILES = [
    put("missing", lambda _: None),
    put("fifo", os.mkfifo),
    put("link-out", outside),
    of("secret", "AWS_SECRET_ACCESS_KEY=abc\n", r"mt-gate\.toml:? (?!.*abc)"),
    of("nested-lists", "a = " + "[" * 100_000),
    of("of-commands", '"x\\n::set-output name=verdict::pass" = 1\n'),
    of("not-a-number", "alpha = nan\n"),
    of("text-for-a-number", 'margin = "x\\n::set-output name=a::b\\u001b[31m"\n'),
    of("relation-unknown", 'relations = ["x\\n::set-output name=a::b"]\n', SETTING),
]


def flags(identity: str, line: str, codes: tuple[int, ...] = (2, 3), /, **named: str) -> Case:
    return Case(f"flag-{identity}", lambda ground: gate(ground, **named), line, codes)


COMMANDS = [
    Case("cache-of-the-process", lambda g: gate(g, cache="/proc/self"), "cache", (0, 2, 3)),
    Case("own-program", own_system, "", GREEN),
    flags("out-of-the-process", "out", out="/proc/self/fdinfo/out"),
    flags("out-below-a-file", "out", out="checkpoint/model.onnx/out"),
    flags("checkpoint-of-the-process", "checkpoint", checkpoint="/proc/self"),
    flags("baseline-of-the-process", "/proc/self/environ", baseline="/proc/self/environ"),
    Case(
        "flag-system-of-commands",
        lambda _: ["run", "--system", "x\n::set-output name=a::b", "--task", "ner"],
        "system",
        (2, 3),
    ),
]


# The action


def step(ground: Ground, **inputs: str) -> list[str]:
    ground.in_workflow = True
    for name in ("checkpoint", "suite", "baseline.json"):
        if not os.path.lexists(ground.folder / name):
            ground.take(name)
    bounds = {flag[2:]: value for flag, value in zip(*[iter(limits())] * 2, strict=True)}
    wanted = {
        "checkpoint": str(ground.folder / "checkpoint"),
        "suite": str(ground.folder / "suite"),
        "baseline": "baseline.json",
        "task": "ner",
        "comment": "never",
        "device": "cpu",
        "cache": str(ground.folder / "cache"),
        "out": "out",
        **bounds,
        **inputs,
    }
    ground.environment |= {
        f"INPUT_{name.upper().replace('_', '-')}": v for name, v in wanted.items()
    }
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        ground.environment.setdefault(name, str(ground.folder / name.lower()))
    return ["action"]


def action(
    identity: str, line: str = SETTING, codes: tuple[int, ...] = (2, 3), /, **inputs: str
) -> Case:
    return Case(f"action-{identity}", lambda ground: step(ground, **inputs), line, codes)


def handed(
    identity: str,
    name: str,
    make: Callable[[Path], object],
    codes: tuple[int, ...],
    worse: bool = False,
) -> Case:
    def made(ground: Ground) -> list[str]:
        path = ground.folder / "handed"
        make(path)
        ground.environment[name] = str(path)
        if worse:
            ground.take("worse", "checkpoint")
        return step(ground)

    return Case(
        f"action-{name.lower()}-{identity}{'-worse' * worse}", made, "GITHUB|output|summary", codes
    )


UNWRITABLE: Mapping[str, Callable[[Path], object]] = {
    "full": lambda path: path.symlink_to("/dev/full"),
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
}
EVIL = "x\n::set-output name=verdict::pass\n##[error]x\x1b[31m"
ACTIONS = [
    action("margin-infinite", margin="1e999"),
    action("baseline-commands", baseline=EVIL),
    action("comment-unknown", SETTING, (0, 2, 3), comment=EVIL),
    action("out-device", "out", out="/dev/full"),
    *(
        handed(identity, name, make, (1, 3) if worse else (0, 3), worse)
        for name, identity, make, worse in (
            ("GITHUB_STEP_SUMMARY", "full", UNWRITABLE["full"], False),
            ("GITHUB_STEP_SUMMARY", "fifo", UNWRITABLE["fifo"], True),
            ("GITHUB_OUTPUT", "folder", UNWRITABLE["folder"], True),
        )
    ),
]


# Events and pull requests


def of_event(
    identity: str,
    make: Callable[[Path], object] | bytes | object,
    codes: tuple[int, ...] = (3,),
    name: str = "pull_request",
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.repository = workspace(ground, {}, {})
        path = ground.folder / "stranger.json"
        if callable(make):
            make(path)
        else:
            path.write_bytes(make if isinstance(make, bytes) else json.dumps(make).encode())
        ground.environment |= {"GITHUB_EVENT_PATH": str(path), "GITHUB_EVENT_NAME": name}
        return step(ground, baseline="baselines/ner.json")

    return Case(f"event-{identity}", made, EVENT, codes)


def workspace(ground: Ground, base: dict[str, bytes], change: dict[str, bytes]) -> Path:
    forge = Forge(ground.folder / "forge")
    good = (ground.good / "baseline.json").read_bytes()
    before = forge.base({"README": b"x", "baselines/ner.json": good, **base})
    head, merge = forge.pull_request(before, {"README": b"y", **change})
    ground.environment |= event(ground.folder, "pull_request", of_pull_request(before, head), merge)
    return forge.check_out(ground.folder / "workspace")


def proposed(
    identity: str,
    change: dict[str, str],
    line: str = r"\S",
    codes: tuple[int, ...] = NEVER_GREEN,
    *,
    base: str = "",
    inputs: Mapping[str, str] = {},
    without: tuple[str, ...] = (),
) -> Case:
    def made(ground: Ground) -> list[str]:
        ground.take("worse", "checkpoint")
        ground.take("boolq-suite")
        files = {name: text.format(folder=ground.folder).encode() for name, text in change.items()}
        ground.repository = workspace(
            ground, {"mt-gate.toml": base.encode()} if base else {}, files
        )
        arguments = step(ground, baseline="baselines/ner.json", **inputs)
        for name in without:
            ground.environment.pop(f"INPUT_{name.upper()}", None)
        return arguments

    return Case(f"pull-request-{identity}", made, line, codes)


def toml(**values: Any) -> dict[str, str]:
    result = "".join(f"{name.replace('_', '-')} = {json.dumps(v)}\n" for name, v in values.items())
    return {
        "mt-gate.toml": result.replace("{", "{{")
        .replace("}", "}}")
        .replace("{{folder}}", "{folder}")
    }


SYSTEM = toml(system=program(RUN))
SHA = "0" * 40
EVENTS = [
    *(
        of_event(identity, make)
        for identity, make in {
            "fifo": os.mkfifo,
            "brackets": b"[" * 500_000,
            "secret": b"AWS_SECRET_ACCESS_KEY=abc",
            "option": of_pull_request("--upload-pack=touch ran", SHA),
            "commands": of_pull_request(EVIL, EVIL),
        }.items()
    ),
    of_event("merge-group-of-nothing", {"merge_group": {"base_sha": SHA}}, (3,), "merge_group"),
]
POLICY = {"mt-gate.toml": '[policy.tasks.ner]\ntier = "report"\nmargin = 0.99\n'}
_STRICTER = '[policy.relations."ner/structural"]\ntier = "block"\nrequired = true\n'
PULL_REQUESTS = [
    proposed("worse", {}, codes=RED),
    proposed("program", SYSTEM, without=("checkpoint",)),
    proposed("program-and-checkpoint", SYSTEM),
    *(
        proposed(f"toml-{identity}", reason, codes=(1, 2, 3), base=base)
        for identity, reason, base in (
            ("margin", toml(margin=0.99), ""),
            ("margin-over-the-base", toml(margin=0.99), "margin = 0.01\n"),
            ("policy-over-the-base", POLICY, _STRICTER),
            ("policy-taken-away", {"mt-gate.toml": ""}, _STRICTER),
            ("labels", toml(labels="/etc/hostname"), ""),
            ("baseline", toml(baseline="mine.json"), ""),
            ("broken", {"mt-gate.toml": "["}, "strict = true\n"),
        )
    ),
    proposed("baseline-emptied", {"baselines/ner.json": "{{}}"}, codes=RED),
    proposed("baseline-link", {"baselines/ner.json": "../../result"}, codes=RED),
    proposed("cache-of-its-own", {"cached/predictions/x.sqlite": "x"}, inputs={"cache": "cached"}),
    proposed(
        "git-attributes",
        {
            ".gitattributes": "* filter=evil\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = "ext::touch ran"\n',
        },
        codes=RED,
    ),
]


CASES = [*FILES, *COMMANDS, *ACTIONS, *EVENTS, *PULL_REQUESTS]
