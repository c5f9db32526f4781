"""Licences of what images hold: each package of the locks that is installed here."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import PackageNotFoundError, version

import pytest

from cases import table
from releasing import scripts
from releasing.test_locks import of

licences = scripts.load("licences")
RULES = licences.policy()


def test_all_packages_of_the_images_have_an_allowed_licence() -> None:
    names = {*of("run"), *of("full"), *of("torch")}
    here = set()
    for name in names:
        try:
            version(name)
        except PackageNotFoundError:
            continue
        here.add(name)
    assert len(here) >= len(names) / 2, "too few of the images' packages are installed here"
    actual = list(licences.python_packages(RULES, here))
    assert {item.name for item in actual} == here
    assert [item for item in actual if not item.allowed] == []


@pytest.mark.parametrize(
    ("expression", "allowed"), table(__file__, "of_an_expression_each_licence_counts")
)
def test_of_an_expression_each_licence_counts(expression: str, allowed: bool) -> None:
    assert licences.is_allowed(expression, RULES.allowed) is allowed


class Metadata(Message):
    """What a package says of itself, as importlib reads it."""

    @property
    def json(self) -> dict[str, object]:
        result: dict[str, object] = {"classifier": self.get_all("Classifier", [])}
        fields = {"license": "License", "license_expression": "License-Expression"}
        return result | {key: self[field] for key, field in fields.items() if self[field]}


@pytest.mark.parametrize(
    ("fields", "licence"),
    table(__file__, "what_a_package_says_of_itself"),
)
def test_what_a_package_says_of_itself(fields: list[tuple[str, str]], licence: str) -> None:
    metadata = Metadata()
    for name, value in fields:
        metadata[name] = value
    assert licences.licence_of(metadata, RULES.names) == licence
