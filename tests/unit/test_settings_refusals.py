"""Tests of setting errors: the line in the file, and the reason for invalid TOML."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from app.bootstrap import settings_sources
from app.settings.model import Choices, SettingsError
from app.settings.refusals import bounds, either, line_of, of_toml, without_secrets_in

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
        ("[tiers]\nhigher = 1\n", "line 2: Unknown setting “tiers.higher”"),
        ("tiers.high = 0.1\n", "line 1: tiers (tiers.high from the settings file) is refused"),
        ("\ufeff# of Notepad\nmatches = 0\n", "line 2: matches = 0"),
        (f"theme = '{'x' * 50_000}'\n", f"line 1: theme = '{'x' * 199}… (from the settings file) is refused"),
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


PLACES = "intentscope stores --password", "OLLAMA_API_KEY", "answers without"


@pytest.mark.parametrize(
    ("key", "place", "addresses"),
    [
        (
            "route.postgresql",
            PLACES[0],
            (
                "postgresql://me:s3cret@db/notes postgresql://me:s3:s3cret@db/notes postgresql://me:s3@cret@db/notes "
                "postgresql://me:s3/cret@db/notes postgresql://me:s3?cret@db/notes"
                " postgresql://me:12/s3@db postgresql://me:s3/cr?e/t@db "
                "postgresql://db/notes?password=s3cret&sslmode=require postgresql://db/notes?password=s3'cret "
                "postgresql://db/notes?sslpassword=s3cret postgresql://db/notes?%70assword=s3cret "
                "postgresql://db/notes?scram_client_key=s3cret"
            ),
        ),
        (
            "route.qdrant",
            PLACES[0],
            "http://q:1?api_key=s3cret https://q?a=1&API-Key=s3cret https://s3cret@q http://q#token=s3",
        ),
        ("route.neo4j", PLACES[0], "bolt://me:s3cret@h"),
        ("route.graphiti", PLACES[0], "falkor://me:s3cret@h"),
        ("route.redis", PLACES[0], "redis://:s3cret@h redis://h?password=s3cret"),
        (
            "llm.url",
            PLACES[1],
            "http://me:s3cret@h:1 me:s3cret@h:1 https://s3cret@h s3cret@h:1 http://h:1?key=s3cret h:1?auth=s3",
        ),
        ("llm.url", PLACES[1], "http://h?x=1;token=s3cret http://h?token%3Ds3cret http://h?subscription-key=s3cret"),
        ("llm.url", PLACES[1], "http://h?code=s3cret http://h?X-Amz-Signature=s3cret http://h/a;session=s3cret"),
        ("encoder.url", PLACES[1], "http://me:s3cret@h:1"),
        ("updates.url", PLACES[2], "https://h/v.json?access_token=s3cret"),
    ],
)
def test_that_a_secret_in_an_address_is_refused_and_told_without_it(
    tmp_path: Path, key: str, place: str, addresses: str
) -> None:
    for address in addresses.split():
        with pytest.raises(SettingsError, match="a password or key does not belong here") as told:
            settings_sources(Choices(profile=tmp_path, pairs=(f"{key}={address}",)), {})
        assert place in str(told.value)
        assert not re.search("s3|cret", str(told.value)), address
        assert "…" in str(told.value)


@pytest.mark.parametrize(
    "said", ["llm.url=Bearer s3cret", "route.redis=host=h password='s3 cret'", "route.qdrant=http://h A: Bearer s3cret"]
)
def test_that_a_value_that_is_no_address_is_refused_without_its_secret(tmp_path: Path, said: str) -> None:
    with pytest.raises(SettingsError, match="is refused") as told:
        settings_sources(Choices(profile=tmp_path, pairs=(said,)), {})
    assert not re.search("s3|cret", str(told.value))


@pytest.mark.parametrize("word", ["'https://h/mcp?key={}'", "-u 'h://h?a=1&token={}'", "x --key {}", "WEB_SECRET={}"])
def test_that_a_masked_word_stays_quoted(word: str) -> None:
    for secret in ("s3", "ftp://s3/a"):
        assert without_secrets_in(word.format(secret)) == word.format("…")


def test_that_addresses_without_secrets_are_taken(tmp_path: Path) -> None:
    for said in (
        "route.postgresql=postgresql://me@h/d?sslmode=verify-full&sslkey=/home/me/key.pem&passfile=/p",
        "route.redis=rediss://me@h:6379/0",
        "route.qdrant=https://h:6333/prefix",
        "llm.url=http://[::1]:11434",
        "updates.url=https://h/v.json?channel=stable&product=5",
    ):
        assert settings_sources(Choices(profile=tmp_path, pairs=(said,)), {}).command_line
