"""A suite on disk: ``suite.json``, ``sources.jsonl.gz``, ``groups.jsonl.gz``.

Suites are untrusted: sizes are limited, every line is checked, and nothing is used before its
hashes match.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from mt_gate import __version__
from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, quoted, reported
from mt_gate.base.files import (
    MAX_LINES,
    canonical,
    decode_json,
    read_gzip_lines,
    read_whole,
    readable,
    replacing,
    write_gzip_lines,
    write_whole,
)
from mt_gate.domain import KNOWN_ANSWER, LOOK_ALIKE, Block, Entity, Group, Id, Source
from mt_gate.lexicons.reading import ordered
from mt_gate.ontologies.ontology import Ontology
from mt_gate.relations.base import MetamorphicRelation, is_known_answer
from mt_gate.relations.catalogue import BY_ID, known_answers
from mt_gate.relations.stated import (
    MAX_LABELS,
    Equals,
    LabelName,
    OutputRelation,
    SpansFound,
    condition,
    fault,
    judge,
    kind_of,
    unknown_kind,
)
from mt_gate.results.result import Precision, SuiteHead
from mt_gate.suites.offensive import MOST as MOST_OFFENSIVE
from mt_gate.suites.offensive import Digest
from mt_gate.tasks.spec import TaskSpec
from mt_gate.tasks.table import TASKS

Row = TypeVar("Row", Source, Group)

FORMAT = 1
HEAD, SOURCES, GROUPS = "suite.json", "sources.jsonl.gz", "groups.jsonl.gz"
SHIPPED = Path(__file__).parent / "data"
MAX_HEAD = 4 << 20
MAX_TEXT = 1 << 20
MAX_UNPACKED = 256 << 20
"""Maximum bytes of a data file, unpacked: 40 times the largest built-in file."""
MAX_MORE = 16
"""Maximum values of an input in addition to the task's."""
FILTERS = "filters"
"""Key of ``SuiteFile.tools`` for ``paper``, if the suite was built with ``--filters paper``."""
_RARE = ("entities", "cluster", "slices", "stratum", "second")
SAYS_OF_ENTITIES = {
    KNOWN_ANSWER: "Misses {missed} of {total} known values",
    LOOK_ALIKE: "Flags {missed} of {total} look-alikes",
}
"""The sentences on known entities in reports."""
CAUSE = "Restore the suite, or build it again with mt-gate suite build."
_PLAIN = (str, int, float, bool, type(None))

Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
"""One line of text for reports."""
Words = Annotated[str, Meta(max_length=20_000)]
Count = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Says = Annotated[str, Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\Z")]
"""A sentence with the placeholders ``{n}`` and ``{total}``."""
ORIGINAL_IDS = {
    "text/earlier-target": "text/later-reference",
    "text/name-replacement": "text/name-exchange",
    "text/negated-attack": "text/denied-attack",
    "text/negated-hypothesis": "text/denied-hypothesis",
    "text/number-replacement": "text/number-exchange",
    "text/place-replacement": "text/place-exchange",
    "text/positive-statement": "text/praise-instead",
    "text/spelling-variant": "text/respelt-case",
}
"""Former ids of renamed relations. Group ids and random choices of builders depend on the former
id: with the new id, a build would choose other texts, which nobody has reviewed."""


class SuiteRelation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A relation of the suite; a bound one has sources only, and its groups are built at run time.

    ``left_out`` counts by reason the groups that were built but not chosen by the recipe
    (``caps.py``). ``output`` is set if the suite states the relation (``relations_in``), which then
    has ``title`` to ``after`` as its texts in reports. ``says`` is the sentence that reports begin
    with, such as "Flags {n} of {total} hateful texts": ``{n}`` is the number of satisfied groups,
    ``{total}`` of testable ones.
    """

    id: Name
    groups: Count
    sources: Count
    bound: bool = False
    precision: Precision | None = None
    left_out: Annotated[Mapping[Id, Count], Meta(max_length=100)] = {}
    title: Words = ""
    description: Words = ""
    paper: Words = ""
    before: Words = ""
    after: Words = ""
    says: Says = ""
    output: OutputRelation | None = None


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """A corpus of sentences, with its licence."""

    name: Name
    licence: Words
    attribution: Words
    sentences: Count


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A data file's number of lines and the sha256 of its unpacked text."""

    lines: Annotated[int, Meta(ge=0, le=MAX_LINES)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class SuiteFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """``suite.json``.

    ``labels`` is the label set of output relations and gold labels, if the task has no fixed
    labels. ``offensive`` are the digests of words that reports mask (``suites/offensive.py``).
    """

    format: Annotated[int, Meta(ge=1, le=FORMAT)]
    name: Name
    task: Name
    version: Name
    seed: Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
    description: Words
    relations: Annotated[tuple[SuiteRelation, ...], Meta(max_length=1000)]
    sources: Annotated[tuple[Corpus, ...], Meta(max_length=1000)]
    tools: Annotated[Mapping[Id, Words], Meta(max_length=1000)]
    thresholds: Annotated[Mapping[Id, float], Meta(max_length=1000)]
    files: Annotated[Mapping[Id, DataFile], Meta(max_length=16)]
    labels: Annotated[tuple[LabelName, ...], Meta(max_length=MAX_LABELS)] = ()
    offensive: Annotated[tuple[Digest, ...], Meta(max_length=MOST_OFFENSIVE)] = ()


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A suite in memory; ``part`` are notes on the subset, empty for the whole suite.

    ``ontology`` is the name and digest of the ontology that a run uses (task re).
    """

    head: SuiteFile
    sources: tuple[Source, ...]
    groups: tuple[Group, ...]
    part: tuple[str, ...] = ()
    ontology: str = ""

    def under(self, ontology: Ontology | None) -> Suite:
        """Return the suite with the ontology of the run, which is part of its identity."""
        named = f"{ontology.name} sha256:{ontology.digest}" if ontology else ""
        return msgspec.structs.replace(self, ontology=named)

    def without(self, corpora: Iterable[str]) -> Suite:
        """Return the suite without the sources of some corpora; its identity differs."""
        left_out = sorted(set(corpora))
        known = [corpus.name for corpus in self.head.sources]
        for name in left_out:
            if name not in known:
                raise UsageError(
                    f"--exclude {quoted(name)}: suite {self.head.name} has no corpus of that "
                    f"name.{did_you_mean(name, known)} It has {', '.join(map(quoted, known))}."
                )
        if not left_out:
            return self
        sources = tuple(source for source in self.sources if source.origin not in left_out)
        ids = {source.id for source in sources}
        groups = tuple(
            group
            for group in self.groups
            if group.source in ids and (not group.second or group.second in ids)
        )
        part = (*self.part, *(f"without {name}" for name in left_out))
        return msgspec.structs.replace(self, sources=sources, groups=groups, part=part)

    @property
    def identity(self) -> SuiteHead:
        """Name, version, task, and a hash over everything that can change a count."""
        head = self.head
        parts = [
            head.format,
            head.name,
            head.task,
            head.version,
            head.seed,
            [
                # the parts of a relation that can change a count
                [rel.id, rel.bound, *([] if rel.output is None else [rel.output])]
                for rel in head.relations
            ],
            {name: file.sha256 for name, file in head.files.items()},
            *([{"labels": head.labels}] if head.labels else []),
            *([list(self.part)] if self.part else []),
            *([self.ontology] if self.ontology else []),
        ]
        digest = hashlib.sha256(canonical(parts)).hexdigest()
        return SuiteHead(
            name=head.name,
            version=head.version,
            task=head.task,
            sha256=digest,
            part=self.part,
            ontology=self.ontology,
            filters=head.tools.get(FILTERS, ""),
        )


def group_id(relation: str, source: Mapping[str, Any], follow_up: Mapping[str, Any]) -> str:
    """Return a group's id: 16 hex digits over its relation, source and follow-up.

    The id depends on nothing else, so a group keeps its id in later suite versions.
    """
    original = ORIGINAL_IDS.get(relation, relation)
    text = b"\0".join((original.encode(), canonical(source), canonical(follow_up)))
    return hashlib.sha256(text).hexdigest()[:16]


def shipped_suites() -> list[str]:
    """Return the names of the built-in suites."""
    return sorted(path.parent.name for path in SHIPPED.glob(f"*/{HEAD}"))


def masked_of(head: SuiteFile) -> tuple[str, ...]:
    """Return the digests of the words to mask in reports: the suite's or, by default, mt-gate's."""
    shipped = head.name in shipped_suites()
    return head.offensive if head.offensive or shipped else ordered("offensive", "words")


def find_suite(name_or_folder: str, also: Iterable[str] = ()) -> Path:
    """Return the folder of a built-in suite or of a user's suite.

    ``also`` are further names to suggest. Raises UsageError: there is no such suite.
    """
    if name_or_folder in shipped_suites():
        return SHIPPED / name_or_folder
    folder = Path(name_or_folder)
    if (folder / HEAD).is_file():
        return folder
    if folder.is_dir():
        raise UsageError(f"{folder} is not a suite: it has no {HEAD}. See mt-gate suite build.")
    known = [*shipped_suites(), *also]
    meant = next((name for name in known if name.startswith(f"{name_or_folder}-")), name_or_folder)
    raise UsageError(
        f"No suite named {quoted(name_or_folder, 200)}.{did_you_mean(meant, known)} List all: "
        "mt-gate suite list"
    )


def read_head(folder: Path) -> SuiteFile:
    """Read ``suite.json``. Raises CannotJudge."""
    path = folder / HEAD
    data = read_whole(path, limit=MAX_HEAD, cause=CAUSE)
    plain = decode_json(data, dict[str, Any], path=path, cause=CAUSE)
    number = plain.get("format")
    if isinstance(number, int) and number > FORMAT:
        raise CannotJudge(
            f"{path} has suite format {str(number)[:20]}, but this release reads up to {FORMAT}. "
            "Use a newer mt-gate or an older suite."
        )
    relations = plain.get("relations")
    for relation in relations if isinstance(relations, list) else ():
        output = relation.get("output") if isinstance(relation, dict) else None
        if output is not None and (wrong := unknown_kind(output)):
            raise CannotJudge(
                f"{path}: {quoted(str(relation.get('id')))}: {wrong}. Use a newer mt-gate. {CAUSE}"
            )
    return decode_json(data, SuiteFile, path=path, cause=CAUSE)


def read_suite(folder: Path) -> Suite:
    """Read a whole suite and check it against its ``suite.json``. Raises CannotJudge."""
    head = read_head(folder)
    for wrong in _faults_of_head(head):
        raise CannotJudge(f"{folder / HEAD}: {wrong}. {CAUSE}")
    task = TASKS[head.task]
    sources = tuple(_read_rows(folder, head, SOURCES, Source, task))
    stored = tuple(_read_rows(folder, head, GROUPS, Group, task))
    groups = (*stored, *known_answer_groups(task, sources))
    for name, wrong in _faults_of_rows(head, task, sources, groups):
        raise CannotJudge(f"{folder / name}: {wrong}. {CAUSE}")
    return Suite(head=head, sources=sources, groups=groups)


def known_answer_groups(task: TaskSpec, sources: Iterable[Source]) -> Iterator[Group]:
    """Yield a group for each distinct original with a known answer, in ``ner`` for each entity.

    Suite files do not store these groups, because they follow from the sources.
    """
    seen: set[str] = set()
    for source in sources:
        if source.gold is None:
            continue
        kind = LOOK_ALIKE if task.spans and not source.entities else KNOWN_ANSWER
        relation = f"{task.id}/{kind}"
        answers: Sequence[Entity | None] = source.entities if task.spans else ()
        for entity in answers or (None,):
            of = {**source.input, "entity": [*entity]} if entity else source.input
            name = group_id(relation, source.input, of)
            if name in seen:
                continue
            seen.add(name)
            yield Group(
                id=name,
                relation=relation,
                source=source.id,
                follow_up=source.input,
                alignment=(Block(0, 0, len(task.text(source.input))),),
                gold=source.gold,
                entities=(entity,) if entity else (),
            )


def _faults_of_head(head: SuiteFile) -> Iterator[str]:
    task = TASKS.get(head.task)
    if task is None:
        yield f"unknown task {quoted(head.task)}, expected one of {', '.join(TASKS)}"
        return
    if len({relation.id for relation in head.relations}) != len(head.relations):
        yield "a relation is listed twice"
    for relation in head.relations:
        if (precision := relation.precision) is not None:
            low, high = precision.interval
            if not (0 <= precision.acceptable <= precision.read > 0 and 0 <= low <= high <= 1):
                yield f"{relation.id} has a precision that is not a share of the reviewed cases"
        wrong = says_fault(relation.says)
        if relation.output is not None and not wrong:
            wrong = fault(relation.output, task, label_set(head))
            if relation.id in BY_ID or is_known_answer(relation.id):
                wrong = "mt-gate has a relation of that name: rename this one"
            elif not relation.id.startswith(f"{task.id}/"):
                wrong = f"the id of a relation must begin with its task, {task.id}/"
            elif not relation.title.strip():
                wrong = "it has no title for reports"
            elif relation.bound:
                wrong = "it is bound, but only relations of mt-gate build cases at run time"
        if wrong:
            yield f"relation {quoted(relation.id)}: {wrong}"


def says_fault(says: str) -> str:
    """Return a message on what is wrong with ``says``; empty if nothing is."""
    if says and not (("{n}" in says or "{missed}" in says) and "{total}" in says):
        return f"says is {quoted(says, 80)}, but must contain {{n}} or {{missed}}, and {{total}}"
    return ""


def label_set(head: SuiteFile) -> tuple[str, ...]:
    """Return the labels that a suite's output relations may name."""
    return head.labels or TASKS[head.task].answers


def _read_rows(
    folder: Path, head: SuiteFile, name: str, kind: type[Row], task: TaskSpec
) -> Iterator[Row]:
    """Read, check and yield rows one by one; the file's hash is checked after the last row."""
    path = folder / name
    if name not in head.files:
        raise CannotJudge(f"{folder / HEAD} has no sha256 of {name}. {CAUSE}")
    file = head.files[name]
    decoder = msgspec.json.Decoder(kind)
    try:
        lines = read_gzip_lines(
            path, digest=file.sha256, cause=CAUSE, most_bytes=MAX_UNPACKED, exact=file.lines
        )
        for line in lines:
            row = decoder.decode(line)
            check_input(path, row.id, task, row.input if isinstance(row, Source) else row.follow_up)
            yield row
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(f"{path} has an invalid row ({reported(error)}). {CAUSE}") from None


def check_input(path: Path, row: str, task: TaskSpec, value: Mapping[str, Any]) -> None:
    """Raise CannotJudge if a row's input is not valid for the task."""
    for name in task.names(value):
        text = value.get(name)
        if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
            raise CannotJudge(
                f"{path}: field {quoted(name)} of row {quoted(row)} must be a text of 1 to "
                f"{MAX_TEXT} characters. {CAUSE}"
            )
    fault = task.fault(value)
    own = {*task.probe, *task.texts}
    more = [others for name, others in value.items() if name not in own]
    if len(more) > MAX_MORE or not all(isinstance(others, _PLAIN) for others in more):
        fault = fault or (
            f"it has {len(more)} additional values, but at most {MAX_MORE} texts, numbers or "
            "booleans are allowed"
        )
    if fault:
        raise CannotJudge(f"{path}: row {quoted(row)}: {fault}. {CAUSE}")


def _faults_of_rows(
    head: SuiteFile, task: TaskSpec, sources: Sequence[Source], groups: Sequence[Group]
) -> Iterator[tuple[str, str]]:
    """Yield (file name, message) for each fault in the rows of a suite."""
    if len({source.id for source in sources}) != head.files[SOURCES].lines:
        yield SOURCES, "a source id occurs twice"
    for source in sources:
        wrong = source.entities and _fault_of_entities(source.entities, task.text(source.input))
        if wrong:
            yield SOURCES, f"row {quoted(source.id)}: {wrong}"
    for wrong in _faults_of_groups(head, task, sources, groups):
        yield GROUPS, wrong
    counts = Counter(group.relation for group in groups)
    known = {relation.id for relation in head.relations}
    bound = {name for source in sources for name in source.bind}
    for name in (*counts, *sorted(bound)):
        if name not in known:
            yield HEAD, f"relation {quoted(name)} is not listed"
    for relation in head.relations:
        if counts[relation.id] != (0 if relation.bound else relation.groups):
            yield (
                HEAD,
                f"{relation.id} lists {relation.groups} cases, but {GROUPS} has "
                f"{counts[relation.id]}",
            )


def _fault_of_entities(entities: Sequence[Entity], text: str) -> str:
    for start, end, _ in entities:
        if not start < end <= len(text):
            return f"an entity spans {start} to {end}, but the text has {len(text)} characters"
    return ""


def _faults_of_groups(
    head: SuiteFile, task: TaskSpec, sources: Sequence[Source], groups: Sequence[Group]
) -> Iterator[str]:
    if len({group.id for group in groups}) != len(groups):
        yield "a case id occurs twice"
    known = {source.id: source.input for source in sources}
    mentions = {source.id: source.entities for source in sources}
    finding = {item.id for item in head.relations if isinstance(item.output, SpansFound)}
    asking = {relation.id for relation in head.relations if isinstance(relation.output, Equals)}
    labels = label_set(head)
    for group in groups:
        name = f"case {quoted(group.id)}"
        for source in (group.source, *([group.second] if group.second else [])):
            if source not in known:
                yield f"{name} names source {quoted(source)}, which {SOURCES} does not have"
        if group.gold is None and group.relation in asking:
            yield (
                f"{name} has no 'gold', but its relation {quoted(group.relation)} of kind "
                f"{kind_of(Equals)} needs it"
            )
        schemes = is_known_answer(group.relation) and task.needs_ontology
        stated = {*(group.gold or ()), *(entity.label for entity in group.entities)}
        wrong = group.entities and _fault_of_entities(group.entities, task.text(group.follow_up))
        if wrong:
            yield f"{name}: {wrong}"
        if group.relation in finding and len(group.entities) < len(mentions.get(group.source, ())):
            yield f"{name} has fewer 'entities' than its source"
        if unknown := [] if schemes else sorted(stated - {*labels}):
            listed = ", ".join(labels[:10]) or "none (list them in 'labels')"
            yield (
                f"{name} has gold label {quoted(unknown[0], 60)}, but the labels of the suite "
                f"are {listed}"
            )
        own, other = task.names(known[group.source]), task.names(group.follow_up)
        if own != other:
            yield (
                f"{name} has {' and '.join(other)}, but its source has {' and '.join(own)}: "
                "both need the same fields"
            )
        before, after = task.text(known[group.source]), task.text(group.follow_up)
        end = 0
        for block in group.alignment:
            old = before[block.source : block.source + block.length]
            new = after[block.follow_up : block.follow_up + block.length]
            fits = block.length > 0 and block.source >= end
            if not fits or len(old) != block.length or old.casefold() != new.casefold():
                yield f"{name}: aligned texts differ: {quoted(old)} and {quoted(new)}"
            end = block.source + block.length


def write_suite(
    folder: Path, head: SuiteFile, sources: Iterable[Source], groups: Iterable[Group]
) -> SuiteFile:
    """Write a suite, with equal bytes for equal content; return its head with hashes.

    Groups of known answers are omitted, because they follow from the sources.
    """
    files = {}
    stored = [group for group in groups if not is_known_answer(group.relation)]
    for name, rows in ((SOURCES, list(sources)), (GROUPS, stored)):
        with replacing(folder / name) as temporary:
            digest = write_gzip_lines(temporary, map(_line, rows))
        files[name] = DataFile(lines=len(rows), sha256=digest)
    complete = msgspec.structs.replace(head, files=files)
    write_head(folder, complete)
    return complete


def with_known_answers(head: SuiteFile, sources: Sequence[Source], says: str) -> SuiteFile:
    """Return a head with the relation of known answers, if any source has a known answer."""
    known = [*known_answer_groups(TASKS[head.task], sources)]
    if not known:
        return head
    spans = TASKS[head.task].spans
    right: dict[str, SuiteRelation] = {}
    for name in dict.fromkeys(group.relation for group in known):
        own = [group.source for group in known if group.relation == name]
        kind = name.partition("/")[2]
        own_words = not spans or (kind == KNOWN_ANSWER and "{missed}" in says)
        words = says if own_words else SAYS_OF_ENTITIES[kind]
        right[name] = SuiteRelation(id=name, groups=len(own), sources=len(set(own)), says=words)
    others = tuple(other for other in head.relations if other.id not in right)
    labels = {label for group in known for label in group.gold or ()}
    labels |= {entity.label for group in known for entity in group.entities}
    named = head.labels
    if not (TASKS[head.task].answers or TASKS[head.task].needs_ontology):
        named = tuple(sorted({*head.labels, *labels}))
    return msgspec.structs.replace(head, relations=(*right.values(), *others), labels=named)


def _line(row: Source | Group) -> bytes:
    fields = msgspec.to_builtins(row, order="deterministic")
    common = {k: v for k, v in fields.items() if v or k not in _RARE}
    if common.get("gold", ()) is None:
        del common["gold"]
    return msgspec.json.encode(common)


def write_head(folder: Path, head: SuiteFile) -> None:
    """Write ``suite.json`` atomically."""
    write_whole(folder / HEAD, readable(head))


def relations_in(head: SuiteFile) -> dict[str, MetamorphicRelation]:
    """Return the relations of a suite by id, in its order, ready to judge.

    Each is built in, or stated by the suite. Raises CannotJudge.
    """
    task, labels = TASKS[head.task], label_set(head)
    has_answers = any(is_known_answer(relation.id) for relation in head.relations)
    right = {one.id: one for one in known_answers(task, labels)} if has_answers else {}
    relations = {}
    for relation in head.relations:
        of_task = relation.id.startswith(f"{head.task}/")
        known = relation.id in BY_ID or relation.id in right
        if not of_task or (relation.output is None and not known):
            raise CannotJudge(
                f"Suite {head.name}: mt-gate {__version__} does not know relation "
                f"{quoted(relation.id)} of task {head.task}. Use a newer mt-gate or an older "
                "suite."
            )
        if is_known_answer(relation.id):
            relations[relation.id] = right[relation.id]
        elif relation.output is None:
            relations[relation.id] = BY_ID[relation.id]
        else:
            relations[relation.id] = MetamorphicRelation(
                id=relation.id,
                title=relation.title,
                description=relation.description,
                paper=relation.paper,
                before=relation.before,
                after=relation.after,
                holds=judge(relation.output, task, labels),
                when=condition(relation.output, task),
            )
    return relations
