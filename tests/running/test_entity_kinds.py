"""Which labels of a system mean each kind, and maps that make little sense."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mt_gate.running.entity_kinds import guess_labels
from mt_gate_suites.templates.builder import Sizes, build_templates

TEMPLATES = """
language = "en"
first_names = ["Anna", "Ben", "Cleo", "Dora", "Emil"]
family_names = ["Moss", "Hale", "Finch", "Stone", "Reed"]
[[template]]
context = "chat"
text = "My number is {phone} and my mail is {email} thanks"
[[template]]
context = "chat"
text = "This is {person} speaking"
[[template]]
context = "form"
text = "Mail: {email}"
[[look_alike]]
kind = "order"
text = "Order ##-## ships."
"""
MORE = "".join(
    f"[[template]]\ncontext = 'form'\ntext = 'Form {number}: {{email}} or {{phone}} please'\n"
    for number in range(12)
)
PROGRAM = """
import json, re, sys
labels = json.loads(sys.argv[1])
system = {"name": "rules", "fingerprint": sys.argv[1], "labels": labels["says"]}
print(json.dumps({"system": system}), flush=True)
for line in sys.stdin:
    item = json.loads(line)
    found = []
    for name, rule in labels["rules"].items():
        found += [[*m.span(), name] for m in re.finditer(rule, item["text"])]
    if labels["off"]:  # the border of a chunk, at the 20th character, is off by one
        found = [[a + (a >= 20), b + (a >= 20), name] for a, b, name in found]
        found = [one for one in found if one[1] <= len(item["text"])]
    print(json.dumps({"id": item["id"], "entities": sorted(found)}), flush=True)
"""
MAIL, PHONE = r"[\w.]+@[\w.]+\w", r"(\+|00)\d[\d ()-]+\d"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("templates")
    (folder / "en.toml").write_text(TEMPLATES + MORE)
    build_templates(
        [folder / "en.toml"], folder / "suite", lambda _: None, name="own", licence="x",
        sizes=Sizes(fills=5),
    )  # fmt: skip
    return folder / "suite"


@pytest.fixture
def run(command: Callable, suite: Path, tmp_path: Path) -> Callable[..., Any]:
    (tmp_path / "rules.py").write_text(PROGRAM)

    def run_rules(
        rules: dict[str, str], *options: str, says: list[str] | None = None, off: bool = False
    ) -> Any:
        stated = [*rules] if says is None else says
        argument = json.dumps({"says": stated, "rules": rules, "off": off})
        system = f"command:{sys.executable} rules.py '{argument}'"
        fixed = ("run", "--task", "ner", "--suite", suite, "--system", system, "--out", "out")
        return command(*fixed, *options)

    return run_rules


def relations(folder: Path) -> dict[str, dict[str, Any]]:
    result = json.loads((folder / "out" / "result.json").read_text())
    return {relation["id"]: relation for relation in result["relations"]}


@pytest.mark.parametrize(
    ("kind", "labels", "guessed"),
    [
        ("email", ["EMAIL_ADDRESS", "PHONE"], ("EMAIL_ADDRESS",)),
        ("person", ["GIVENNAME", "SURNAME", "private_person"], None),
        ("person", ["ORG", "LOC"], ()),
        ("card-number", ["CREDIT_CARD", "CardNum", "US_SSN"], ("CREDIT_CARD", "CardNum")),
        ("iban", ["Iban-Code"], ("Iban-Code",)),
        ("badge", ["BADGE", "badge_number"], ("BADGE",)),
    ],
)  # fmt: skip
def test_labels_are_guessed_by_their_names(
    kind: str, labels: list[str], guessed: tuple[str, ...] | None
) -> None:
    assert guess_labels(kind, labels) == (tuple(sorted(labels)) if guessed is None else guessed)


def test_kinds_without_a_label_are_skipped_by_name(run: Callable, tmp_path: Path) -> None:
    answer = run({"EMAIL_ADDRESS": MAIL})
    assert answer.code == 0
    counted = relations(tmp_path)["ner/known-answer"]
    parts = {part["name"]: part["applicable"] for part in counted["slices"]}
    assert parts["kind: email"] > 0
    assert (parts["kind: person"], parts["kind: phone"]) == (0, 0)
    assert counted["violated"] == 0
    assert f"Misses 0 of {counted['applicable']} personal values" in answer.out
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["checkpoint"]["label_map"] == {"email": ["EMAIL_ADDRESS"]}
    assert any("EMAIL_ADDRESS" in note for note in result["notes"])
    assert any(note.endswith("omits them: person, phone") for note in result["notes"])


def test_a_map_joins_names(run: Callable, tmp_path: Path) -> None:
    rules = {
        "FIRST": r"\b(Anna|Ben|Cleo|Dora|Emil)\b",
        "LAST": r"\b(Moss|Hale|Finch|Stone|Reed)\b",
    }
    answer = run(rules, "--label-map", "person=FIRST|LAST")
    assert answer.code == 0
    assert relations(tmp_path)["ner/known-answer"]["violated"] == 0


@pytest.mark.parametrize(
    ("rules", "options", "code", "says"),
    [
        ({"EMAIL": MAIL}, ("--label-map", "mail=EMAIL"), 2, "Did you mean 'email'?"),
        ({"EMAIL": MAIL}, ("--label-map", "email=EMIAL"), 2, "Did you mean 'EMAIL'?"),
        ({"ORG": "x"}, (), 3, "none"),
        (
            {"EMAIL": MAIL, "PHONE": PHONE},
            ("--label-map", "email=PHONE,phone=EMAIL"),
            3,
            "The label map is probably wrong. Try",
        ),
    ],
)  # fmt: skip
def test_maps_that_make_no_sense(
    run: Callable, rules: dict[str, str], options: tuple[str, ...], code: int, says: str
) -> None:
    answer = run(rules, *options)
    assert answer.code == code
    assert (says if says != "none" else "Map them: --label-map") in answer.err + answer.out


def test_a_system_that_states_no_labels_needs_a_map(run: Callable) -> None:
    answer = run({"EMAIL": MAIL}, says=[])
    assert answer.code == 3
    assert "does not state its labels" in answer.err + answer.out
    assert run({"EMAIL": MAIL}, "--label-map", "email=EMAIL", says=[]).code == 0


def test_a_renamed_label_is_no_pass(run: Callable, command: Callable) -> None:
    assert run({"EMAIL": MAIL, "PHONE": PHONE}).code == 0
    command("baseline", "record", "out", "--name", "rules")
    renamed = ({"CONTACT": MAIL, "PHONE": PHONE}, "--baseline", "baselines/rules.json")
    answer = run(*renamed)
    assert answer.code == 3
    assert "recorded with a label for email, but rules has none. Map it" in answer.err
    assert run(*renamed, "--label-map", "email=CONTACT").code == 0


RULES = {"EMAIL": MAIL, "PHONE": PHONE}
KNOWN = 'relations."ner/known-answer"'


def test_a_kind_has_its_own_margin(run: Callable, command: Callable) -> None:
    assert run(RULES).code == 0
    command("baseline", "record", "out", "--name", "rules")
    compared = (
        {**RULES, "EMAIL": r"[\w.]+@[\w.]*example\.org"},
        "--baseline",
        "baselines/rules.json",
    )
    shown = ("--relations", "ner/known-answer", "--policy")
    assert run(*compared, *shown, f"{KNOWN}.margin = 0.99").code == 0
    of_email = f"{KNOWN} = {{margin = 0.99, slices = {{'kind: email' = 0}}}}"
    answer = run(*compared, *shown, of_email)
    assert answer.code == 1
    assert "kind email" in answer.out
    misspelt = run(*compared, *shown, of_email.replace("kind: email", "kind: mail"))
    assert misspelt.code == 2
    assert "Did you mean 'kind: email'?" in misspelt.err


def test_a_border_of_chunks_that_is_off_by_one(run: Callable, command: Callable) -> None:
    assert run(RULES).code == 0
    command("baseline", "record", "out", "--name", "rules")
    answer = run(RULES, "--baseline", "baselines/rules.json", off=True)
    assert answer.code == 1


@pytest.mark.parametrize(
    ("entities", "says"),
    [
        ('[["Anna Moss", "EMAIL"]]', "entities"),
        ('[[0, 9000, "EMAIL"]]', "Expected offsets in code points"),
        ('[[3, 3, "EMAIL"]]', "Expected offsets in code points"),
        ('[[0, 2, ""]]', "Expected 1"),
        ('"Anna Moss"', "entities"),
    ],
)
def test_predictions_that_are_no_spans(
    entities: str, says: str, command: Callable, suite: Path, tmp_path: Path
) -> None:
    program = PROGRAM[: PROGRAM.index("    found = []")]
    program += f"    print(json.dumps({{'id': item['id'], 'entities': {entities}}}), flush=True)\n"
    (tmp_path / "rules.py").write_text(program)
    argument = json.dumps({"says": ["EMAIL"]})
    system = f"command:{sys.executable} rules.py '{argument}'"
    answer = command("run", "--task", "ner", "--suite", suite, "--system", system, "--out", "out")
    assert answer.code == 3
    assert says in answer.out + answer.err


def test_shards_and_their_merge_know_the_kinds(
    run: Callable, command: Callable, tmp_path: Path
) -> None:
    whole = run(RULES)
    for number in (1, 2):
        assert run(RULES, "--shard", f"{number}/2", "--out", f"shard-{number}").code == 0
    merged = command("merge", "shard-1", "shard-2", "--out", "merged")
    assert merged.out.replace("merged", "out") == whole.out
    rows = [
        gzip.decompress((tmp_path / name / "groups.jsonl.gz").read_bytes()).splitlines()
        for name in ("out", "merged")
    ]
    assert [json.loads(row)["verdict"] for row in rows[0]] == [
        json.loads(row)["verdict"] for row in rows[1]
    ]


def test_a_margin_for_a_kind_with_too_few_cases_is_not_silent(
    run: Callable, command: Callable, tmp_path: Path
) -> None:
    assert run(RULES).code == 0
    command("baseline", "record", "out", "--name", "rules")
    policy = f"{KNOWN}.slices = {{'kind: email' = 0, 'kind: person' = 0}}"
    answer = run(RULES, "--baseline", "baselines/rules.json", "--policy", policy)
    assert answer.code == 0
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    (note,) = [note for note in result["baseline"]["notes"] if "Too few cases to test" in note]
    assert note.endswith(": kind: person")
    assert note in answer.out
