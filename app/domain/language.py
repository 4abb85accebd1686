"""Language: English sentences as the code holds them, said in the language of whoever reads them.

A sentence for people is written as `say("There is no file {name}.", name=name)`: a literal with named {places}, whole,
since other languages order words otherwise. `say_n` is for one that counts. `packaging/translations.py` gathers both,
and what the window says by `self.tr`, for translators. What programs read (JSON, MCP, logs, prompts) is never said.

The catalogue is installed before the modules that speak are imported, so that a table of words may be said where it
stands; `forms` marks what a table holds for `say_n`. Without one, sentences stay as they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

ENGLISH, SYSTEM = "en", "system"
"""The language of the source, and the wish for that of the desktop."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sentences of one language by their English: more than one form for what is counted, of which `plural` tells
    the place of a number's."""

    code: str = ENGLISH
    sentences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    plural: Callable[[int], int] = lambda n: 0

    def found(self, text: str, count: int = -1) -> str | None:
        """The text in this language, None where nobody translated it."""
        forms = self.sentences.get(text)
        if forms is None:
            return None
        return forms[min(self.plural(count), len(forms) - 1)] if count >= 0 else forms[0]

    @property
    def marks(self) -> Mapping[int, str]:
        """What the marks of a number are in this language, by those of English; empty where they are the same."""
        decimals, thousands = _MARKS.get(self.code, (".", ","))
        return {} if decimals == "." else {ord("."): decimals, ord(","): thousands}


_DOT, _SPACE = (",", "."), (",", "\N{NO-BREAK SPACE}")
_MARKS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("de", "es", "it", "nl", "pt", "tr"), _DOT),
    **dict.fromkeys(("cs", "fr", "pl", "ru", "uk"), _SPACE),
}
"""What parts decimals, and what thousands, in languages that do so otherwise than English."""

_spoken: list[Catalogue] = [Catalogue()]
_marks: dict[int, str] = {}


def speak(catalogue: Catalogue) -> None:
    """Say everything from now on in the language of a catalogue."""
    _spoken[:] = [catalogue]
    _marks.clear()
    _marks.update(catalogue.marks)


def spoken() -> Catalogue:
    """The catalogue that sentences are said by."""
    return _spoken[0]


def say(text: str, /, **values: object) -> str:
    """A sentence in the reader's language, its {places} filled."""
    said = _spoken[0].found(text) or text
    return _filled(said, text, values) if values else said


def say_n(n: int, one: str, many: str, /, **values: object) -> str:
    """A sentence that counts: `many` holds {n}, and a translation of it knows as many forms as its language."""
    english = one if n == 1 else many
    return _filled(_spoken[0].found(many, n) or english, english, {"n": thousands(n), **values})


def numeral(written: str) -> str:
    """A number as code writes it, with the marks of the reader's language; never for what a program reads."""
    return written.translate(_marks) if _marks else written


def as_code(written: str) -> str:
    """A number that people read or write, as code writes it."""
    return written.translate({ord(own): chr(mark) for mark, own in _marks.items()}) if _marks else written


def between_numbers() -> str:
    """What stands between two numbers of a list: another sign than within one."""
    return "; " if _marks else ", "


def thousands(value: float) -> str:
    """A number with its thousands parted, for people."""
    return numeral(f"{value:,}")


def percents(share: float, digits: int = 1) -> str:
    """A share in [0, 1] with its sign, for people."""
    return numeral(f"{100.0 * share:.{digits}f}") + " %"


def _filled(said: str, english: str, values: Mapping[str, object]) -> str:
    """The sentence with its places filled; the English where a translation has places that are none."""
    try:
        return said.format(**values)
    except (LookupError, ValueError, AttributeError):
        return english.format(**values)


def retold(kept: str, known: Iterable[str]) -> str | None:
    """A sentence that is kept in English, in the reader's language: by the first of those that are `known` which it is,
    its places filled as they were; None where it is none of them."""
    for english in known:
        if values := _kept(english).fullmatch(kept):
            return say(english, **values.groupdict())
    return None


@cache
def _kept(english: str) -> re.Pattern[str]:
    """What finds the values in a sentence whose places were filled."""
    pieces = re.split(r"\{(\w+)\}", english)
    named = (f"(?P<{piece}>.+?)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
    return re.compile("".join(named), re.DOTALL)


def in_quotes(text: object) -> str:
    """Somebody's own words, in the marks of the reader's language."""
    return say("“{name}”", name=text)


def small(word: str) -> str:
    """A word or title within a sentence: English writes it small there, others as they always write it."""
    return word.lower() if _spoken[0].code == ENGLISH else word


def forms(one: str, many: str) -> tuple[str, str]:
    """The two forms of a sentence that counts, marked for translators where a table holds them for `say_n`."""
    return one, many


# --------------------------------------------------------------------------------------------------------------------
# Which languages there are, for those who choose

NAMES: Mapping[str, str] = {
    "ar": "العربية",
    "cs": "Čeština",
    "de": "Deutsch",
    "en": "English",
    "es": "Español",
    "fr": "Français",
    "he": "עברית",
    "it": "Italiano",
    "ja": "日本語",
    "ko": "한국어",
    "nl": "Nederlands",
    "pl": "Polski",
    "pt": "Português",
    "ru": "Русский",
    "tr": "Türkçe",
    "uk": "Українська",
    "zh": "中文",
}
"""Languages as those who speak them call them; others go by their code."""

_offered: list[Callable[[], Sequence[str]]] = [lambda: (ENGLISH,)]


def offer(available: Callable[[], Sequence[str]]) -> None:
    """Let languages be asked for where somebody chooses one."""
    _offered[:] = [available]


def offered() -> Sequence[str]:
    """The codes of the languages that one can choose."""
    return _offered[0]()
