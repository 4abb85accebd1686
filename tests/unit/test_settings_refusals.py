"""Where a setting stands in its file, and why a file is no TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.bootstrap import settings_sources
from app.settings import Choices, SettingsError
from app.settings_refusals import bounds, either, line_of, of_toml

FILE = """# of mine
matches = 5

[tiers]
high = 0.9  # high = 1
"medium" = 0.4

[ llm ]
url = ""
"""


@pytest.mark.parametrize(
    ("key", "line"), [("matches", 2), ("tiers.high", 5), ("tiers.medium", 6), ("llm.url", 9), ("tiers", 5), ("x", None)]
)
def test_that_the_line_of_a_setting_is_found(key: str, line: int | None) -> None:
    assert line_of(FILE, key) == line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("matches = 5\n\n[tiers]\nhigh = 2\n", "line 4: tiers.high = 2"),
        ("matches = 5\nfoo", "line 2: Expected '='"),
        ("x = [1,\n\n", "line 2: "),
        ("[tiers]\nhigher = 1\n", "line 2: There is no setting “tiers.higher”"),
        ("tiers.high = 0.1\n", "line 1: tiers (tiers.high from the settings file) is refused"),
        ("matches = 'x'\n", "line 1: matches = 'x' (from the settings file) is refused: it must be a whole number"),
    ],
)
def test_that_an_error_in_the_file_is_told_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as refused:
        settings_sources(Choices(profile=tmp_path), {})
    assert f"The settings file {file} has an error in {told}" in str(refused.value)


def test_that_other_origins_name_no_line(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("matches = 5\n")
    with pytest.raises(SettingsError) as refused:
        settings_sources(Choices(profile=tmp_path, pairs=("matches=0",)), {})
    assert "line" not in str(refused.value).replace("command line", "")


def test_that_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="no text in UTF-8"):
        settings_sources(Choices(profile=tmp_path), {})


def test_that_ranges_and_choices_read_well() -> None:
    assert bounds(1, 1000) == " from 1 to 1,000"
    assert bounds(0, None) == " of at least 0"
    assert bounds(None, 2) == " of at most 2"
    assert bounds(None, None) == ""
    assert either(["a"]) == "a"
    assert either(["a", "b", "c"]) == "a, b or c"
    assert of_toml("Invalid value (at end of document)", "a\nb") == (2, "Invalid value")
