"""Open the language tools that the user's options name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mt_gate.base.errors import CannotJudge, UsageError, page
from mt_gate.language.tools import Fillers, Fit, Naturalness, Phrases, Similarity

if TYPE_CHECKING:
    from mt_gate.language.causal import CausalModel
    from mt_gate.language.lexicon_fillers import Lexicon
    from mt_gate.language.masked import MaskedModel
    from mt_gate.language.wordnet import WordNet

T = TypeVar("T")

ANSWERS_FILE = "language.sqlite"


@dataclass(frozen=True, kw_only=True)
class ToolNames:
    """Names of the language tools to use; empty if not used.

    Args:
        masked_lm: a masked language model of the hub, or a folder.
        causal_lm: a causal language model, or a GGUF file; used if ``masked_lm`` is empty.
        encoder: an encoder for similarity in context.
        wordnet: folder of WordNet's files; empty for NLTK's.
        vectors: word vectors in GloVe's text format.
        sense2vec: folder of sense2vec vectors.
        cache: folder where results are stored.
    """

    masked_lm: str = ""
    causal_lm: str = ""
    encoder: str = ""
    wordnet: str = ""
    vectors: Path | None = None
    sense2vec: Path | None = None
    cache: Path

    @property
    def models(self) -> bool:
        """Whether a model is named; without a model, words can be looked up but not scored."""
        return bool(self.masked_lm or self.causal_lm or self.encoder)


class Tools(NamedTuple):
    """The tools of a build; results of models are cached."""

    fillers: Fillers
    fit: Fit
    similarity: Similarity
    naturalness: Naturalness
    wordnet: WordNet
    phrases: Callable[[list[str]], list[Phrases]]
    reads: Callable[[str], bool] = lambda _: True

    @property
    def names(self) -> dict[str, str]:
        """Tool and version, by purpose."""
        return {
            "candidate words": self.fillers.name,
            "fit": self.fit.name,
            "similarity": self.similarity.name,
            "naturalness": self.naturalness.name,
        }


def open_tools(names: ToolNames) -> Tools:
    """Load the tools.

    Raises UsageError: no language model or no encoder is named. CannotJudge: a model is missing or
    cannot be loaded.
    """
    return _checked(names, _opened)


def open_voting_tools(names: ToolNames) -> tuple[Fillers, Similarity]:
    """Load the tools that propose and compare words; only with a causal model they need WordNet.

    Raises UsageError and CannotJudge as ``open_tools``.
    """
    return _checked(names, _voting)


def _checked(names: ToolNames, load: Callable[[ToolNames], T]) -> T:
    if not (names.masked_lm or names.causal_lm) or not names.encoder:
        raise UsageError(
            "Replacing words and phrases needs a language model and an encoder. Name them with "
            f"--masked-lm or --causal-lm, and --encoder: {page('suites')}"
        )
    try:
        return load(names)
    except ImportError as error:
        raise CannotJudge(
            f"{error.name} is not installed. Run pip install 'mt-gate[suite,language]'"
        ) from None


def open_lexicons(names: ToolNames | None) -> Tools:
    """Return tools without a model: WordNet and the corpora propose, and nothing is scored.

    Raises CannotJudge: WordNet is missing.
    """
    from mt_gate.language.lexicon_fillers import (
        CorpusPhrases,
        LexiconFillers,
        LexiconPhrases,
        Unscored,
    )
    from mt_gate.language.wordnet import Nearest, WordNet

    wordnet, order = WordNet(names.wordnet if names else ""), Unscored()
    lexicons = [Nearest(wordnet)]

    def phrases(bank: list[str]) -> list[Phrases]:
        return [LexiconPhrases(lexicons), CorpusPhrases(bank)]

    return Tools(LexiconFillers(lexicons, order), order, order, order, wordnet, phrases)


def _voting(names: ToolNames) -> tuple[Fillers, Similarity]:
    from mt_gate.language.cached import Cached, CachedAnswers
    from mt_gate.language.encoder import EncoderSimilarity

    answers = CachedAnswers(names.cache / ANSWERS_FILE)
    fillers, _ = _language_model(names, [] if names.masked_lm else _lexicons(names))
    fillers_stored: Any = Cached(fillers, answers)
    similarity: Any = Cached(EncoderSimilarity(names.encoder), answers)
    return fillers_stored, similarity


def _lexicons(names: ToolNames) -> list[Lexicon]:
    """Return WordNet, which is first, and the word vectors if they are named."""
    from mt_gate.language.vectors import WordVectors
    from mt_gate.language.wordnet import WordNet

    return [WordNet(names.wordnet), *([WordVectors(names.vectors)] if names.vectors else [])]


def _opened(names: ToolNames) -> Tools:
    from mt_gate.language.cached import Cached, CachedAnswers
    from mt_gate.language.encoder import EncoderSimilarity
    from mt_gate.language.lexicon_fillers import LexiconPhrases
    from mt_gate.language.phrases import PhraseBank, Sense2VecPhrases
    from mt_gate.language.wordnet import WordNet

    answers = CachedAnswers(names.cache / ANSWERS_FILE)
    lexicons = _lexicons(names)
    wordnet = lexicons[0]
    assert isinstance(wordnet, WordNet)
    fillers, model = _language_model(names, lexicons)
    encoder = EncoderSimilarity(names.encoder)

    def phrases(bank: list[str]) -> list[Phrases]:
        sources: list[Phrases] = [PhraseBank(bank, encoder), LexiconPhrases(lexicons)]
        if names.sense2vec:
            sources.insert(0, Sense2VecPhrases(names.sense2vec))
        return sources

    def cached(tool: Any) -> Any:
        return Cached(tool, answers)

    fit = cached(model)
    return Tools(cached(fillers), fit, cached(encoder), fit, wordnet, phrases, model.reads)


def _language_model(
    names: ToolNames, lexicons: list[Lexicon]
) -> tuple[Fillers, CausalModel | MaskedModel]:
    """Return the tool that proposes words, and the language model."""
    if names.masked_lm:
        from mt_gate.language.masked import MaskedModel

        masked = MaskedModel(names.masked_lm)
        return masked, masked
    from mt_gate.language.causal import CausalModel
    from mt_gate.language.lexicon_fillers import LexiconFillers

    causal = CausalModel(names.causal_lm)
    return LexiconFillers(lexicons, causal), causal
