"""Tests of setting errors: the line in the file, and the reason for invalid TOML."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.bootstrap import settings_sources
from app.settings.model import Choices, SettingsError
from app.settings.refusals import bounds, either, line_of, of_toml, without_secrets_in
from tests.golden import answered

FILE = """# of mine
matches = 5

[tiers]
high = 0.9  # high = 1
"medium" = 0.4

[ llm ]
url = ""
"""


def test_that_other_origins_name_no_line(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("matches = 5\n")
    with pytest.raises(SettingsError) as refused:
        settings_sources(Choices(profile=tmp_path, pairs=("matches=0",)), {})
    assert "line" not in str(refused.value).replace("command line", "")


def test_that_a_file_that_is_gone_or_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").symlink_to("other.toml")
    with pytest.raises(SettingsError, match="cannot be read"):
        settings_sources(Choices(profile=tmp_path), {})
    (tmp_path / "other.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="not UTF-8 text"):
        settings_sources(Choices(profile=tmp_path), {})


def test_that_ranges_and_choices_read_well() -> None:
    assert bounds(1, 1000) == " from 1 to 1,000"
    assert bounds(0, None) == " of at least 0"
    assert bounds(None, 2) == " of at most 2"
    assert bounds(None, None) == ""
    assert either(["a"]) == "a"
    assert either(["a", "b", "c"]) == "a, b or c"
    assert of_toml("Invalid value (at end of document)", "a\nb") == (2, "Invalid value")


LONG = "a." * 59 + "a = {"
TEXTS = (
    f"{LONG[:-3]}.{LONG * 20}",
    f"[{'a.' * 2_000}a]",
    "x = {" + "a." * 63 + "a={" * 300,
    LONG * 50 + "b=1" + "}" * 50,
)


@pytest.mark.parametrize("text", TEXTS)
def test_that_names_of_thousands_of_parts_are_refused_in_a_sentence(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"settings file .* (64 parts|has an error|nested too deep)"):
        settings_sources(Choices(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="no such pipes on Windows")
def test_that_settings_from_a_pipe_or_a_device_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "settings.toml"
    os.mkfifo(pipe)
    for choices in (Choices(tmp_path), Choices(tmp_path, pipe), Choices(tmp_path, Path("/dev/zero"))):
        with pytest.raises(SettingsError, match="is a pipe or a device"):
            settings_sources(choices)


def test_that_an_endless_settings_file_is_not_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    with file.open("wb") as stream:
        stream.truncate(2**33)
    with pytest.raises(SettingsError, match="larger than 1 MB"):
        settings_sources(Choices(tmp_path))


GOLDEN = Path(__file__).with_name("settings_refusals.txt")
"""Inputs with reviewed results; `GOLDEN.write_text(read(), "utf-8")` writes the results again."""


def file_line(text: str) -> str:
    with TemporaryDirectory() as folder:
        (Path(folder) / "settings.toml").write_text(text)
        with pytest.raises(SettingsError) as refused:
            settings_sources(Choices(profile=Path(folder)), {})
        return str(refused.value).replace(folder + os.sep, "")


def secret_line(pair: str) -> str:
    """Return the refusal of a setting with a secret, which it does not tell."""
    with TemporaryDirectory() as folder, pytest.raises(SettingsError) as refused:
        settings_sources(Choices(profile=Path(folder), pairs=(pair,)), {})
    assert not re.search("s3|cret", str(refused.value)), pair
    return str(refused.value)


def taken(pair: str) -> object:
    with TemporaryDirectory() as folder:
        return settings_sources(Choices(profile=Path(folder), pairs=(pair,)), {}).command_line


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "lines of settings": lambda key: line_of(FILE, key),
    "settings files": file_line,
    "secrets in settings": secret_line,
    "addresses without secrets": taken,
    "masked words": without_secrets_in,
}


def read() -> str:
    return answered(GOLDEN, FUNCTIONS)


def test_that_refusals_read_as_reviewed() -> None:
    assert read() == GOLDEN.read_text("utf-8")


def test_that_an_open_list_has_a_line_and_a_long_value_is_cut() -> None:
    assert "has an error in line 2: " in file_line("x = [1,\n\n")
    told = f"line 1: theme = '{'x' * 199}… (from the settings file) is refused"
    assert told in file_line(f"theme = '{'x' * 50_000}'\n")
