"""Map a system's labels to the kinds of entities that a suite knows (task ner).

    label-map   person = ["PER", "NAME"]     the suite's kind person is the system's PER and NAME

Kinds that the map omits are matched by common names of labels. Kinds without a label are not
tested. Predictions keep the system's labels; letter case and punctuation of labels are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from mt_gate.base.errors import CannotJudge, UsageError, did_you_mean, page, quoted
from mt_gate.base.figures import count, percent
from mt_gate.domain import ErrorCategory, Verdict
from mt_gate.relations.base import is_known_answer
from mt_gate.relations.ner.known_entities import plain_name
from mt_gate.results.result import CheckpointHead
from mt_gate.results.store import RowLines, chosen
from mt_gate.running.labels import few
from mt_gate.running.operating import Needs, OperatedSystem
from mt_gate.settings.values import in_text
from mt_gate.sut.confined import ConfinedCheckpoint
from mt_gate.sut.protocol import System
from mt_gate.tasks.tag_scheme import read_tag_scheme

USUAL_NAMES: Mapping[str, str] = {
    "person": "per name fullname givenname surname firstname lastname middlename patient human",
    "email": "emailaddress mail",
    "phone": "phonenumber telephone telephonenum telephonenumber phonenum tel mobile fax faxnumber",
    "street": "streetaddress address addr buildingnum buildingnumber location loc gpe",
    "postcode": "zip zipcode postalcode address location loc gpe",
    "city": "town address location loc gpe",
    "birth-date": "dateofbirth dob birthdate birthday date datetime",
    "age": "",
    "iban": "ibancode",
    "card-number": "creditcard creditcardnumber cardnumber cardnum card creditdebitcard debitcard",
    "national-id": "ssn socialnum socialnumber socialsecuritynumber usssn taxnum taxid taxnumber "
    "nationalid idcardnum idcard uknino ukninumber nino esnif itfiscalcode inaadhaar usitin "
    "governmentid idnum",
    "passport": "passportnum passportnumber uspassport ukpassport itpassport inpassport",
    "plate": "licenseplate licenceplate vehiclevrm numberplate platenumber vehicleregistration "
    "invehicleregistration",
    "ip": "ipaddress ipv4 ipv6 ipaddr",
    "mac": "macaddress",
    "url": "website link uri webpage",
    "username": "user login userid accountname",
    "password": "pass passwd pwd secret credential",
    "api-key": "apikey token accesstoken secret secretkey credential",
    "account": "accountnumber accountnum bankaccount bankaccountnumber usbanknumber",
    "record-number": "medicalrecord medicalrecordnumber mrn recordnumber patientid",
    "company": "org organization organisation companyname employer",
}
"""Common names of labels by kind, besides the kind's own, as ``plain_name`` returns them."""
KIND = "kind: "
"""Prefix in the name of the slice of a kind's known entities."""
_LEAST, _FEW, _MOST = 20, 0.25, 0.5
"""A check of a map needs 20 entities. It fails if <= 25% are right, >= 50% get one other label."""


def guess_labels(kind: str, labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels whose names mean a kind."""
    names = {plain_name(kind), *USUAL_NAMES.get(kind, "").split()}
    return tuple(sorted(label for label in labels if plain_name(label) in names))


def with_kinds(
    system: System, label_map: Mapping[str, tuple[str, ...]], needs: Needs
) -> OperatedSystem:
    """Return a system with the labels that mean each kind of the suite.

    Raises:
        UsageError: the map names a kind or a label that does not exist.
        CannotJudge: no kind has a label, or the system's labels are not known.
    """
    known, name = _types_of(system), system.head.name
    for kind, labels in label_map.items():
        if kind not in needs.kinds:
            raise UsageError(
                f"--label-map: suite {needs.suite} has no kind {quoted(kind, 60)}."
                f"{did_you_mean(kind, needs.kinds)} It has {few(needs.kinds)}. Fix the map."
            )
        for label in labels:
            if known and label not in known:
                raise UsageError(
                    f"--label-map {kind}: {quoted(label, 60)} is not a label of {name}, which has "
                    f"{few(known)}.{did_you_mean(label, known)} Fix the map."
                )
    guessed = {kind: guess_labels(kind, known) for kind in needs.kinds}
    used = {kind: labels for kind, labels in guessed.items() if labels} | dict(label_map)
    if not used:
        has = f"it has the labels {few(known)}" if known else "it does not state its labels"
        example = in_text({needs.kinds[0]: (known[0] if known else "LABEL",)})
        raise CannotJudge(
            f"mt-gate does not know which labels of {name} mean the kinds of suite {needs.suite} "
            f"({few(needs.kinds)}): {has}. Map them: --label-map {quoted(example, 120)} "
            f"({page('labels', 'label-map')})"
        )
    return OperatedSystem(system, None, {"label_map": used}, known)


def kinds_of(head: CheckpointHead) -> dict[str, frozenset[str]]:
    """Return the labels of each kind, as relations compare them."""
    return {kind: frozenset(map(plain_name, labels)) for kind, labels in head.label_map.items()}


def _types_of(system: System) -> tuple[str, ...]:
    """Return a system's labels of entities, without B- and I-; empty if they are not known."""
    labels = tuple(getattr(system, "labels", ()))
    if not isinstance(system, ConfinedCheckpoint):
        return labels
    scheme = read_tag_scheme(labels, where=system.head.name)
    return tuple(dict.fromkeys(tag.type for tag in scheme.tags if tag))


def check_same_kinds(now: CheckpointHead, before: CheckpointHead, name: str) -> None:
    """Raise CannotJudge if a kind that the baseline tested has no label any more."""
    lost = [kind for kind in before.label_map if kind not in now.label_map]
    if lost and now.label_map:
        example = in_text({lost[0]: ("LABEL",)})
        raise CannotJudge(
            f"{name} was recorded with a label for {few(lost)}, but {now.name} has none. Map it: "
            f"--label-map {quoted(example, 120)}. Or record a new baseline."
        )


def check_kinds(rows: RowLines, suite: str, label_map: Mapping[str, tuple[str, ...]]) -> None:
    """Reject a user's label map if known entities of a kind are mostly predicted as another.

    Kinds that were matched by name are not checked: the system may confuse two kinds. Raises
    CannotJudge: another map probably fits the suite.
    """
    seen: Counter[str] = Counter()
    others: dict[str, Counter[str]] = {}

    for row in chosen(rows, lambda row: is_known_answer(row.relation)):
        kind = next((x.removeprefix(KIND) for x in row.slices if x.startswith(KIND)), "")
        if kind not in label_map or row.verdict is Verdict.NOT_APPLICABLE:
            continue
        seen[kind] += 1
        labels = others.setdefault(kind, Counter())
        labels[""] += row.verdict is Verdict.SATISFIED
        labels.update(
            error.follow_up.label
            for error in row.errors
            if error.category is ErrorCategory.INCORRECT_CATEGORY
            and error.follow_up
            and error.source
            and error.follow_up[:2] == error.source[:2]
        )
    for kind, number in sorted(seen.items()):
        label, times = others[kind].most_common(1)[0]
        right = others[kind][""] / number
        if number >= _LEAST and right <= _FEW and label and times / number >= _MOST:
            likely = in_text({**label_map, kind: (label,)})
            raise CannotJudge(
                f"Suite {suite}: of {count(number)} entities of kind {quoted(kind, 60)}, the model "
                f"predicts {percent(right)} right, and {percent(times / number)} as "
                f"{quoted(label, 60)}. The label map is probably wrong. Try --label-map "
                f"{quoted(likely, 300)}"
            )
