"""Tests that a written pack reads back as the same rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.formats.toml_tables import pack_text, read_pack
from app.domain.errors import FormatError
from app.domain.intent import Rule, RulePurpose

PACKS = sorted((Path(__file__).parents[4] / "resources" / "rules").glob("*.toml"))
ODD = ("it's", 'a "b"', "back\\slash", "line\nbreak\ttab", "null\0", "🙂 \u2028 \x7f", "'\"\\", "")


@pytest.mark.parametrize("path", PACKS, ids=lambda path: path.stem)
def test_that_shipped_packs_survive(path: Path, tmp_path: Path) -> None:
    rules = read_pack(path)
    (tmp_path / "pack.toml").write_text(pack_text(rules[0].pack, "A title", rules), "utf-8")
    assert read_pack(tmp_path / "pack.toml") == rules


def test_that_odd_texts_survive(tmp_path: Path) -> None:
    rules = [
        Rule(f"r.{place}", text, text, "mine", place, 1e300, 0.1 + 0.2, text, RulePurpose.ROUTE, place % 2 == 0)
        for place, text in enumerate(ODD)
    ]
    (tmp_path / "pack.toml").write_text(pack_text("mine", ODD[5], rules), "utf-8", newline="\n")
    assert read_pack(tmp_path / "pack.toml") == rules


def test_that_what_is_no_single_pack_is_refused() -> None:
    rule = Rule("a", "a", "a", "mine", 0)
    with pytest.raises(FormatError, match="several purposes"):
        pack_text("mine", "", [rule, replace(rule, purpose=RulePurpose.ROUTE)])
    with pytest.raises(FormatError, match="no rules"):
        pack_text("mine", "", [])


@pytest.mark.parametrize(
    "hard", ["x = " + "[" * 5_000, "a" + ".a" * 5_000 + " = 1", "x = " + "9" * 5_000, "x = [", "\udc80"]
)
def test_that_a_pack_that_is_too_hard_to_read_is_refused_in_a_sentence(tmp_path: Path, hard: str) -> None:
    (tmp_path / "pack.toml").write_bytes(hard.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError, match=r"^The rule pack .*\.$"):
        read_pack(tmp_path / "pack.toml")
