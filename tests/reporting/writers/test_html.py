from __future__ import annotations

import base64
import hashlib
import random
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import msgspec
import pytest

from mt_gate.reporting.pages.group_pages import PAGE
from mt_gate.reporting.words.gathering import MOST
from mt_gate.reporting.writers.html import report
from mt_gate.results.result import Change, GateVerdict, GroupRow
from reporting import hostile, made_up, unpacked

ROWS = made_up.again(made_up.rows())
PLAIN = made_up.again(made_up.rows({None: 12}))


class Page(HTMLParser):
    """Collects the tags and attributes of a page, and its text without its script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag if tag in ("script", "style") else ""

    def handle_endtag(self, _: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


def page(verdict: GateVerdict = GateVerdict.REGRESSION) -> Page:
    result = made_up.result(verdict)
    return Page(report(result, ROWS if result.baseline else PLAIN, made_up.CATALOGUE))


@pytest.mark.parametrize("verdict", GateVerdict)
def test_every_verdict_is_shown(verdict: GateVerdict) -> None:
    text = page(verdict).text
    assert text.count("≠") > 1
    assert "mt-gate 0.1.0|suite ner-default 1 ab12cd34" in text


def test_the_page_asks_nobody_for_anything() -> None:
    for tag, attributes in page().tags:
        assert tag not in ("link", "iframe", "object", "embed", "img", "base")
        assert not {"src", "action", "style", "srcset"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]


def test_the_policy_names_the_hashes_of_style_and_script() -> None:
    text = report(made_up.result(), ROWS, made_up.CATALOGUE)
    policy = next(a["content"] or "" for _, a in Page(text).tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        found = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(found) == 1
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_what_the_tables_say() -> None:
    text = page().text
    assert "Entity shuffle 753 541 83 12.0 % → 17.2 % +5.2 pp[+3.2, +7.2] <0.001 3.1 pp" in text
    shares = "86.0 % → 84.0 %p 0.620 86.0 % → 84.0 %p 0.620"
    assert f"146 vacuous (no answer on either side) {shares} 9 2" in text
    assert "Entities of one label that change places keep their label." in text
    assert "“" not in text.split("For example")[1].split("→")[0]


def test_the_plot_has_its_text_alternative() -> None:
    labels = [a.get("aria-label") or "" for tag, a in page().tags if tag == "svg"]
    wanted = "Entity shuffle: difference +5.2 pp, 95 % interval [+3.2, +7.2] pp, margin 1.0 pp"
    assert wanted in labels


def test_marks_of_a_group() -> None:
    text = report(made_up.result(), ROWS, made_up.CATALOGUE)
    assert '<mark class="c1 x">Ljubljana<b>≠ LOC</b></mark>.' in text
    assert "the <del>modest</del> budget" in text
    assert "the <ins>humble</ins> budget" in text
    assert "LOC “Ljubljana” is lost" in text


def test_failing_relations_come_first_and_new_before_fixed_before_still() -> None:
    tags = page().tags
    kinds = [a["data-kind"] for tag, a in tags if tag == "details" and "data-kind" in a]
    assert kinds[:3] == ["new", "fixed", "still"]
    folded = [a.get("data-kind") for tag, a in tags if tag == "details" and "open" not in a]
    assert set(folded) == {None, "still"}
    sections = [a["id"] for _, a in tags if a.get("class") == "relation"]
    assert sections[0] == "relation-4"


@pytest.mark.slow
def test_ten_thousand_groups_are_all_in_one_page() -> None:
    rows = made_up.rows({Change.NEW: 5000, Change.FIXED: 3000, Change.STILL: 2000, Change.OK: 1000})
    text = report(made_up.result(), made_up.again(rows), made_up.CATALOGUE)
    assert len(text.encode()) < 5_000_000
    assert len(unpacked.index(text)["ids"]) == 10_000
    assert text.count('<li class="g"') == 4 * 3 * PAGE
    assert "groups are in this page" not in Page(text).text


@pytest.mark.slow
def test_long_hostile_groups_stay_below_five_megabytes() -> None:
    noise = random.Random(5)

    def rows() -> Iterator[GroupRow]:
        for row in made_up.many(11_000)():
            words = "".join(map(chr, noise.choices(range(0x3B1, 0x3C9), k=700)))
            long = {"text": f"{row.source['text']} \U000e0001< {words}"}
            yield msgspec.structs.replace(row, source=long, follow_up=long)

    text = report(made_up.result(), rows, made_up.CATALOGUE)
    assert 4_000_000 < len(text.encode()) < 5_000_000
    found = re.search(
        r"([\d,]+) of 11,000 groups are in this page, the most telling ones; the other ([\d,]+)",
        Page(text).text,
    )
    assert found is not None
    here, left = (int(number.replace(",", "")) for number in found.groups())
    assert here + left == 11_000
    assert len(unpacked.index(text)["ids"]) == here > 1000


def test_the_most_telling_stand_under_the_verdict_and_lead_to_their_place() -> None:
    text = report(made_up.result(), ROWS, made_up.CATALOGUE)
    first = text[text.index('<section aria-labelledby="first">') :]
    first = first[: first.index("</section>")]
    links = re.findall(r'href="#(g-\w+)"', first)
    assert len(links) == 3
    assert all(text.count(f'id="{link}"') == 1 for link in links)
    assert "id=" not in first.partition("<ol")[2]


def test_the_command_stands_in_the_page() -> None:
    text = page().text
    assert "mt-gate run --checkpoint models/ner --task ner --suite ner-default" in text
    assert "--baseline baselines/ner.json" in text


def test_rates_before_and_after_are_drawn_with_words() -> None:
    labels = [a.get("aria-label") or "" for tag, a in page().tags if tag == "svg"]
    assert "Entity shuffle: 12.0 % in the baseline, 17.2 % in this run" in labels
    measured = [a.get("aria-label") for tag, a in page(GateVerdict.MEASURED).tags if tag == "svg"]
    assert "Entity shuffle: 15.3 % in this run" in measured


@pytest.mark.slow
def test_of_a_hundred_thousand_groups_as_many_are_rendered_as_are_kept() -> None:
    rows = made_up.again(made_up.rows({Change.NEW: 500, Change.OK: 500}) * 100)
    text = report(made_up.result(), rows, made_up.CATALOGUE)
    assert len(unpacked.index(text)["ids"]) == MOST
    assert "3,000 of 12,500 groups are in this page" in Page(text).text


@pytest.mark.parametrize("verdict", GateVerdict)
def test_hostile_texts_add_no_markup(verdict: GateVerdict) -> None:
    clean = made_up.result(verdict)
    rows = made_up.rows() if clean.baseline else made_up.rows({None: 12})
    text = report(hostile.result(clean), made_up.again(hostile.rows(rows)), hostile.CATALOGUE)
    shape = Page(report(clean, made_up.again(rows), made_up.CATALOGUE))
    found = Page(text)
    assert {tag for tag, _ in found.tags} <= {tag for tag, _ in shape.tags} | {"span"}
    assert {n for _, a in found.tags for n in a} <= {n for _, a in shape.tags for n in a}
    packed = Page("".join(unpacked.groups(text)))
    assert {tag for tag, _ in packed.tags} <= {tag for tag, _ in shape.tags} | {"span"}
    assert {n for _, a in packed.tags for n in a} <= {n for _, a in shape.tags for n in a}
    assert not set("\x00\x1b\r\u202e\u2028") & set(text)
    assert "{{7*7}}" in found.text
    assert "49" not in re.findall(r"--(\d+)\{%x%\}", found.text)


def test_a_run_without_relations_is_a_page() -> None:
    result = made_up.result(GateVerdict.CANNOT_JUDGE, relations=())
    assert "Cannot judge" in Page(report(result, made_up.again([]), {})).text


def test_an_edited_baseline_is_named_under_the_verdict() -> None:
    note = "baselines/ner.json is edited by this pull request <b>: judged by that of abc1234"
    clean = made_up.result()
    head = msgspec.structs.replace(clean.baseline, notes=(note,))
    result = msgspec.structs.replace(clean, baseline=head, notes=(note,))
    text = report(result, ROWS, made_up.CATALOGUE)
    banner = text[text.index('<section class="banner') : text.index('<dl class="tiles')]
    assert note in Page(banner).text
    assert "<b>" not in banner


@pytest.mark.parametrize(
    ("reasons", "folded"), [(0, ""), (6, ""), (7, "1 more reason"), (20, "14 more reasons")]
)
def test_the_worst_reasons_stand_under_the_verdict_and_the_others_a_click_away(
    reasons: int, folded: str
) -> None:
    told = tuple(f"relation {number}: fell" for number in range(reasons))
    result = msgspec.structs.replace(made_up.result(), reasons=told)
    text = report(result, ROWS, made_up.CATALOGUE)
    banner = text[text.index('<section class="banner') : text.index('<dl class="tiles')]
    open_part, fold, rest = banner.partition("<details")
    assert [reason in Page(open_part).text for reason in told] == [n < 6 for n in range(reasons)]
    assert all(reason in Page(fold + rest).text for reason in told[6:])
    assert (folded in Page(rest).text) if folded else not fold


def test_rates_say_which_groups_they_are_of() -> None:
    text = page().text
    assert "Rates over the pairs if there are any, else over all groups." in text
    assert "12.0 % → 17.2 % +5.2 pp" in text
    first, *others = made_up.result().relations
    alone = msgspec.structs.replace(first, comparison=None)
    result = made_up.result(relations=(alone, *others))
    found = Page(report(result, ROWS, made_up.CATALOGUE)).text
    assert f"n/a → {alone.violation_rate:.1%}".replace("%", " %") + "of all groups" in found


def test_a_baseline_that_cannot_be_used_is_no_comparison() -> None:
    head = made_up.result().baseline
    result = made_up.result(GateVerdict.CANNOT_JUDGE, baseline=head)
    found = Page(report(result, PLAIN, made_up.CATALOGUE))
    assert "from baselines/ner.json" in found.text
    assert "no difference computed" not in found.text
    assert {a["data-kind"] for _, a in found.tags if "data-kind" in a} == {"violated"}


def test_the_kinds_of_error_stand_with_their_relation() -> None:
    clean = made_up.result()
    first = msgspec.structs.replace(clean.relations[0], errors={"range-error": 4, "<i>": 1})
    text = report(made_up.result(relations=(first, *clean.relations[1:])), ROWS, made_up.CATALOGUE)
    assert text.count("Errors in violated groups:") == 1
    assert "Errors in violated groups: range error 4, &lt;i&gt; 1." in text


def test_a_repair_has_its_section() -> None:
    text = Page(report(made_up.result(repair=made_up.repair()), ROWS, made_up.CATALOGUE)).text
    assert "160 entities in 120 distinct sentences of 74 violated groups" in text
    assert "150: 60 changed, 90 unchanged" in text
    assert "omission 40, range error 20" in text
    assert "30 wrong to right, 6 right to wrong, 24 still right, 20 still wrong" in text
    assert "60.0 %" in text
    assert "−48.0 %" in text
    assert "Repair" not in page().text


def test_a_repair_without_labels_has_no_measures() -> None:
    result = made_up.result(repair=made_up.repair(measures=None, changed_by_category={}))
    text = Page(report(result, ROWS, made_up.CATALOGUE)).text
    assert "60 changed" in text
    assert "Against labels" not in text


def test_a_hostile_repair_adds_no_markup() -> None:
    clean = made_up.result(repair=made_up.repair())
    shape = Page(report(clean, ROWS, made_up.CATALOGUE))
    counts = {hostile.PAYLOAD: 3}
    poisoned = msgspec.structs.replace(hostile.result(clean).repair, changed_by_category=counts)
    text = report(made_up.result(repair=poisoned), ROWS, made_up.CATALOGUE)
    assert [tag for tag, _ in Page(text).tags] == [tag for tag, _ in shape.tags]
    assert not set("\x00\x1b\r\u202e\u2028") & set(text)
