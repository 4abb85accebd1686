"""Tests of version comparison, and of the interval of version checks."""

from __future__ import annotations

import pytest

from app.services.system.checkup import DAY_SECONDS, VersionCheck, is_due, newer, stored_version_check

URL = "http://127.0.0.1/version.json"


@pytest.mark.parametrize(
    ("version", "than", "told"),
    [
        ("1.2.0", "1.1.9", "1.2.0"),
        ("0.10", "0.9.1", "0.10"),
        ("1.2", "1.2.0", ""),
        ("1.2.0", "1.2.0", ""),
        ("0.9", "1.0", ""),
        ("2", "1.9.9.9", "2"),
        ("1.0.1", "1.0.0rc1", "1.0.1"),
        ("", "1.0", ""),
        ("<b>9</b>", "1.0", ""),
        ("9.9\n", "1.0", ""),
        ("9" * 30, "1.0", ""),
        ("2.0", "unknown", ""),
    ],
)
def test_that_only_a_newer_version_is_told(version: str, than: str, told: str) -> None:
    assert newer(version, than) == told


def test_that_an_address_is_asked_once_a_day() -> None:
    before = VersionCheck(URL, 1_000_000.0, "1.0")
    assert is_due(None, URL, 0.0)
    assert not is_due(before, URL, before.at + DAY_SECONDS - 1)
    assert is_due(before, URL, before.at + DAY_SECONDS)
    assert is_due(before, URL, before.at - 1), "a clock that was put back"
    assert is_due(before, f"{URL}?other", before.at)


def test_that_what_was_asked_survives_being_kept_and_damage_is_none() -> None:
    before = VersionCheck(URL, 12.5, "1.0")
    assert stored_version_check(before.text()) == before
    for text in ("", "[]", "{}", '{"url": 1}', '{"url": "", "at": "x", "version": ""}', "[" * 100_000):
        assert stored_version_check(text) is None
