"""Verbs whose active and passive say the same, and their forms.

Listed, not guessed: of the transitive verbs many have no natural passive with
an agent (have, contain, feature, reach), or one in another sense (join, follow).
"""

from __future__ import annotations

import lemminflect

_BOTH_WAYS = frozenset(
    "abandon abolish absorb accelerate accept accommodate achieve acquire activate adapt add "
    "administer adopt affect alleviate alter amend annex announce appoint approve arrest "
    "assassinate assemble attack attend authorise authorize award ban block bomb boost breach "
    "break broadcast build burn buy cancel capture cause challenge choose cite co-found "
    "write coin collect combine command commemorate commission complete compose conceal condemn "
    "conduct confirm confront conquer construct consult consume control convert correct create "
    "criticise criticize cultivate damage decide declare defeat defend define delay deliver "
    "deny depict deploy describe design destroy detect determine develop direct discontinue "
    "discover disrupt dissolve distinguish distribute disturb divide domesticate dominate draft "
    "eat edit educate elect eliminate employ enact endorse enforce enhance ensure establish "
    "evaluate examine exclude execute exempt expand exploit export facilitate favor favour film "
    "finance found fund generate govern grant guarantee handle harm heat help hire honor honour "
    "host house hunt identify ignore illustrate implement import impose improve increase "
    "indicate induce infect influence inhabit inherit initiate injure inspect inspire install "
    "integrate interpret interview introduce invade invent investigate isolate issue kidnap "
    "kill launch lead license limit maintain manage manipulate manufacture market mediate "
    "mention modify monitor murder name neutralize nominate notify observe obtain occupy offer "
    "officiate operate oppose organise organize overrule oversee overthrow overturn own paint "
    "pass patent perform permit persecute pioneer plague play portray praise predict preserve "
    "prevent process proclaim produce prohibit promote propel propose prosecute protect provide "
    "provoke publish punish purchase pursue push question raise ratify rebuild recapture "
    "recognise recognize recommend reconstruct record recover redesign reduce reform regulate "
    "reject relay release remove renew reopen repair repeal replace report represent reprise "
    "request require rescue resolve restore restrict reveal reverse review revise revive revoke "
    "sack sanction save scan scrap secure seize select sell settle shape shoot sign simulate "
    "solve sponsor spread stage steal stimulate strengthen study submit succeed "
    "supervise supply support suppress surpass suspend sustain target teach test threaten "
    "transform translate transmit transport treat trigger undermine uphold use utilise utilize "
    "validate vandalise vandalize verify veto violate visit weaken welcome win withdraw worship "
    "write".split()
)
_ONLY_TO_ACTIVE = frozenset(
    "voice head sing draw make narrate own operate captain chair coach design "
    "sculpt conceive devise animate co-create author script score photograph choreograph".split()
)
_ONLY_FROM_PASSIVE_REFUSED = frozenset("form determine define require name".split())
_EVENTS = frozenset(
    "write direct create release compose develop design found build construct "
    "record invent discover introduce illustrate adapt draw paint narrate script author "
    "co-write co-found co-create establish film edit score choreograph sculpt "
    "photograph launch propose enact adopt ratify win commission "
    "animate conceive devise kill defeat murder assassinate acquire "
    "purchase coin".split()
)
_LASTING = frozenset(
    "own operate use govern control administer regulate manage provide offer maintain "
    "represent employ oversee issue sponsor".split()
)
_REPEATED = frozenset("publish perform produce distribute release record".split())
_FORMS = {
    ("relay", "VBN"): "relayed",
    ("broadcast", "VBD"): "broadcast",
    ("broadcast", "VBN"): "broadcast",
    ("burn", "VBD"): "burned",
    ("burn", "VBN"): "burned",
    ("co-write", "VBD"): "co-wrote",
    ("co-write", "VBN"): "co-written",
    ("co-write", "VBZ"): "co-writes",
    ("co-found", "VBD"): "co-founded",
    ("co-found", "VBN"): "co-founded",
    ("co-found", "VBZ"): "co-founds",
}


def to_passive(lemma: str) -> bool:
    """Whether an active clause with this verb may turn passive."""
    return lemma in _BOTH_WAYS


def to_active(lemma: str) -> bool:
    """Whether a passive clause with this verb and an agent may turn active."""
    return lemma in (_BOTH_WAYS | _ONLY_TO_ACTIVE) - _ONLY_FROM_PASSIVE_REFUSED


def is_event(lemma: str) -> bool:
    """Whether a bare participle of the verb tells of the past: a film directed by Ann Lee."""
    return lemma in _EVENTS


def is_repeated(lemma: str) -> bool:
    """Whether what is done to one thing in the past is done to many all along.

    A game published by Sega: it was; the comic books published by Marvel: they are.
    """
    return lemma in _REPEATED


def is_lasting(lemma: str) -> bool:
    """Whether a bare participle is as true as its sentence's verb: the house owned by Ann Lee."""
    return lemma in _LASTING


def past_form(written: str, lemma: str, tag: str) -> str | None:
    """Return a past form, spelt as the source spells its own: cancelled, not canceled."""
    return written if written.endswith("ed") else form(lemma, tag)


def form(lemma: str, tag: str) -> str | None:
    """Return a verb's form under a Penn tag; None where there is none or no telling which."""
    if tag == "VB":
        return lemma
    if (lemma, tag) in _FORMS:
        return _FORMS[lemma, tag]
    found = [str(one) for one in lemminflect.getInflection(lemma, tag=tag, inflect_oov=False)]
    return found[0] if found else None
