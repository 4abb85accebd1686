"""References to environment variables, and placeholders, in server configurations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
BARE = r"(?:[A-Z_][A-Z0-9_]*|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"
"""Name after a bare `$`: capitals, or lower-case words joined by `_`, unlike most passwords."""

EDITOR_WORDS = (
    "workspaceFolder|workspaceFolderBasename|workspaceRoot|workspace|file|fileDirname|fileBasename"
    "|relativeFile|cwd|execPath|pathSeparator|projectPath|projectRoot|extensionPath|__dirname"
)
"""Names in braces that editors and packages fill in, not the environment."""

VARIABLE = re.compile(
    rf"""\$\{{(?:(?:env[:.]|process\.env\.)(?P<env>{NAME})|(?!(?:{EDITOR_WORDS})\}})(?P<braced>{NAME}))
            (?::?-(?P<default>[^{{}}]*))?\}}
      | \{{env:(?P<curly>{NAME})\}}
      | \$env:(?P<shell>{NAME})
      | (?<![\w$\\])\$(?P<bare>{BARE})(?!\w)
      | (?<!\w)%(?![0-9A-Fa-f]{{2}}%)(?P<percent>{NAME}(?:\(x86\))?)%(?!\w)""",
    re.VERBOSE,
)
"""Variables: `${env:X}`, `${X}`, `${X:-default}`, `{env:X}`, `$env:X`, `$X` and `%X%`."""

OWN_NAME = re.compile(rf"\$(?P<name>{NAME})")
"""Value that is one variable in any case; counts only if its key has the same name."""

ASKING = "input|prompt|secrets?|command|config|settings?|user_config|file|vault|keychain"
"""Words before the colon or dot of a placeholder that the user fills in."""

OPEN = re.compile(rf"\$\{{\{{.*?\}}\}}|\$\{{(?:(?:{ASKING})[:.][^{{}}]*|{EDITOR_WORDS})\}}|\{{(?:{ASKING}):[^{{}}]*\}}")
"""Placeholders: `${input:token}`, `${workspaceFolder}`, `${{ secrets.X }}`, `{file:~/.key}`."""

OPEN_VALUE = re.compile(rf"{OPEN.pattern}|\$\{{[^{{}}]*\}}|\{{\{{[^{{}}]*\}}\}}")
"""Placeholders and other braces with `$` or doubled, which may be for the program itself."""

DOLLAR_WORD = re.compile(r"\$(?P<word>_*[A-Za-z0-9]+_*)")
"""Value that is one word after a bare `$`."""

TELLING_WORD = re.compile(
    r"[A-Z]*?(?:(?:AI|API|ACCESS|SECRET|PRIVATE)KEY|(?<![A-Z])KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|AUTH|USERNAME|HOSTNAME|APPDATA)"
    r"|(?:PG|MYSQL|DB|MY)?(?:USER|PASS|HOST|PORT|URL|URI|DSN|DATABASE|DB)|HOME|PATH|DIR|ROOT|REGION|PROFILE|ORG|TEAM"
    r"|DOMAIN|ENV|LANG|TZ|PAT|CREDENTIALS?|LOGIN|EMAIL|NAME|ID"
)
"""Single words that usually name a variable."""

BESIDE_BARE = re.compile(r"[\w\s.:;,/\\=@-]*")
"""Text allowed next to a variable without braces; other signs suggest a password."""

EXAMPLE = re.compile(
    r"(?:(?:bearer|token|basic)\s+)?"
    r"(?:<[^<>]+>|\[your[^\[\]]*\]|\.{3}|…|x{3,}|\*{3,}|change[-_ ]?me|todo|replace[-_ ]?me"
    r"|\w{0,12}[-_]?your[-_][\w-]+|your(?:key|token|apikey|secret|password)"
    r"|(?:insert|enter|replace|put|paste)[-_ ](?:your|with|the|api|token|key|secret|here)\b[\w -]*"
    r"|[\w-]*(?:key|token|secret|password|value|id|url)[-_](?:goes[-_])?here)",
    re.IGNORECASE,
)
"""Example values: `<your-api-key>`, `YOUR_API_KEY_HERE`, `xxx`, `changeme`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Variable in a text: its name, and its default where the text gives one.

    `is_plain`: a program or shell may expand it (`$X`, `${X}`, `%X%`). `is_bare`: written without braces.
    """

    name: str
    default: str | None = None
    is_plain: bool = False
    is_bare: bool = False


def _reference(found: re.Match[str]) -> Reference:
    bare = found["bare"] or found["percent"]
    plain = found["braced"] or bare
    name = plain or found["env"] or found["curly"] or found["shell"]
    return Reference(name, found["default"], bool(plain), bool(bare))


def references_in(text: str) -> tuple[Reference, ...]:
    """Return the variables in a text, in order."""
    return tuple(map(_reference, VARIABLE.finditer(text)))


def is_reference(value: str, name: str) -> bool:
    """Return whether the value of variable or header `name` comes from the environment.

    Otherwise it may be a secret. As a password may look like `$WORD`, a single word after a bare `$` counts only if
    it looks like a variable's name or resembles `name`.
    """
    beside = VARIABLE.sub("", value)
    named = references_in(value)
    if not named or OPEN_VALUE.search(beside) is not None:
        return False
    if not all(one.is_bare for one in named):
        return True
    whole = DOLLAR_WORD.fullmatch(value)
    if whole is not None and not (TELLING_WORD.fullmatch(whole["word"]) or _are_alike(whole["word"], name)):
        return False
    return BESIDE_BARE.fullmatch(beside) is not None


def _are_alike(word: str, name: str) -> bool:
    """Return whether two names resemble each other, as `TOKEN` and `GITHUB_TOKEN`."""
    one, other = (re.sub(r"[\W_]", "", text).casefold() for text in (word, name))
    return one == other or (min(len(one), len(other)) > 2 and (one in other or other in one))


def in_braces(value: str) -> str:
    """Put braces around a value that is one bare variable: `${X}` for `$X`."""
    whole = VARIABLE.fullmatch(value)
    return f"${{{whole['bare']}}}" if whole is not None and whole["bare"] else value


def is_own_name(value: str, name: str) -> bool:
    """Return whether a value only names the variable of its key, as in `"TOKEN": "${TOKEN}"`."""
    whole = VARIABLE.fullmatch(value)
    if whole is not None and not whole["default"]:
        return _reference(whole).name == name
    other = OWN_NAME.fullmatch(value)
    return other is not None and other["name"] == name


def open_places(text: str, pattern: re.Pattern[str] = OPEN) -> tuple[str, ...]:
    """Return the placeholders that the user must fill in; use OPEN_VALUE for values."""
    return tuple(found.group() for found in pattern.finditer(VARIABLE.sub("", text)))


def is_example(value: str) -> bool:
    """Return whether a value is only an example, such as `<your-api-key>`."""
    return EXAMPLE.fullmatch(value.strip()) is not None


def resolved(text: str, values: Mapping[str, str], keep: Callable[[Reference], bool] = lambda _: False) -> str:
    """Replace variables by values, except those that `keep` accepts.

    Raises KeyError if one has none.
    """

    def value(found: re.Match[str]) -> str:
        reference = _reference(found)
        if keep(reference):
            return found.group()
        held = values.get(reference.name)
        if held:
            return held
        if reference.default is None:
            raise KeyError(reference.name)
        return reference.default

    return VARIABLE.sub(value, text)


def without_places(text: str) -> str:
    """Remove variables, placeholders and examples; the rest may be a secret."""
    begin, equals, value = VARIABLE.sub("", OPEN.sub("", text)).rpartition("=")
    return begin + equals + ("" if is_example(value) else value)
