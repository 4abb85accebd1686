"""Values of settings that are refused, and a routing candidate's settings in one value."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel

ORIGINS = {
    "file": "the settings file",
    "here": "the profile",
    "environment": "the environment",
    "command line": "the command line",
}
"""Display names of origins; others are shown unchanged."""

MOST_SHOWN = 200
"""Maximum number of characters of a refused value in a message."""

Problem = Mapping[str, Any]
"""Validation error of one value: "type", "msg" and optionally "ctx"."""

_WHOLE = ("int_parsing", "int_type", "int_from_float", "int_parsing_size")
_NUMBER = ("float_parsing", "float_type", "finite_number")
_RANGE = ("greater_than_equal", "less_than_equal", "greater_than", "less_than")
_SWITCH = ("bool_parsing", "bool_type")
_HEADING = re.compile(r"\s*\[\s*([A-Za-z0-9_.\s-]+?)\s*\]")
_USER_INFO = re.compile(r"((?:://|^)[^:]*:(?!//)).+(@)", re.DOTALL)
_PARAMETER = re.compile(r"(?<![^?&\s=])([^?&\s=]+)=([^&]*)")
_INNER = re.compile(_PARAMETER.pattern.replace("=(", r"=(?!'?\w+://)("))
_PARAMETERS = (_PARAMETER, _INNER, re.compile(r"(?<=[;\s])([^?&;\s=]+)=('[^']*'|[^&;\s]*)"))
"""Parameter and value; in an address that is itself a value; and after a semicolon or blank."""
_BEARER = re.compile(r"(\bbearer\s+)\S+", re.IGNORECASE)
_PASSWORDS = (
    re.compile(r"://[^@:\[?]*:[^?]+@", re.DOTALL),
    re.compile(r"://[^/@]*:[^/@]+@"),
    re.compile(r"://[^@:/?\[]*:(?!\d*(?:[,/?]|$)).+@", re.DOTALL),
)
"""Password between user and server, also with a slash, an @ or a question mark in it."""
_USER = re.compile(r"((?:^|://))[^/?#:]*@")
"""User before an HTTP server, which is often a key."""
_SECRETS = ("password", "passwd", "passphrase", "pwd", "token", "secret", "apikey", "accesskey", "secretkey",
            "privatekey", "clientkey", "serverkey", "accountkey", "subscriptionkey", "credentials", "credential",
            "signature")  # fmt: skip
"""Endings of secret parameters; sslkey and passfile are file names."""
_SECRET_NAMES = ("key", "pass", "auth", "authorization", "bearer", "jwt", "sig", "sas")
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")


def refusal(
    problems: Sequence[Problem], model: type[BaseModel], origins: Mapping[str, str], values: Mapping[str, object]
) -> tuple[str, str, str]:
    """Describe the first invalid value: a sentence, its key, and its origin."""
    located = [[str(part) for part in each["loc"]] for each in problems]  # "[key]" ends a refused name of a table
    keys = [".".join(part for part in parts if "iteral" not in part and part != "[key]") for parts in located]
    key = keys[0]
    why = reason([each for each, of in zip(problems, keys, strict=True) if of == key], *_ends(model, key))
    if key in origins:
        origin = ORIGINS.get(origins[key], origins[key])
        return (f"{key} = {_shown(problems[0]['input'])} (from {origin}) is refused: {why}.", key, origins[key])
    said = [name for name in values if name.startswith(f"{key}.")]
    from_where = ", ".join(f"{name} from {ORIGINS.get(origins[name], origins[name])}" for name in said)
    last = said[-1] if said else key
    return (f"{key} ({from_where}) is refused: {why}.", last, origins.get(last, ""))


def reason(problems: Sequence[Problem], low: float | None, high: float | None) -> str:
    """Describe what the value must be; `low` and `high` bound a number, None for no bound."""
    kind = str(problems[0]["type"])
    within = bounds(low, high)
    if kind in _WHOLE:
        return f"it must be a whole number{within}"
    if kind in (*_NUMBER, *_RANGE):
        return f"it must be a number{within}"
    if kind in _SWITCH:
        return "it must be true or false"
    if kind == "literal_error":
        found = [name for problem in problems for name in re.findall(r"'([^']+)'", problem["ctx"]["expected"])]
        return f"it must be {either(list(dict.fromkeys(found)))}"
    if kind == "string_type":
        return "it must be a text"
    return str(problems[0]["msg"]).removeprefix("Value error, ").rstrip(".")


def bounds(low: float | None, high: float | None) -> str:
    """Format bounds: " from 1 to 1,000", " of at least 0", or ""."""
    if low is not None and high is not None:
        return f" from {low:,.10g} to {high:,.10g}"
    if low is not None:
        return f" of at least {low:,.10g}"
    return "" if high is None else f" of at most {high:,.10g}"


def _ends(model: type[BaseModel], key: str) -> tuple[float | None, float | None]:
    """Return the minimum and maximum of a numeric setting."""
    *sections, name = key.split(".")
    for section in sections:
        inner = model.model_fields[section].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return None, None
        model = inner
    info = model.model_fields.get(name)
    marks = [] if info is None else info.metadata
    low, high = (next((getattr(mark, end) for mark in marks if hasattr(mark, end)), None) for end in ("ge", "le"))
    return low, high


def either(names: Sequence[str]) -> str:
    """Join names: "a, b or c"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def line_of(text: str, key: str) -> int | None:
    """Find the line, from 1, where a TOML file sets a dotted key; None if not found."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        heading = _HEADING.match(line)
        if heading is not None:
            section = re.sub(r"\s", "", heading[1]) + "."
            continue
        name, equals, _ = line.partition("=")
        said = section + re.sub(r"[\s\"']", "", name)
        if equals and (said == key or said.startswith(f"{key}.")):
            return number
    return None


def of_toml(problem: str, text: str) -> tuple[int, str]:
    """Extract the line number and the reason from a TOML parser's message."""
    place = _PLACE.search(problem)
    line = int(place[1]) if place is not None and place[1] else max(1, len(text.splitlines()))
    return line, _PLACE.sub("", problem)


# ---- Addresses of servers as users write them


PASSWORD_REFUSAL = "a password or key does not belong here: "
"""Sentence for a secret in an address; the place where it belongs follows."""

_WORD = re.compile(r"(?:'[^']*'|[^ ])+")
"""Word of a command line, with blanks in quotation marks."""


def has_password(url: str) -> bool:
    """Return whether an address holds a password or key, before its server or as a parameter."""
    user = url[: url.rfind("@") + 1]
    return (
        any(each.search(user) for each in _PASSWORDS)
        or any(found[2] and _is_secret_in(found) for each in _PARAMETERS for found in each.finditer(url))
        or (url.startswith(("http://", "https://")) and _USER.search(url) is not None)
        or _BEARER.search(url) is not None
        or (unquote(url) != url and has_password(unquote(url)))
    )


def passes_secret(arguments: Sequence[str]) -> bool:
    """Return whether arguments hold a password or key.

    `--api-key=…`, `--token …`, or an address with a secret.
    """
    return any(map(has_password, arguments)) or without_secrets(arguments) != [*arguments]


def without_secrets(arguments: Sequence[str]) -> list[str]:
    """Mask the passwords and keys that `passes_secret` finds."""
    masked = []
    for option, argument in zip(("", *arguments), arguments, strict=False):
        name, _, value = argument.partition("=")
        if value and name.startswith("-") and _is_secret(name):
            masked.append(f"{name}=…")
        elif argument and option.startswith("-") and _is_secret(option) and not argument.startswith("-"):
            masked.append("…")
        else:
            masked.append(without_passwords(argument) if has_password(argument) else argument)
    return masked


def without_secrets_in(text: str) -> str:
    """Mask passwords and keys in a text of command lines, such as a request for approval."""
    masked = []
    for line in text.split("\n"):
        words = line.lstrip(" ")
        found = _WORD.findall(words)
        shown = (
            f"{text}'" if text != word and word.endswith("'") and text.count("'") % 2 else text
            for word, text in zip(found, without_secrets(found), strict=True)
        )
        masked.append(line[: len(line) - len(words)] + " ".join(shown))
    return "\n".join(masked)


def without_passwords(url: str) -> str:
    """Mask the passwords in an address; refused values are shown and logged."""
    masked = _BEARER.sub(r"\1…", _USER_INFO.sub(r"\1…\2", url))
    if not re.match(r"(?!https?:)[a-z0-9+]+://", url):
        masked = _USER.sub(r"\1…@", masked)
    for each in _PARAMETERS:
        masked = each.sub(lambda found: f"{found[1]}=…" if _is_secret_in(found) else found[0], masked)
    return without_passwords(unquote(masked)) if unquote(masked) != masked and has_password(unquote(masked)) else masked


def _is_secret_in(found: re.Match[str]) -> bool:
    """Return whether a parameter is secret; some names are only in an address."""
    is_in_address = found.string[found.start() - 1 : found.start()] in ("?", "&", ";")
    return _is_secret(found[1]) or (is_in_address and found[1].casefold() in ("code", "session", "sid"))


def _is_secret(parameter: str) -> bool:
    name = re.sub(r"[^a-z0-9]", "", unquote(parameter).casefold())
    return name.endswith(_SECRETS) or name in _SECRET_NAMES


def _shown(value: object) -> str:
    text = repr(without_passwords(value)) if isinstance(value, str) else without_passwords(repr(value))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def address(url: str, place: str) -> str:
    """Strip and validate an address; raises ValueError if it is invalid or holds a secret.

    `place` names where secrets belong.
    """
    url = url.strip()
    if url and not _is_address(url):
        raise ValueError("it is not a server address such as 127.0.0.1:11434 or http://127.0.0.1:11434")
    if has_password(url if "://" in url else f"http://{url}"):
        raise ValueError(PASSWORD_REFUSAL + place)
    return url


def _is_address(text: str) -> bool:
    """Return whether a text is an HTTP URL, host:port or a recognisable host, with a valid port."""
    scheme, mark, _ = text.partition("://")
    if re.search(r"[\s\x00-\x1f\x7f\ud800-\udfff]", text) or (mark and scheme not in ("http", "https")):
        return False
    try:
        parts = urlsplit(text if mark else f"http://{text}")
        port = parts.port
    except ValueError:
        return False
    if not mark and port is None and parts.hostname and not re.search(r"^localhost$|[.:]", parts.hostname):
        return False  # a single bare word is probably a slip
    return port != 0 and not parts.netloc.endswith(":") and (bool(parts.hostname) or port is not None)


CANDIDATE_KEYS = (
    "route.threshold",
    "route.rules",
    "route.examples",
    "route.overrule",
    "route.abstain",
    "route.use_llm",
    "route.llm_while_typing",
    "search_intent.min_confidence",
    "search_intent.llm_timeout_ms",
)
"""Settings that two parallel configurations may differ in.

They share LLM, circuit breaker, budget and cache.
"""


def parse_candidate(written: str) -> dict[str, str]:
    """Parse the settings by key.

    Raises ValueError with a sentence for unknown or forbidden ones.
    """
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in written.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not value:
            raise ValueError(f"a candidate is written as route.threshold=0.95, not “{part}”")
        if key not in CANDIDATE_KEYS:
            raise ValueError(f"a candidate may differ in {', '.join(CANDIDATE_KEYS)} only, not in {key}")
        found[key] = value
    return found


def candidate_text(changes: Mapping[str, str]) -> str:
    """Format the settings as one value."""
    return ", ".join(f"{key}={value}" for key, value in sorted(changes.items()))
