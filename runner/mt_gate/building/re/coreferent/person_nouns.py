"""Which common nouns stand for a person, so that a pronoun may mean them."""

from __future__ import annotations

from spacy.tokens import Token

from mt_gate.building.re.coreferent import gender

_NOUNS = frozenset(
    "accused actor adult adviser advisor advocate agent aide ally ambassador ancestor "
    "appointee apprentice archbishop architect artist assassin assistant associate athlete "
    "attendant attorney author baby bachelor backer bard bassist batsman biographer bishop "
    "boss bowler boxer bride buddy builder candidate captain cardinal celebrity chairperson "
    "champion chancellor chaplain character chef chief child choreographer citizen clergy "
    "clerk client coach colleague colonel comedian commander commissioner companion composer "
    "comrade conductor congressperson consort consul contemporary contestant convict cook cop "
    "coroner corporal counsel counsellor counselor count cousin coward creator creditor "
    "criminal critic customer czar dancer deacon dealer dean defendant defender delegate "
    "deputy descendant designer despot dictator diplomat director disciple dj doctor dramatist "
    "driver drummer economist editor employee employer enemy engineer ensign envoy ex "
    "ex-husband ex-wife executive expert explorer fan farmer fellow fiancé fiancée figure "
    "filmmaker foe follower forward founder freshman friend frontman general genius goalkeeper "
    "governor grandchild grandparent guard guest guide guitarist guru head heir hero heroine "
    "historian holder host hostage human individual infant informant inmate instructor "
    "inventor journalist judge juror keeper keyboardist kid killer lawyer leader lecturer "
    "legend legislator lieutenant lover lyricist magistrate maid major manager marshal master "
    "mate mayor mc medic member mentor merchant midfielder minister minor monarch mountaineer "
    "murderer musician narrator native neighbor neighbour nominee novelist novice nurse "
    "officer official operator opponent orphan owner painter parent partner passenger pastor "
    "patient patriarch patron peer person philosopher photographer physician pianist pilot "
    "pioneer pitcher player playwright poet politician pope preacher predecessor premier "
    "president priest prime principal prisoner producer professor prophet protagonist protege "
    "protégé psychiatrist pupil quarterback rapper rebel recipient refugee relative reporter "
    "representative resident rival ruler sailor saint scholar scientist screenwriter scribe "
    "sculptor secretary senator sergeant servant settler sheriff shooter sibling singer slave "
    "soldier somebody someone speaker specialist spokesperson spouse spy star stranger striker "
    "student successor superior superstar surgeon survivor suspect teacher teammate teen "
    "teenager therapist thief toddler trainer traitor translator traveler traveller treasurer "
    "trustee tutor twin tyrant veteran viceroy victim villain visitor vocalist volunteer voter "
    "warden warrior winger winner witness worker writer youngster youth".split()
)
_NOT_PERSONS = frozenset(
    "amber anchor answer armor asian australian barrier beer behavior behaviour bladder "
    "blister boiler border brazilian buffer bumper butter canadian cancer career carrier "
    "center centre chamber chapter charger charter chest chowder christian cluster color "
    "colour computer consideration container corner corridor counter cover cruiser cylinder "
    "danger december destroyer diameter dinner disorder door drawer egyptian encounter error "
    "exterior factor favor favour fertilizer fever fiber fibre filter finger fist flavor floor "
    "folder forest former freezer frontier gender hammer harbor harbour harvest header "
    "helicopter honor honour humor humour hunger indian interior iranian italian kilometer "
    "kilometre labor labour ladder laser latter lawsuit layer leather letter lever list liter "
    "litre liver lobster lumber manner matter median meteor meter metre mirror mist monster "
    "motor murder museum newspaper november number ocean october odor offer order oyster paper "
    "parameter pepper perimeter persian pier plaster platter pointer poster power prayer "
    "printer processor quarter register render request river roller rubber rumor russian "
    "scanner sector semester sensor september server shoulder shower silver skyscraper soccer "
    "spider sticker suffer summer supper surrender sweater talisman tanker theater theatre "
    "thunder tiger timber tower tractor trailer transfer trigger tumor tumour twist vapor "
    "vector victorian waist water weather whisper winter wonder wrist".split()
)
_ENDINGS = ("er", "or", "ist", "ian", "eer", "man", "woman", "person", "crat", "monger")
_SHORTEST = 5


def is_person_noun(token: Token) -> bool:
    """Whether a token is a common noun, singular, that may stand for one person."""
    if token.tag_ not in ("NN", "NNP") or token.ent_type_ == "PERSON":
        return False
    word = token.lower_
    if gender.of_noun(word) or word in _NOUNS:
        return True
    if token.tag_ != "NN" or word in _NOT_PERSONS:
        return False
    return len(word) >= _SHORTEST and word.endswith(_ENDINGS)
