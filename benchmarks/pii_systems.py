"""Misses and false alarms of taggers of personal data on pii-default, by kind.

    python benchmarks/pii_systems.py --presidio PYTHON --pipeline en_core_web_sm --write

Runs the reference checkpoint in three precisions, a program of regular expressions, and Presidio in
the environment of PYTHON (English only); writes the tables of results/pii.md. Recall is computed
again by nervaluate from the stored predictions, and must be equal.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nervaluate.evaluator import Evaluator

from fault_bench.exported import derive
from fault_bench.faults import planned
from fault_bench.optimising import change_of
from mt_gate.relations.base import Context
from mt_gate.relations.ner.known_entities import find_error, plain_name
from mt_gate.suites.format import SHIPPED, read_suite
from page_tables import markdown, put

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).parent / "results" / "pii.md"
SUITE = "pii-default"
FOUR_BITS = 7
"""Steps on either side of 0 that weights of 4 bits have."""
OTHERS = "de,es,fr,hi,it,nl,pt,zh"
RULES = {
    "EMAIL": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "IP": r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
    "IBAN": r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
    "CARD_NUMBER": r"\b(?:\d[ -]?){13,19}\b",
    "PHONE": r"(?:\+|00)\d[\d ()-]{7,17}\d",
    "URL": r"https?://[^\s\"'<>]+",
    "MAC": r"\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
}
PROGRAM = f"""
import json, re, sys
RULES = {RULES!r}
system = {{"name": "rules", "fingerprint": "1", "labels": [*RULES]}}
print(json.dumps({{"system": system}}), flush=True)
for line in sys.stdin:
    item = json.loads(line)
    found = [
        [m.start(), m.start() + len(m[0].rstrip()), name]
        for name, rule in RULES.items() for m in re.finditer(rule, item["text"])
    ]
    print(json.dumps({{"id": item["id"], "entities": found}}), flush=True)
"""


class Tested(NamedTuple):
    """A system's name in the table, and what the run says."""

    name: str
    result: Mapping[str, Any]
    rows: list[Mapping[str, Any]]


def code_of(page: Path, name: str) -> str:
    """Return the program of a page's code block whose first line is its name."""
    _, _, rest = page.read_text(encoding="utf-8").partition(f"```python\n# {name}\n")
    return rest.partition("```")[0]


def run(name: str, folder: Path, *options: str) -> Tested:
    """Run the suite, and return the result with the rows of known answers."""
    out = folder / name.replace(" ", "-")
    command = [sys.executable, "-m", "mt_gate", "run", "--task", "ner", "--suite", SUITE]
    subprocess.run([*command, *options, "--out", str(out), "-q"], check=True, cwd=folder)
    with gzip.open(out / "groups.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines if '"ner/known-answer"' in line]
    return Tested(name, json.loads((out / "result.json").read_text()), rows)


def slices_of(tested: Tested, begin: str) -> dict[str, tuple[int, int]]:
    """Return misses and known values of each slice whose name begins so."""
    relations = {relation["id"]: relation for relation in tested.result["relations"]}
    return {
        part["name"].removeprefix(begin): (part["violated"], part["applicable"])
        for part in relations["ner/known-answer"]["slices"]
        if part["name"].startswith(begin) and part["applicable"]
    }


def check_with_nervaluate(tested: Tested) -> None:
    """Compare the misses by kind with nervaluate's, on predictions with the suite's kinds.

    Predictions that cover a value exactly but for an article or a final full stop, or that together
    cover one, are first written as the suite writes the value; nervaluate knows no such rule.
    """
    sources = {source.id: source for source in read_suite(SHIPPED / SUITE).sources}
    label_map = tested.result["checkpoint"]["label_map"]
    context = Context(
        kinds={kind: frozenset(map(plain_name, names)) for kind, names in label_map.items()}
    )
    gold, predicted = [], []
    outputs = {row["source_id"]: row["source_output"] for row in tested.rows}
    for name, output in outputs.items():
        source, text = sources[name], sources[name].input["text"]
        known = [e for e in source.entities if e.label in label_map]
        found = [e for e in known if not find_error(text, output, e, source.entities, context)]
        rest = [
            {"start": start, "end": end, "label": kind}
            for start, end, label in output["entities"]
            for kind in context.kinds
            if plain_name(label) in context.kinds[kind]
            and not any(start < e.end and e.start < end for e in found)
        ]
        gold.append([{"start": e.start, "end": e.end, "label": e.label} for e in known])
        predicted.append(
            [*({"start": e.start, "end": e.end, "label": e.label} for e in found), *rest]
        )
    results = Evaluator(gold, predicted, tags=[*label_map], loader="dict").evaluate()["entities"]
    for kind, (missed, total) in slices_of(tested, "kind: ").items():
        strict = results[kind]["strict"]
        assert (strict.correct, strict.possible) == (total - missed, total), (tested.name, kind)


def share(part: tuple[int, int] | None) -> str:
    return f"{part[0]} of {part[1]}" if part else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--checkpoint", type=Path, required=True, help="Hugging Face folder")
    parser.add_argument("--presidio", default="", help="Python of its environment")
    parser.add_argument("--pipeline", default="en_core_web_sm")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rules.py").write_text(PROGRAM)
        (folder / "presidio.py").write_text(code_of(ROOT / "docs" / "pii.md", "presidio_pii.py"))
        checkpoint = str(options.checkpoint.resolve())
        for precision in ("fp32", "int8"):
            exported = ["export", checkpoint, "--task", "ner", "--precision", precision]
            command = [sys.executable, "-m", "mt_gate", *exported, "--out", str(folder / precision)]
            subprocess.run(command, check=True)
        low = next(one for one in planned("ner", ["low-bit-weights"]) if one.strength == FOUR_BITS)
        (folder / "4-bit").mkdir()
        derive(folder / "fp32", folder / "4-bit", change_of(low, ()), {"kind": low.kind})
        tested = [
            run(f"reference {name}", folder, "--checkpoint", str(folder / name))
            for name in ("fp32", "int8", "4-bit")
        ]
        tested.append(run("rules", folder, "--system", f"command:{sys.executable} rules.py"))
        if options.presidio:
            program = f"command:{options.presidio} presidio.py {options.pipeline}"
            tested.append(run("Presidio (en)", folder, "--system", program, "--exclude", OTHERS))
    for one in tested:
        check_with_nervaluate(one)
    text = tables(tested)
    print(text)
    if options.write:
        put(PAGE, "systems", text)


def tables(tested: list[Tested]) -> str:
    """Return misses by kind and by language, and violation rates by relation."""
    by_kind = [slices_of(one, "kind: ") for one in tested]
    by_language = [slices_of(one, "language: ") for one in tested]
    kinds = sorted({kind for parts in by_kind for kind in parts})
    languages = sorted({language for parts in by_language for language in parts})
    names = [one.name for one in tested]
    relations = [
        {r["id"]: (r["violated"], r["applicable"]) for r in one.result["relations"]}
        for one in tested
    ]
    missed = [["**all**", *(share(parts["ner/known-answer"]) for parts in relations)]]
    missed += [[kind, *(share(parts.get(kind)) for parts in by_kind)] for kind in kinds]
    missed += [
        [f"language {x}", *(share(parts.get(x)) for parts in by_language)] for x in languages
    ]
    missed.append(["false alarms", *(share(parts.get("ner/look-alike")) for parts in relations)])
    rates = [
        [f"`{name}`", *(percent(parts.get(name)) for parts in relations)]
        for name in relations[0]
        if not name.endswith(("known-answer", "look-alike"))
    ]
    head = ("", *names)
    return f"{markdown(('Missed', *names), missed)}\n{markdown(('Violated', *head[1:]), rates)}"


def percent(part: tuple[int, int] | None) -> str:
    return f"{part[0] / part[1]:.1%}" if part and part[1] else "–"


if __name__ == "__main__":
    main()
