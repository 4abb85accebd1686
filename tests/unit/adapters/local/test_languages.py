"""Which language a start speaks, and that a compiled translation is read as Qt reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator

from app.adapters.local import languages
from app.adapters.local.languages import (
    CHOSEN_FILE,
    available,
    catalogue_for,
    desktop_languages,
    keep_language,
    plural_form,
    read_catalogue,
)
from tests.scripts import script

ts = script("translations")
GERMAN = {"LANG": "de_DE.UTF-8"}
SPOKEN = {"Open": ("Öffnen",), "{n} cases": ("{n} Fall", "{n} Fälle")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for translations that holds one to German."""
    monkeypatch.setattr(languages, "RESOURCES", tmp_path)
    compiled(tmp_path, "de", SPOKEN)
    return tmp_path


def compiled(folder: Path, code: str, spoken: dict[str, tuple[str, ...]]) -> Path:
    file = folder / f"intentscope_{code}.ts"
    messages = [ts.Message(text, len(forms) > 1, forms, finished=True) for text, forms in spoken.items()]
    file.write_text(ts.written(messages, code), "utf-8")
    ts.compile_to(file, file.with_suffix(".qm"))
    return file.with_suffix(".qm")


def started(profile: Path, *words: str, **environment: str) -> str:
    return catalogue_for(["--profile", str(profile), *words], environment).code


def test_that_the_command_line_wins_over_environment_profile_file_and_desktop(folder: Path, tmp_path: Path) -> None:
    profile = tmp_path / "p"
    profile.mkdir()
    assert started(profile) == "en"
    assert started(profile, **GERMAN) == "de"
    (profile / "settings.toml").write_text('theme = "dark"\nlanguage = "en"\n[llm]\nurl = ""\n')
    assert started(profile, **GERMAN) == "en"
    keep_language(profile, "de")
    assert started(profile) == "de"
    assert started(profile, INTENTSCOPE_LANGUAGE="en") == "en"
    assert started(profile, "--set", "language=de", INTENTSCOPE_LANGUAGE="en") == "de"
    assert started(profile, "--set=language=de", INTENTSCOPE_LANGUAGE="en") == "de"
    keep_language(profile, "system")
    assert started(profile, **GERMAN) == "de"
    keep_language(profile, None)
    keep_language(profile, None)
    assert not (profile / CHOSEN_FILE).exists()
    assert started(profile, **GERMAN) == "en"


def test_that_a_setting_of_that_name_in_another_table_is_no_wish(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[powers]\nlanguage = "de"\n')
    assert started(tmp_path) == "en"


@pytest.mark.parametrize("code", ["fr", "fr_CA", "../de", "", "C"])
def test_that_a_language_that_is_not_there_is_english(folder: Path, tmp_path: Path, code: str) -> None:
    assert started(tmp_path, INTENTSCOPE_LANGUAGE=code) == "en"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"LANG": "de_AT.UTF-8"}, ["de_AT"]),
        ({"LANG": "de_AT", "LC_MESSAGES": "fr_FR"}, ["fr_FR"]),
        ({"LANG": "de_AT", "LC_ALL": "C.UTF-8"}, ["en"]),
        ({"LANG": "de_AT", "LANGUAGE": "fr:de"}, ["fr", "de"]),
    ],
)
def test_that_the_desktop_is_asked_as_posix_says(variables: dict[str, str], said: list[str]) -> None:
    assert desktop_languages(variables) == said


def test_that_the_first_language_of_the_desktop_that_is_there_is_spoken(folder: Path, tmp_path: Path) -> None:
    assert started(tmp_path, LANG="fr_FR", LANGUAGE="fr:de_CH:en") == "de"
    assert started(tmp_path, LANG="fr_FR", LANGUAGE="fr:en:de") == "en"


def test_that_a_new_file_is_a_new_language(folder: Path) -> None:
    assert available() == ["en", "de"]
    compiled(folder, "fr", {"Open": ("Ouvrir",)})
    assert available() == ["en", "de", "fr"]


def test_that_a_compiled_translation_is_read_as_qt_reads_it(folder: Path) -> None:
    found, qt = read_catalogue(folder / "intentscope_de.qm", "de"), QTranslator()
    assert qt.load(str(folder / "intentscope_de.qm"))
    assert dict(found.sentences) == SPOKEN
    for n in (0, 1, 2, 11):
        assert found.found("{n} cases", n) == qt.translate("Intentscope", "{n} cases", None, n)


@pytest.mark.parametrize("code", ["ar", "cs", "fr", "ja", "lt", "pl", "ru", "sl"])
def test_that_every_language_takes_the_forms_that_qt_takes(folder: Path, code: str) -> None:
    forms = tuple(f"form {place}" for place in range(ts.FORMS.get(code, 2)))
    file = compiled(folder, code, {"{n} cases": forms} if len(forms) > 1 else {"{n} cases": (forms[0], "")})
    found, qt = read_catalogue(file, code), QTranslator()
    assert qt.load(str(file))
    numbers = [*range(130), 1000, 1001, 2002, 11_000]
    assert [found.found("{n} cases", n) for n in numbers] == [
        qt.translate("Intentscope", "{n} cases", None, n) for n in numbers
    ]


@pytest.mark.parametrize("rules", [b"\x00\x01", b"\x07\x01", b"\x01", b"\x01\x01\xff", b"\x01\x01\xfd\x08\x02"])
def test_that_rules_nobody_understands_leave_english(tmp_path: Path, rules: bytes) -> None:
    file = tmp_path / "intentscope_de.qm"
    file.write_bytes(bytes.fromhex("3cb86418caef9c95cd211cbf60a1bddd88") + len(rules).to_bytes(4, "big") + rules)
    assert read_catalogue(file, "de").code == "en"


def test_that_no_rules_are_one_form() -> None:
    assert plural_form(b"", 5) == 0


@pytest.mark.parametrize("content", [b"", b"nothing of Qt", None])
def test_that_a_damaged_translation_is_english(folder: Path, content: bytes | None) -> None:
    file = folder / "intentscope_de.qm"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2 + 3] if content is None else content)
    assert read_catalogue(file, "de").found("nothing") is None
    assert read_catalogue(folder / "none.qm", "xx").code == "en"
