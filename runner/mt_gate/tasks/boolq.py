"""Boolean-question reading comprehension: inputs, outputs, and a system's answers.

Input: ``{"question": str, "passage": str}``. Output: ``{"answer": "yes" | "no", "score": float}``,
where the score is the probability of yes in [0, 1]. If the passage was truncated, ``"read": int``
is the number of its characters that fitted into the system's input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mt_gate.domain import AnswerMove
from mt_gate.tasks.spec import (
    PROMPT,
    CheckpointForm,
    Demo,
    Input,
    Output,
    QuickPart,
    Score,
    TaskSpec,
    one_label,
)

ID = "boolq"
YES, NO = "yes", "no"
QUESTION, PASSAGE = "question", "passage"
TEXT_TO_TEXT = "text-to-text"


def profile(outputs: Iterable[Output]) -> dict[str, float]:
    """Return the share of yes over distinct inputs, and the share of truncated passages."""
    answers = yes = cut = 0
    for output in outputs:
        answers += 1
        yes += output["answer"] == YES
        cut += "read" in output
    return (
        {"share of yes": yes / answers, "share of passages cut": cut / answers} if answers else {}
    )


def is_right(gold: Output, output: Output) -> bool:
    """Whether the answer is the gold answer."""
    return bool(gold["answer"] == output["answer"])


def moves(before: Output, after: Output) -> Iterable[AnswerMove]:
    """Return the change of the answer."""
    return one_label(before["answer"], after["answer"])


def decided(output: Output) -> tuple[str, ...]:
    """Return the answer."""
    return (output["answer"],)


def scores(output: Output) -> Mapping[str, float]:
    """Return the probabilities of both answers, where the system returns one."""
    scores = output.get("score")
    return {} if scores is None else {YES: scores, NO: 1 - scores}


def unread(source: Input, answer: Output, follow_up: Input, follow_up_answer: Output) -> bool:
    """Whether an edit of the passage is in a part that either input lost to truncation."""
    before, after = source[PASSAGE], follow_up[PASSAGE]
    if before == after:
        return False
    length = 0
    for a, b in zip(reversed(before), reversed(after), strict=False):
        if a != b:
            break
        length += 1
    length_read = length
    return _cut(source, answer, length_read) or _cut(follow_up, follow_up_answer, length_read)


def _cut(value: Input, output: Output, length_read: int) -> bool:
    read = output.get("read")
    return read is not None and read < len(value[PASSAGE]) - length_read


def score(output: Output) -> Score | None:
    """Return the probability of yes, whatever the answer is."""
    scores = output.get("score")
    return None if scores is None else Score(YES, scores)


TASK = TaskSpec(
    path=f"{__name__}:TASK",
    id=ID,
    texts=(QUESTION, PASSAGE),
    probe={
        QUESTION: "is oslo the capital of norway",
        PASSAGE: "Oslo is the capital and the largest city of Norway.",
    },
    profile=profile,
    is_right=is_right,
    moves=moves,
    score=score,
    decided=decided,
    scores=scores,
    unread=unread,
    forms={
        "text-pair": CheckpointForm("mt_gate.sut.boolq:text_pair"),
        TEXT_TO_TEXT: CheckpointForm("mt_gate.sut.boolq:text_to_text"),
        PROMPT: CheckpointForm("mt_gate.sut.boolq:text_to_text"),
        "word-pair": CheckpointForm("mt_gate.sut.boolq:WordPairReader", "vocabulary.txt"),
    },
    default_suite="boolq-default",
    quick_part=QuickPart(share=0.1, least=25),
    renderer="mt_gate.reporting.words.answers:RENDERER",
    corpus_kind="questions",
    export="mt_gate.exporting.heads:BOOLQ",
    evaluation="mt_gate.evaluating.labelled:BOOLQ",
    demo=Demo("boolq-baseline", "boolq-candidate"),
    answers=(YES, NO),
    other_systems=("command", "openai"),
    exchange="mt_gate.sut.systems.command:ANSWER",
)
