"""Variables of other programs that set settings here; unusable ones are skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.settings.model import SettingsError, SettingsSources, layer
from app.settings.refusals import without_passwords

OLLAMA_HOST, OLLAMA_PORT, OLLAMA_API_KEY = "OLLAMA_HOST", 11434, "OLLAMA_API_KEY"

FOREIGN_ENVIRONMENT: dict[str, str] = {
    "SUBCOG_SEARCH_INTENT_ENABLED": "search_intent.enabled",
    "SUBCOG_SEARCH_INTENT_USE_LLM": "search_intent.use_llm",
    "SUBCOG_SEARCH_INTENT_LLM_TIMEOUT_MS": "search_intent.llm_timeout_ms",
    "SUBCOG_SEARCH_INTENT_MIN_CONFIDENCE": "search_intent.min_confidence",
    OLLAMA_HOST: "llm.url",
}
"""Variables of 000's own project and of Ollama, below our own (S4.14)."""

_AROUND = "\"'`“”„‘’«»\u200b\ufeff"
_NUMBER = re.compile(r"([+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?)\s*([a-zµμ%]*)\.?", re.IGNORECASE)
_MS: Mapping[str, float] = {
    **dict.fromkeys(("", "ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), 1.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1_000.0),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000.0),
    **dict.fromkeys(("us", "µs", "μs"), 0.001),
}


@dataclass(frozen=True, slots=True)
class Foreign:
    """Settings from variables of other programs, by key, and a sentence per skipped variable."""

    found: Mapping[str, str]
    passed_over: tuple[str, ...]


def foreign_settings(environment: Mapping[str, str], but: Mapping[str, object] = {}) -> Foreign:
    """Read the settings from variables of other programs, except keys in `but`."""
    found: dict[str, str] = {}
    passed_over: list[str] = []
    for name, key in FOREIGN_ENVIRONMENT.items():
        text = unquoted(environment.get(name, ""))
        if not text or key in but:
            continue
        value = understood(key, text)
        try:
            layer(SettingsSources(environment={key: value}))
        except SettingsError as error:
            why = str(error).rpartition(" is refused: ")[2]
            passed_over.append(f"The variable {name} = {without_passwords(text)!r} is passed over: {why}")
        else:
            found[key] = value
    if environment.get(OLLAMA_API_KEY) and not api_key(environment) and unquoted(environment[OLLAMA_API_KEY]):
        passed_over.append(f"The variable {OLLAMA_API_KEY} is passed over: it holds characters that no key has.")
    return Foreign(found, tuple(passed_over))


def unquoted(text: str) -> str:
    """Strip blanks and quotes, which Windows keeps and Ollama removes."""
    before = None
    while before != text:
        before, text = text, text.strip().strip(_AROUND)
    return text


def understood(key: str, text: str) -> str:
    """Convert a value from the other program's format; the unchanged text if unreadable."""
    read = _READ.get(key)
    return text if read is None else read(text)


def api_key(environment: Mapping[str, str]) -> str:
    """Return the key for an Ollama server from the environment; "" if missing or unusable."""
    key = unquoted(environment.get(OLLAMA_API_KEY, "")).removeprefix("Bearer ").strip()
    return key if re.fullmatch(r"[\x21-\x7e]+", key) else ""


def _address(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    text = f"{scheme.lower()}{mark}{rest}"
    return (
        f"http://{text}:{OLLAMA_PORT}" if re.fullmatch(r"[\w-]+", text) else text
    )  # Ollama takes a bare word as a host


def _milliseconds(text: str) -> str:
    amount, unit = _amount(text)
    return text if amount is None or unit not in _MS else f"{amount * _MS[unit]:.0f}"


def _share(text: str) -> str:
    amount, unit = _amount(text)
    if amount is None or unit not in ("", "%"):
        return text
    return f"{amount / 100.0:g}" if unit else f"{amount:g}"


def _amount(text: str) -> tuple[float | None, str]:
    """Split a number and its unit; None if it is not one."""
    found = _NUMBER.fullmatch(text)
    return (float(found[1].replace(",", ".")), found[2].lower()) if found else (None, "")


_READ: Mapping[str, Callable[[str], str]] = {
    "llm.url": _address,
    "search_intent.llm_timeout_ms": _milliseconds,
    "search_intent.min_confidence": _share,
}
