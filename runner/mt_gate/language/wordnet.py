"""Similar and related words, from WordNet through NLTK."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import lemminflect

from mt_gate.base.errors import CannotJudge, reported
from mt_gate.language.forms import TAGS, inflected

_FIELDS = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute "
    "noun.body noun.cognition noun.communication noun.event noun.feeling noun.food noun.group "
    "noun.location noun.motive noun.object noun.person noun.phenomenon noun.plant "
    "noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body verb.change verb.cognition verb.communication "
    "verb.competition verb.consumption verb.contact verb.creation verb.emotion verb.motion "
    "verb.perception verb.possession verb.social verb.stative verb.weather adj.ppl".split()
)
"""Names of the lexicographer files, in WordNet's order: lexnames(5WN)."""
_LEFT_OUT = {
    "lexnames": "".join(f"{at:02d}\t{name}\t0\n" for at, name in enumerate(_FIELDS)),
    "cntlist.rev": "",
}
_POS = {"VERB": "v", "ADJ": "a", "NOUN": "n"}
SENSES = 4
"""Maximum senses of a word that are used, most frequent first."""
MAIN_SENSES = 2
"""Number of senses of a noun that determine its kinds."""
SISTERS = 20
"""Maximum number of sister senses, which share a hypernym with a sense."""


class WordNet:
    """Lexical relations of English; related words are inflected like the original word."""

    def __init__(self, folder: str = "") -> None:
        """Open NLTK's WordNet, or the ``dict`` files in ``folder``.

        Raises CannotJudge: the files are missing or unreadable.
        """
        self._net = _open(folder)
        self.name = f"WordNet {self._net.get_version()}"

    def related(self, word: str) -> Iterator[str]:
        """Yield forms of synonyms, similar words and sisters, in each tag of ``word``."""
        seen = {word.lower()}
        for pos, lemmas in sorted(lemminflect.getAllLemmas(word.lower()).items()):
            if pos not in _POS:
                continue
            for lemma in lemmas:
                tags = [tag for tag in TAGS[pos] if word.lower() in inflected(lemma, tag)]
                opposites = self.opposites(lemma, pos)
                for other in self._alike(lemma, _POS[pos]):
                    if other in opposites:
                        continue
                    for form in (form for tag in tags for form in inflected(other, tag)[:1]):
                        if form not in seen:
                            seen.add(form)
                            yield form

    def nearest(self, word: str) -> list[str]:
        """Return forms of the words whose meaning is nearest to the first sense of ``word``.

        They are its synonyms, by their first or second sense, then similar and broader words, by
        their first. Words with many senses come first, because they are usual ones.
        """
        ranks: dict[str, tuple[int, int, str]] = {}
        for pos, lemmas in sorted(lemminflect.getAllLemmas(word.lower()).items()):
            for lemma in lemmas if pos in _POS and len(lemmas) == 1 else ():  # "saw" is unclear
                tags = [tag for tag in TAGS[pos] if word.lower() in inflected(lemma, tag)]
                opposites = self.opposites(lemma, pos) | {lemma}
                for other, rank in self._near(lemma, _POS[pos]):
                    usual = -len(self._net.synsets(other, _POS[pos]))
                    for form in (f for tag in tags for f in inflected(other, tag)[:1]):
                        if other not in opposites:
                            ranks[form] = min((rank, usual, form), ranks.get(form, (9, 0, form)))
        return sorted(ranks.keys() - {word.lower()}, key=lambda form: ranks[form])

    def _near(self, lemma: str, pos: str) -> Iterator[tuple[str, int]]:
        """Yield words near the first sense of a lemma; 0 for a synonym by first senses, else 1."""
        for sense in self._net.synsets(lemma, pos)[:1]:
            for far, senses in enumerate(([sense], [*sense.similar_tos(), *sense.hypernyms()])):
                for near in senses:
                    for other in _single(near):
                        main = self._net.synsets(other, pos)[: MAIN_SENSES - far]
                        if near in main:
                            yield other, far + main.index(near)

    def synonym(self, adjective: str) -> str:
        """Return the synonym of an adjective's first sense that is the first sense of another.

        The result is empty if there is none.
        """
        senses = self._net.synsets(adjective, "a")
        words = ((word, sense) for sense in senses for word in _single(sense) if word != adjective)
        return next((w for w, sense in words if self._net.synsets(w, "a")[0] == sense), "")

    def antonym(self, adjective: str) -> str:
        """Return the first antonym of an adjective, by the order of its senses; empty if none."""
        senses = self._net.synsets(adjective, "a")
        own = [lemma for sense in senses for lemma in sense.lemmas() if lemma.name() == adjective]
        others = [other.name() for lemma in own for other in lemma.antonyms()]
        return next((word for word in others if word.isalpha() and word.islower()), "")

    def opposites(self, lemma: str, pos: str) -> frozenset[str]:
        """Return the antonyms of a lemma, including indirect antonyms of adjectives."""
        opposites: set[str] = set()
        for sense in self._net.synsets(lemma, _POS[pos]):
            near = [sense, *sense.similar_tos()]
            opposites.update(
                antonym.name() for one in near for own in one.lemmas() for antonym in own.antonyms()
            )
        return frozenset(opposites)

    def are_opposite(self, left: str, right: str, pos: str) -> bool:
        """Whether a lemma of ``right`` is an antonym of a lemma of ``left``."""
        lemmas = [set(lemminflect.getLemma(word, upos=pos)) for word in (left, right)]
        return any(not self.opposites(lemma, pos).isdisjoint(lemmas[1]) for lemma in lemmas[0])

    def is_term(self, *words: str) -> bool:
        """Whether the words are one entry, such as high school or take place."""
        return bool(self._net.synsets("_".join(words).lower()))

    def knows(self, word: str) -> bool:
        """Whether a form or its lemma has an entry."""
        return bool(self._net.synsets(word.lower()))

    def is_name(self, word: str) -> bool:
        """Whether a lower-case word is always a name: canada, but not turkey or may."""
        names = [name for sense in self._net.synsets(word) for name in sense.lemma_names()]
        own = [name for name in names if name.lower() == word]
        return bool(own) and all(name[:1].isupper() for name in own)

    def kinds(self, noun: str) -> frozenset[str]:
        """Return the lexicographer files of a noun's first senses: noun.person, noun.location."""
        return frozenset(sense.lexname() for sense in self._net.synsets(noun, "n")[:MAIN_SENSES])

    def is_adjective(self, word: str) -> bool:
        """Whether a form can be an adjective."""
        return bool(self._net.synsets(word.lower(), "a"))

    def _alike(self, lemma: str, pos: str) -> Iterator[str]:
        senses = self._net.synsets(lemma, pos)[:SENSES]
        for sense in senses:
            yield from _single(sense)
        for sense in senses:
            near = _ordered(sense.similar_tos()) + _ordered(sense.also_sees())
            for other in near + _ordered(sense.hypernyms()):
                yield from _single(other)
        for sense in senses:
            above = _ordered(sense.hypernyms())
            sisters = [s for hypernym in above for s in _ordered(hypernym.hyponyms())]
            for sister in sisters[:SISTERS]:
                yield from _single(sister)


class Nearest:
    """WordNet as a lexicon of the words that are nearest by sense."""

    def __init__(self, wordnet: WordNet) -> None:
        """Use the senses of ``wordnet``."""
        self.name, self.related = wordnet.name, cache(wordnet.nearest)


def _ordered(senses: list[Any]) -> list[Any]:
    return sorted(senses, key=lambda sense: (sense.pos(), sense.offset()))


def _single(sense: Any) -> Iterator[str]:
    for lemma in sense.lemmas():
        name = lemma.name()
        if name.isalpha() and name.islower():
            yield name


@cache
def _open(folder: str) -> Any:
    """Return NLTK's reader, cached because loading all words takes about a second."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class WordNetFiles(WordNetCorpusReader):  # type: ignore[misc]
        """A reader that supplies the files that some packages of WordNet omit."""

        def open(self, file: str) -> Any:
            if file in _LEFT_OUT and not (Path(folder) / file).exists():
                return io.StringIO(_LEFT_OUT[file])
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> dict[str, str]:  # noqa: ARG002
            """Map nothing: the mapping is for other languages, and needs NLTK's copy of WordNet."""
            return {}

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings on other languages' WordNets, not used here
            if not folder:
                from nltk.corpus import wordnet

                wordnet.ensure_loaded()
                return wordnet
            # NLTK only reads files below the folders in its data path.
            nltk.data.path.append(str(Path(folder).resolve()))
            return WordNetFiles(str(Path(folder).resolve()), None)
    except (LookupError, OSError, ValueError) as error:
        if folder:
            message = (
                f"--wordnet {folder} is not a folder of WordNet ({reported(error, 150)}). It must"
            )
            raise CannotJudge(f"{message} have data.noun and the other files of dict.") from None
        message = "NLTK has no WordNet data"
        if not isinstance(error, LookupError):
            message = f"NLTK's WordNet data cannot be used ({reported(error, 150)})"
        raise CannotJudge(
            f'{message}. Download it with python -c "import nltk; '
            "nltk.download('wordnet')\", or pass a folder of WordNet with --wordnet."
        ) from None
