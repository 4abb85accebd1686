"""Languages: which one this start is to speak, and its sentences as Qt's `lrelease` compiled them, read without Qt."""

from __future__ import annotations

import os
import re
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from app.domain.language import ENGLISH, SYSTEM, Catalogue
from app.services.system.start_requests import SETTINGS_FILE, default_profile

RESOURCES = Path(__file__).parents[3] / "resources" / "translations"
PREFIX = "intentscope_"
VARIABLE = "INTENTSCOPE_LANGUAGE"
CHOSEN_FILE = "language"
"""The file of a profile that holds the language chosen in it: a start cannot wait for the library to be opened."""

_IN_FILE = re.compile(rb"""^\s*language\s*=\s*["']([\w-]+)["']""", re.MULTILINE)
_FIRST_TABLE = re.compile(rb"^\s*\[", re.MULTILINE)


def catalogue_for(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> Catalogue:
    """The sentences of the language that a start with this command line is to speak; English where none are there."""
    code = language_for(words, environment)
    file = _file(code)
    return Catalogue() if file is None else read_catalogue(file, code)


def language_for(words: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """The code of that language."""
    wish = _wished(words, environment)
    wishes = desktop_languages(environment) if wish == SYSTEM else [wish]
    for code in wishes:
        for name in dict.fromkeys((code, re.split("[_-]", code)[0])):
            if name == ENGLISH or (re.fullmatch(r"\w+", name) and _file(name) is not None):
                return name
    return ENGLISH


def available() -> list[str]:
    """The codes of the languages that there are, English first."""
    found = {file.stem.removeprefix(PREFIX) for file in RESOURCES.glob(f"{PREFIX}*.qm")}
    return [ENGLISH, *sorted(found)]


def keep_language(folder: Path, code: str | None) -> None:
    """Have the next start on this profile speak the language, None for whatever else is said. OSError."""
    file = folder / CHOSEN_FILE
    if code is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(code, "utf-8")


def desktop_languages(environment: Mapping[str, str] = os.environ) -> list[str]:
    """What the desktop is set to, the dearest first: by the variables of POSIX, else as this system keeps it."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(variable, "").partition(".")[0]:
            if value in {"C", "POSIX"}:
                return [ENGLISH]
            wider = environment.get("LANGUAGE", "")
            return [code for code in wider.split(":") if code] or [value]
    return _kept_by_system()


def _kept_by_system() -> list[str]:
    if sys.platform == "win32":
        import ctypes
        import locale

        return [locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), ENGLISH)]
    if sys.platform == "darwin":
        import plistlib

        with suppress(OSError, ValueError, KeyError):
            file = Path.home() / "Library" / "Preferences" / ".GlobalPreferences.plist"
            return [str(code).replace("-", "_") for code in plistlib.loads(file.read_bytes())["AppleLanguages"]]
    return [ENGLISH]


def _wished(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """What command line, environment, profile and settings file say, the first that says something: as all settings."""
    options = dict(_options(words))
    if "language" in options:
        return options["language"]
    if environment.get(VARIABLE):
        return environment[VARIABLE]
    folder = Path(options["--profile"]) if options.get("--profile") else default_profile()
    with suppress(OSError, UnicodeDecodeError):
        return (folder / CHOSEN_FILE).read_text("utf-8").strip()
    with suppress(OSError):
        content = Path(options.get("--settings") or folder / SETTINGS_FILE).read_bytes()
        table = _FIRST_TABLE.search(content)
        if found := _IN_FILE.search(content[: table.start()] if table else content):
            return found[1].decode()
    return SYSTEM


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options that say where settings are and which language to speak, before the parser can: it speaks, too."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        value = value if equals else "".join(words[place + 1 : place + 2])
        if name == "--set" and value.partition("=")[0].strip() == "language":
            yield "language", value.partition("=")[2].strip()
        elif name in {"--profile", "--settings"}:
            yield name, value


def _file(code: str) -> Path | None:
    file = RESOURCES / f"{PREFIX}{code}.qm"
    return file if file.is_file() else None


# --------------------------------------------------------------------------------------------------------------------
# The format of lrelease (qtranslator.cpp of Qt): sections of a tag, a length and a content

_MAGIC = bytes.fromhex("3cb86418caef9c95cd211cbf60a1bddd")
_MESSAGES, _PLURALS = 0x69, 0x88
_END, _TRANSLATION, _SOURCE = 1, 3, 6
_HEAD = struct.Struct(">BI")


def read_catalogue(file: Path, code: str) -> Catalogue:
    """The sentences of a compiled translation; none where the file cannot be read or is no such file."""
    try:
        content = file.read_bytes()
        sections = dict(_sections(content))
        sentences = dict(_messages(sections.get(_MESSAGES, b"")))
        rules = sections.get(_PLURALS, b"")
        for test in re.split(rb"[\xfd-\xff]", rules) if rules else ():
            _holds(test, 0)  # now, since nobody is there to be told once a sentence counts
    except (OSError, ValueError, LookupError, struct.error):
        return Catalogue()
    return Catalogue(code, sentences, partial(plural_form, rules))


def _sections(content: bytes) -> Iterator[tuple[int, bytes]]:
    if not content.startswith(_MAGIC):
        raise ValueError("this is no compiled translation")
    place = len(_MAGIC)
    while place + _HEAD.size <= len(content):
        tag, length = _HEAD.unpack_from(content, place)
        place += _HEAD.size
        yield tag, content[place : place + length]
        place += length


def _messages(content: bytes) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each message: its English, and the forms of its translation. What else is said of it, such as the context that
    lupdate knows, makes no difference here."""
    place, size, unpack = 0, len(content), _HEAD.unpack_from
    source = ""
    forms: list[str] = []
    while place < size:
        if content[place] == _END:
            if source and forms:
                yield source, tuple(forms)
            source, forms = "", []
            place += 1
            continue
        tag, length = unpack(content, place)
        place += 5
        if length == 0xFFFFFFFF:  # a form that nobody has translated
            continue
        if tag == _TRANSLATION:
            forms.append(content[place : place + length].decode("utf-16-be"))
        elif tag == _SOURCE:
            source = content[place : place + length].decode()
        place += length


_EQUAL, _LESS, _AT_MOST, _BETWEEN = 1, 2, 3, 4
_NOT, _MOD_10, _MOD_100, _LEADING = 0x08, 0x10, 0x20, 0x40
_AND, _OR, _NEXT = 0xFD, 0xFE, 0xFF


def plural_form(rules: bytes, count: int) -> int:
    """Which form a language takes for a number: the place of the first of its rules that holds, or one more."""
    if not rules:
        return 0
    alternatives = _split(rules, _NEXT)
    for place, rule in enumerate(alternatives):
        if any(all(_holds(test, count) for test in _split(part, _AND)) for part in _split(rule, _OR)):
            return place
    return len(alternatives)


def _split(rules: bytes, sign: int) -> list[bytes]:
    return rules.split(bytes([sign]))


def _holds(test: bytes, count: int) -> bool:
    code, low = test[0], test[1]
    if code & _MOD_10:
        count %= 10
    elif code & _MOD_100:
        count %= 100
    elif code & _LEADING:
        while count >= 1000:
            count //= 1000
    kind = code & 0x07
    held = {
        _EQUAL: count == low,
        _LESS: count < low,
        _AT_MOST: count <= low,
        _BETWEEN: kind == _BETWEEN and low <= count <= test[-1],
    }[kind]
    return held != bool(code & _NOT)
