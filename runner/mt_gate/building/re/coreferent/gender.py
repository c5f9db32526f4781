"""The gender that a name or a noun says: male, female, or nothing certain."""

from __future__ import annotations

from collections.abc import Iterable

MALE, FEMALE, UNKNOWN = "male", "female", ""

_MALE_NOUNS = frozenset(
    "abbot bachelor baron boy boyfriend bridegroom brother brother-in-law businessman cardinal "
    "chairman clergyman congressman craftsman czar dad duke earl emir emperor father "
    "father-in-law fiancé fisherman friar frontman gentleman godfather grandfather grandson "
    "groom guy half-brother husband imam king knight lord maharaja man men monk nephew "
    "nobleman policeman pope prince salesman shah son son-in-law spokesman sportsman statesman "
    "stepfather stepson sultan tsar uncle waiter widower".split()
)
_FEMALE_NOUNS = frozenset(
    "abbess actress aunt ballerina baroness bride businesswoman chairwoman congresswoman "
    "countess daughter daughter-in-law duchess empress fiancée girl girlfriend goddess "
    "godmother granddaughter grandmother half-sister heiress hostess housewife lady mezzo mom "
    "mother mother-in-law mum niece noblewoman nun poetess policewoman priestess princess "
    "queen saleswoman seamstress sister sister-in-law songstress soprano spokeswoman "
    "sportswoman stateswoman stepdaughter stepmother sultana tsarina waitress widow wife woman "
    "women".split()
)
_MALE_TITLES = frozenset("brother duke father king lord mister mr mr. prince sir".split())
_FEMALE_TITLES = frozenset(
    "dame duchess lady madam madame miss mrs mrs. ms ms. princess queen sister".split()
)
_MALE_NAMES = frozenset(
    "aaron abraham adam adolf ahmed alan albert alberto alec alejandro aleksandr alexander "
    "alfred ali allan allen andre andreas andrew andy angelo anthony antonio arnold arthur "
    "barack barry ben benjamin bernard bill billy bob bobby boris brad brandon brendan brett "
    "brian bruce bruno bryan carl carlo carlos cecil cesar charles charlie chris christian "
    "christopher chuck clarence claude claudio clive colin craig cyril dan daniel danny darren "
    "dave david dean dennis derek diego dieter dmitri dmitry dominic donald doug douglas "
    "duncan dustin dwight earl ed eddie edgar eduardo edward edwin elliott elvis emil enrico "
    "enrique eric erik ernest ernst erwin ethan eugene fernando fidel francesco francis "
    "francisco francois frank franklin franz fred frederick friedrich gabriel gareth gary "
    "gavin geoffrey george gerald gerard gerhard gilbert giovanni giuseppe glenn gordon graham "
    "greg gregory guillermo gustav guy hans harold harry harvey heinrich helmut henri henrik "
    "henry herbert herman hermann homer howard hubert hugh hugo ian igor isaac ivan jack "
    "jackson jacob jacques jake jakob james jason javier jeff jeffrey jeremy jerome jerry "
    "jesus jim jimmy joe joel johan johann johannes john johnny jonathan jorge jose joseph "
    "joshua juan jules julian julio julius jurgen justin karl keith ken kenneth kevin kirk "
    "klaus konrad kurt kyle lance larry lars laurence lawrence lennox leo leon leonard "
    "leonardo leopold liam lionel lorenzo louis luca lucas ludwig luigi luis luke mahmoud "
    "malcolm manuel marc marcel marco marcus mario mark martin marvin matt matteo matthew "
    "maurice max maximilian mehmet michael michel miguel mike mikhail mitch mohamed mohammad "
    "mohammed muhammad murray nathan nathaniel neil nelson nicholas nick nicolas nigel nikolai "
    "noah norman oleg oliver omar oscar oswald otto owen pablo patrick paul pavel pedro per "
    "pete peter phil philip philippe phillip pierre rafael ralph ramon randolph raul ray "
    "raymond reginald rene ricardo richard rick rob robert roberto rodney roger roland roman "
    "ron ronald rory ross rudolf rupert russell ryan salvador salvatore samuel santiago saul "
    "scott sean sebastian serge sergei sergey sergio seth simon spencer stanley stefan stephen "
    "steve steven stuart ted terence theodore thomas tim timothy tobias todd tom tomas tommy "
    "tony travis trevor umberto vernon victor viktor vincent vincenzo vladimir walter warren "
    "wayne werner wilhelm will willem william winston wolfgang woodrow xavier yuri zachary".split()
)
_FEMALE_NAMES = frozenset(
    "abigail ada adele adriana agatha agnes aisha alexandra alexandria alice alicia alison "
    "amanda amelia amy ana anastasia angela angelina anita ann anna anne annette annie "
    "antoinette antonia audrey barbara beatrice beatrix bella bernadette bertha bessie beth "
    "betsy betty beverly brenda bridget britney camilla carla carmen carol carole caroline "
    "carolyn catharine catherine cecilia celine charlotte cheryl chloe christina christine "
    "cindy clara claudia colleen cornelia cynthia daisy daphne debbie deborah deirdre denise "
    "diana diane dolores donna dora doris dorothea dorothy edith edna eileen elaine eleanor "
    "elena elisabeth eliza elizabeth ella ellen elsa elsie emilia emily emma erica esther "
    "ethel eugenie eva eve evelyn felicia fiona flora florence frances francesca frida "
    "gabriela gabrielle genevieve georgia georgina geraldine gertrude gillian gina giulia "
    "gloria grace greta gretchen gwen gwendolyn hannah harriet hazel heather heidi helen "
    "helena helene henrietta hilary hilda hillary ida imelda ingrid irene irina iris isabel "
    "isabella isabelle ivana jacqueline jane janet janice jeanette jeanne jennifer jenny "
    "jessica jill joan joanna joanne josephine joyce juanita judith judy julia juliana julie "
    "juliet june karen karin kate katharine katherine kathleen kathryn kathy katie katrina "
    "katya laura lauren lena lenore leona leonora lillian lily linda lisa liz liza lois lola "
    "loretta lorraine louisa louise lucia lucille lucy luisa lydia madeleine madonna maggie "
    "manuela margaret margarita margot maria mariah marian marianne marie marilyn marina "
    "marjorie marlene martha martina mary mathilda matilda maud maureen mercedes meredith "
    "michelle mildred miranda miriam molly monica nadia nancy naomi natalia natalie natasha "
    "nicole nina nora norma olga olivia ophelia pamela patricia patty paula pauline penelope "
    "petra phoebe phyllis priscilla rachel ramona rebecca regina renata rita roberta rosa "
    "rosalind rose rosemary ruth sabrina sally samantha sandra sara sarah selena serena sharon "
    "sheila shirley silvia simone sofia sonia sophia sophie stella stephanie susan susanna "
    "susanne suzanne sybil sylvia tamara tara tatiana teresa theresa tina ursula valentina "
    "valerie vanessa vera veronica victoria viola violet virginia vivian wanda wendy whitney "
    "wilhelmina wilma winifred yolanda yvette yvonne zelda zoe".split()
)


def of_noun(word: str) -> str:
    """Return the gender of a noun for a person, in lower case: ``wife``, ``actress``."""
    if word in _MALE_NOUNS:
        return MALE
    return FEMALE if word in _FEMALE_NOUNS else UNKNOWN


def of_title(word: str) -> str:
    """Return the gender of a title before a name, in lower case: ``mrs.``."""
    if word in _MALE_TITLES:
        return MALE
    return FEMALE if word in _FEMALE_TITLES else UNKNOWN


def of_given_name(word: str) -> str:
    """Return the gender of a given name in lower case that is borne by one gender alone."""
    if word in _MALE_NAMES:
        return MALE
    return FEMALE if word in _FEMALE_NAMES else UNKNOWN


def is_given_name(word: str) -> bool:
    """Whether the word is a well-known given name."""
    return of_given_name(word.lower()) != UNKNOWN


def agreed(genders: Iterable[str]) -> str:
    """Return the one gender that several cues say; nothing where they say none or differ."""
    said = {one for one in genders if one}
    return said.pop() if len(said) == 1 else UNKNOWN
