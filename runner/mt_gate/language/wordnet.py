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
"""The lexicographers' files in WordNet's order: lexnames(5WN)."""
_LEFT_OUT = {
    "lexnames": "".join(f"{at:02d}\t{name}\t0\n" for at, name in enumerate(_FIELDS)),
    "cntlist.rev": "",
}
_POS = {"VERB": "v", "ADJ": "a", "NOUN": "n"}
SENSES = 4
"""Senses of a word that are used, in the order of their frequency."""
MAIN_SENSES = 2
"""Senses of a noun that show its usual kind of thing."""
SISTERS = 20
"""Words that share a hypernym with a sense, at most."""


class WordNet:
    """Lexical relations of English, by form: inflected as the wanted form."""

    def __init__(self, folder: str = "") -> None:
        """Open NLTK's WordNet, or one whose ``dict`` files lie in ``folder``.

        Raises CannotJudge: it is not there.
        """
        self._net = _open(folder)
        self.name = f"WordNet {self._net.get_version()}"

    def related(self, word: str) -> Iterator[str]:
        """Yield synonyms, similar words and sisters in every tag that ``word`` can have."""
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

    def opposites(self, lemma: str, pos: str) -> frozenset[str]:
        """Return the antonyms of a lemma, indirect ones of adjectives among them."""
        opposites: set[str] = set()
        for sense in self._net.synsets(lemma, _POS[pos]):
            near = [sense, *sense.similar_tos()]
            opposites.update(
                antonym.name() for one in near for own in one.lemmas() for antonym in own.antonyms()
            )
        return frozenset(opposites)

    def are_opposite(self, left: str, right: str, pos: str) -> bool:
        """Whether a lemma of one form is an antonym of a lemma of the other."""
        lemmas = [set(lemminflect.getLemma(word, upos=pos)) for word in (left, right)]
        return any(not self.opposites(lemma, pos).isdisjoint(lemmas[1]) for lemma in lemmas[0])

    def is_term(self, *words: str) -> bool:
        """Whether several words are one entry: high school, take place."""
        return bool(self._net.synsets("_".join(words).lower()))

    def knows(self, word: str) -> bool:
        """Whether a form or its lemma has an entry."""
        return bool(self._net.synsets(word.lower()))

    def is_name(self, word: str) -> bool:
        """Whether a lower-case word is only ever a name: canada, but not turkey or may."""
        names = [name for sense in self._net.synsets(word) for name in sense.lemma_names()]
        own = [name for name in names if name.lower() == word]
        return bool(own) and all(name[:1].isupper() for name in own)

    def kinds(self, noun: str) -> frozenset[str]:
        """Return the lexical fields of a noun's first senses: noun.person, noun.location, ..."""
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


def _ordered(senses: list[Any]) -> list[Any]:
    return sorted(senses, key=lambda sense: (sense.pos(), sense.offset()))


def _single(sense: Any) -> Iterator[str]:
    for lemma in sense.lemmas():
        name = lemma.name()
        if name.isalpha() and name.islower():
            yield name


@cache
def _open(folder: str) -> Any:
    """Return NLTK's reader, the same for all who ask: it reads all words first, for a second."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class WordNetFiles(WordNetCorpusReader):  # type: ignore[misc]
        """WordNet's own files; with the parts that some packages omit."""

        def open(self, file: str) -> Any:
            if file in _LEFT_OUT and not (Path(folder) / file).exists():
                return io.StringIO(_LEFT_OUT[file])
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> dict[str, str]:  # noqa: ARG002
            """Map nothing: the mapping serves other languages, and wants NLTK's own copy."""
            return {}

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other languages' WordNets, which are not used
            if not folder:
                from nltk.corpus import wordnet

                wordnet.ensure_loaded()
                return wordnet
            # NLTK reads below the folders that it knows, and nowhere else.
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
