"""What runs leave and later commands read: results with their rows, baselines, shards."""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from fuzz.changing import as_json, joined, split_at
from fuzz.target import ROOT, Target, files_of, scratch, written
from mt_gate.base.files import canonical
from mt_gate.baselines.outputs import OutputsFault, parse_outputs
from mt_gate.baselines.schema import Baseline, digest_of, parse_baseline, read_baseline
from mt_gate.results.result import Result, Timing
from mt_gate.results.store import GROUPS, RESULT, read_result, read_rows
from mt_gate.sharding.answering import ANSWERS, SHARD, Shard, read_answers, read_shard, write_shard
from mt_gate.sharding.answering import FORMAT as SHARD_FORMAT
from mt_gate.suites.format import DataFile
from mt_gate.sut.protocol import Prediction
from reporting import made_up

FORMATS = "tests/formats/files"


def _run(head: bytes, rows: bytes) -> None:
    path = written(RESULT, head)
    written(GROUPS, rows)
    for _ in read_rows(path, read_result(path)):
        pass


def _sealed(data: bytes) -> None:
    head, text = split_at(data, 2)
    value = _object(head)
    if value is not None and isinstance(mark := value.get("run"), dict):
        before = str(mark.get("id"))
        value = _sealed_head(value)
        mark = value["run"]
        text = text.replace(
            before.encode("utf-8", "replace"), str(mark.get("id")).encode("utf-8", "replace")
        )
        mark["rows_sha256"] = hashlib.sha256(text).hexdigest()
        head = json.dumps(value).encode()
    _run(head, gzip.compress(text, 1))


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _baseline_sealed(data: bytes) -> None:
    value = _object(data)
    if value is not None:
        try:
            data = json.dumps({**value, "sha256": digest_of(as_json(value))}).encode()
        except (msgspec.DecodeError, ValueError, RecursionError):
            return
    parse_baseline(data, "baselines/ner.json")


def _sealed_head(result: dict[str, Any]) -> dict[str, Any]:
    nonce = "0" * 32
    try:
        content = msgspec.json.decode(as_json({**result, "run": None}), type=Result)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return result
    content = msgspec.structs.replace(content, timing=Timing())
    own = hashlib.sha256(nonce.encode() + canonical(content)).hexdigest()[:32]
    return {**result, "run": {"id": own, "nonce": nonce, "rows_sha256": "0" * 64}}


@cache
def _recorded() -> Baseline:
    return read_baseline(ROOT / FORMATS / "baseline" / "1" / "ner.json")


def _shard(data: bytes) -> None:
    head, answers = split_at(data, 2)
    written(SHARD, head)
    written(ANSWERS, answers)
    for _ in read_answers(scratch(), read_shard(scratch())):
        pass


def _run_seeds() -> dict[str, bytes]:
    return {
        "result": joined(
            files_of(f"{FORMATS}/result/1/*.json", f"{FORMATS}/result/1/*.gz").values()
        ),
    }


def _sealed_seeds() -> dict[str, bytes]:
    head, rows = split_at(_run_seeds()["result"], 2)
    return {"result": joined((head, gzip.decompress(rows)))}


def _shard_seeds() -> dict[str, bytes]:
    result = made_up.result()
    shard = Shard(
        format=SHARD_FORMAT,
        tool=result.tool,
        shard=1,
        shards=2,
        suite=result.suite,
        checkpoint=result.checkpoint,
        run_settings={"task": "ner"},
        suite_named="ner-default",
        answers=DataFile(lines=0, sha256=""),
    )
    answers = [(bytes([number] * 16), True, Prediction(OUTPUT, 0.5)) for number in range(3)]
    with TemporaryDirectory() as name:
        write_shard(Path(name), shard, answers)
        return {"made": joined((Path(name) / file).read_bytes() for file in (SHARD, ANSWERS))}


OUTPUT = {"entities": [[0, 4, "PER"]]}


TARGETS = {
    "result": Target(lambda data: _run(*split_at(data, 2)), _run_seeds),
    "result-sealed": Target(_sealed, _sealed_seeds),
    "baseline": Target(
        lambda data: parse_baseline(data, "baselines/ner.json"),
        lambda: files_of(f"{FORMATS}/baseline/*/ner.json"),
    ),
    "baseline-sealed": Target(_baseline_sealed, lambda: files_of(f"{FORMATS}/baseline/*/ner.json")),
    "baseline-answers": Target(
        lambda data: parse_outputs(data, _recorded()),
        lambda: files_of(f"{FORMATS}/baseline/1/*.gz"),
        (OutputsFault,),
    ),
    "shard": Target(_shard, _shard_seeds),
}
