"""Statistics of our prose: how long sentences are, and which private words are left.

    python .ci/prose.py [--sentences N]

Reads README, docs, the results of benchmarks, docstrings, and the messages that users see.
Exits with 1 if sentences are longer than the style guide allows, or if a private word is left.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MEAN, LONG, MOST_LONG = 17, 30, 0.05
"""Words of a sentence on average, words of a long one, and the share that may be long."""
DIALECT = frozenset("told held given beside apart asked anew found kept stands".split())
"""Words that no name, docstring, comment, page or message may use; of these ``PLAIN`` is fine."""
PLAIN = (
    r"\bgiven names?\b|\bgiven/|``asked``",  # a first name; a key of result.json
    r"\bfound\b",  # what somebody or something found: the plain verb
    r"\b[Hh]eld[- ]out\b",  # held-out data, the field's term
    r"\bwas held\b",  # an example of English
    r"\btears? (?:\w+ )?apart\b|\bterms apart\b|\bname apart\b",
    r"\bkept\b",  # the plain verb; as a name it says nothing
    r"\bis given\b|\bare given\b|\bgiven (?:the|a|that)\b",  # provided; under this condition
)
"""Where a word of the dialect has its plain sense in prose."""
PRIVATE = {
    r"tells?|says so|is told": "reports, shows",
    r"other answers|answers? (?:differently|otherwise)|answered|answering": "predictions",
    r"what (?:it|they) answers?": "prediction",
    r"loss(?:es)?": "regression, or fall of accuracy",
    r"beyond chance": "statistically significant",
    r"likely to be found|found (?:4|four) times (?:in 5|out of five)|smallest loss": "detectable",
    r"no evidence of a": "no regression found",
    r"stands? against|stand(?:s|ing)? (?:for|in)": "is",
    r"groups?": "case",
    r"follow-ups?": "edited text",
    r"applicable": "testable",
    r"holds against": "compare with",
    r"all together|pooled|the pool": "overall",
    r"silence|stopped answering|answered share": "prediction coverage, returns no prediction",
    r"graded evidence": "confidence shift",
    r"kinds? of edit|strata|stratum": "subtype",
    r"same recipe": "retrained with another seed",
    r"made-up|made up": "simulated",
    r"bench": "benchmark",
    r"for (?:choosing|telling)": "development, held-out",
    r"(?:careful |strict |third |two |the |a )?readers?": "LLM reviewer, or human annotator",
    r"weed(?:ed|ing)": "filtering",
    r"refuse[sd]? by (?:a )?reviewers?": "rejected",
    r"respelt|respelled|spelt": "misspelled, obfuscated",
    r"gives? way": "is replaced by",
    r"denials?|denied": "negation, negated",
    r"exchang(?:e|es|ed|ing)": "swap",
    r"by itself|of (?:its|their|our|your) own": "separate",
    r"hangs? on": "depends on",
    r"(?:judged|told|spelt|predicted) otherwise": "differently",
    r"comes to": "is, totals",
    r"at once": "immediately; at the same time",
    r"left out|leaves? out": "omitted, skipped",
    r"whoever|who wants to": "if you want to",
    r"as (?:it|they) (?:was|were) (?:written|before)|as they are written": "unchanged",
    r"shipped|ships|that ship": "built-in",
    r"draws?|drawn anew": "sample",
    r"mistakes?|defects?": "bug (ours), error (user), fault (injected)",
    r"mend(?:s|ed)?|put right|puts? \w+ right": "fix",
    r"blanks?": "space",
    r"careful reviewer": "LLM reviewer, or human annotator",
    r"names are to be replaced": "replace with your own",
    r"folder of such(?: folders)?": "parent folder",
    r"of (?:which|whose|whom)": "a new sentence",
    r"turned (?:from|violated)|turns from": "newly violated",
    r"must hold": "pinned case",
    r"what changed": "prediction changes",
}
"""Private words of pages and messages, each with the plain ones (the style guide's table)."""
ALLOWED = {
    r"groups\.jsonl(?:\.gz)?": "the name of a file",
    r"merge group|below the group": "GitHub's name of what a merge queue tests",
    r"group of entry points|groups as": "of Python's packaging, and of a regular expression",
    r"training loss": "the field's term",
    r"question answering": "the field's term",
    r"an input asked alone": "a message, as a stored study has it",
}
"""Where a private word has its ordinary sense, with the reason."""
_GENERATED = ("cli.md", "relations.md")
"""Pages that are the code's messages, which count as those."""
_CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_INSERTED = re.compile(r"<!-- inputs -->.*?<!-- end -->", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*(?:[A-Z`]|mt-gate|torch))")
_SECTIONS = ("Args:", "Returns:", "Raises:", "Yields:")
_SENTENCE = re.compile(r"[.!?][\"')]?$")
_LEAST_WORDS = 5
"""Words from which on a string of the code is taken for a sentence."""


class Sentence(NamedTuple):
    """A sentence and the file that it is in."""

    path: Path
    text: str

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split())


class Finding(NamedTuple):
    """A private word, and the plain ones."""

    path: Path
    line: int
    word: str
    use: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.word!r}: use {self.use}"


def sentences_of_page(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown page; of lists each item is a paragraph."""
    text = _LINK.sub(r"\1", _CODE.sub("", path.read_text(encoding="utf-8")))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        stripped = line.strip()
        begins = re.match(r"(?:[-*]|\d+\.) ", stripped)
        if not stripped or begins or stripped.startswith(("|", "#", "<", ">", "![")):
            yield from split(path, " ".join(paragraph))
            paragraph = [stripped[begins.end() :]] if begins else []
        else:
            paragraph.append(stripped)


def sentences_of_module(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a module's docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            for paragraph in re.split(r"\n\s*\n", text):
                if not paragraph.startswith((*_SECTIONS, "    ", ">>>")):
                    yield from split(path, " ".join(paragraph.split()))


def split(path: Path, paragraph: str) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph that have a verb's worth of words."""
    for text in _END.split(paragraph):
        if len(text.split()) > 2:
            yield Sentence(path, text)


def comments_and_docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line of a module's comments and docstrings."""
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for item in _lone_strings(ast.parse(source)):
        for number in range(item.lineno, (item.end_lineno or item.lineno) + 1):
            yield number, lines[number - 1]


def _lone_strings(tree: ast.AST) -> Iterator[ast.Expr]:
    """Yield the statements of a module that are only a string: docstrings."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for item in body if isinstance(body, list) else ():  # an expression's body is no list
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant):
                yield item


def messages_of_module(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string of a module that users see as a sentence.

    These are arguments of errors, and help of options and settings. In ``mt_gate`` and the
    benchmarks, any string that ends like a sentence is one too; in ``mt_gate_suites`` such strings
    are mostly the texts of suites.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lone = {id(item.value) for item in _lone_strings(tree)}
    shown: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            shown |= {id(item) for item in ast.walk(node.exc)}
        elif isinstance(node, ast.keyword) and node.arg == "help":
            shown |= {id(item) for item in ast.walk(node.value)}
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
            shown |= {id(item) for item in ast.walk(node.slice)}  # the help of a setting
    ends = "mt_gate_suites" not in path.parts
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in ast.walk(tree):
        if id(node) in lone | parts or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = _text_of(node)
        enough = len(text.split()) >= _LEAST_WORDS
        if enough and (id(node) in shown or (ends and _SENTENCE.search(text))):
            yield node.lineno, " ".join(text.split())


def _text_of(node: ast.Constant | ast.JoinedStr) -> str:
    """Return a string's text, with X for each value that is filled in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
    )


def private_words(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield where a private word begins, the word, and the plain ones; code is no prose."""
    for plain in (*ALLOWED, *PLAIN):
        text = re.sub(plain, _spaces, text, flags=re.IGNORECASE)
    dialect = {rf"{word}": "plain words" for word in sorted(DIALECT)}
    for pattern, use in {**dialect, **PRIVATE}.items():
        spaced = pattern.replace(" ", r"\s+")
        for found in re.finditer(rf"(?<![\w`-])(?:{spaced})(?![\w`-])", text, re.IGNORECASE):
            yield found.start(), " ".join(found[0].split()), use


def _spaces(found: re.Match[str]) -> str:
    """Return as many spaces, and the same line breaks, as a match has characters."""
    return re.sub(r"[^\n]", " ", found[0])


def findings_of_page(path: Path) -> Iterator[Finding]:
    """Yield the private words of a Markdown page, tables included."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?<=\])\([^)]*\)", _spaces, text)  # addresses of links
    text = re.sub(r'"[^"\n]*"', _spaces, text)  # examples
    for code in (_CODE, _INSERTED, re.compile(r"`[^`]*`"), re.compile(r"<!--.*?-->", re.DOTALL)):
        text = code.sub(_spaces, text)
    for at, word, use in private_words(text):
        yield Finding(path, text.count("\n", 0, at) + 1, word, use)


def findings_of_module(path: Path) -> Iterator[Finding]:
    """Yield the private words of a module's messages."""
    for line, text in messages_of_module(path):
        for _, word, use in private_words(text):
            yield Finding(path, line, word, use)


def pages() -> list[Path]:
    """Return README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def results() -> list[Path]:
    """Return the pages of results that the benchmarks write."""
    return sorted((ROOT / "benchmarks" / "results").glob("*.md"))


def project_pages() -> list[Path]:
    """Return the pages for those who work on mt-gate."""
    names = "CONTRIBUTING.md CHANGELOG.md runner/ARCHITECTURE.md .ci/README.md .github/SECURITY.md"
    return [*(ROOT / name for name in names.split()), *sorted(ROOT.glob("docs/design/*.md"))]


def modules() -> list[Path]:
    """Return the modules of both packages."""
    return sorted((ROOT / "runner").rglob("*.py"))


def scripts() -> list[Path]:
    """Return the modules of the benchmarks."""
    return sorted((ROOT / "benchmarks").rglob("*.py"))


def parts() -> dict[str, list[Sentence]]:
    """Return the sentences of each kind of text."""
    return {
        "documentation": [one for path in pages() for one in sentences_of_page(path)],
        "project pages": [one for path in project_pages() for one in sentences_of_page(path)],
        "benchmark results": [one for path in results() for one in sentences_of_page(path)],
        "docstrings": [
            one for path in (*modules(), *scripts()) for one in sentences_of_module(path)
        ],
        "messages": [
            one
            for path in (*modules(), *scripts())
            for _, text in messages_of_module(path)
            for one in split(path, text)
        ],
    }


def findings() -> list[Finding]:
    """Return the private words of pages and messages."""
    written = [path for path in pages() if path.name not in _GENERATED]
    found = [
        one for path in (*written, *project_pages(), *results()) for one in findings_of_page(path)
    ]
    found += [one for path in (*modules(), *scripts()) for one in findings_of_module(path)]
    return found


def measure(sentences: list[Sentence]) -> tuple[float, float]:
    """Return the mean number of words, and the share of long sentences."""
    long = sum(one.words > LONG for one in sentences)
    return fmean(one.words for one in sentences), long / len(sentences)


def main() -> int:
    """Print the statistics, the private words and the longest sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=0, help="print so many of the longest")
    options = parser.parse_args()
    bad = False
    for name, sentences in parts().items():
        mean, long = measure(sentences)
        bad |= mean > MEAN or long > MOST_LONG
        print(
            f"{name}: {len(sentences):,} sentences, {mean:.1f} words on average, "
            f"{long:.1%} above {LONG}"
        )
        for one in sorted(sentences, key=lambda one: -one.words)[: options.sentences]:
            print(f"  {one.words} {one.path.relative_to(ROOT)}: {one.text}")
    private = findings()
    for finding in private:
        print(finding)
    print(f"private words: {len(private):,}")
    return int(bad or bool(private))


if __name__ == "__main__":
    sys.exit(main())
