"""References to environment variables, and placeholders a person fills in, in texts of server configurations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
BARE = r"(?:[A-Z_][A-Z0-9_]*|[a-z][a-z0-9]*(?:_[a-z0-9]+)+)"
"""A name after a bare `$`: capitals, or small words joined by `_`; passwords may begin with `$` as well."""

EDITOR_WORDS = (
    "workspaceFolder|workspaceFolderBasename|workspaceRoot|workspace|file|fileDirname|fileBasename"
    "|relativeFile|cwd|execPath|pathSeparator|projectPath|projectRoot|extensionPath|__dirname"
)
"""Names in braces that editors and packages fill in, and no environment does."""

VARIABLE = re.compile(
    rf"""\$\{{(?:(?:env[:.]|process\.env\.)(?P<env>{NAME})|(?!(?:{EDITOR_WORDS})\}})(?P<braced>{NAME}))
            (?::?-(?P<default>[^{{}}]*))?\}}
      | \{{env:(?P<curly>{NAME})\}}
      | \$env:(?P<shell>{NAME})
      | (?<![\w$\\])\$(?P<bare>{BARE})(?!\w)
      | (?<!\w)%(?![0-9A-Fa-f]{{2}}%)(?P<percent>{NAME}(?:\(x86\))?)%(?!\w)""",
    re.VERBOSE,
)
"""`${env:X}`, `${X}`, `${X:-default}`, `{env:X}`, `$env:X`, `$X` and `%X%`."""

OWN_NAME = re.compile(rf"\$(?P<name>{NAME})")
"""A whole value that is a variable of any case; it counts where the variable it stands for has the same name."""

ASKING = "input|prompt|secrets?|command|config|settings?|user_config|file|vault|keychain"
"""What stands before the colon or dot of a placeholder whose value somebody has to give."""

OPEN = re.compile(rf"\$\{{\{{.*?\}}\}}|\$\{{(?:(?:{ASKING})[:.][^{{}}]*|{EDITOR_WORDS})\}}|\{{(?:{ASKING}):[^{{}}]*\}}")
"""What no variable stands for: `${input:token}`, `${workspaceFolder}`, `${{ secrets.X }}`, `{file:~/.key}`."""

OPEN_VALUE = re.compile(rf"{OPEN.pattern}|\$\{{[^{{}}]*\}}|\{{\{{[^{{}}]*\}}\}}")
"""The same, and any other braces with a dollar sign or in pairs; arguments may hold such for their program."""

DOLLAR_WORD = re.compile(r"\$(?P<word>_*[A-Za-z0-9]+_*)")
"""A whole value that is a single word after a bare `$`, where names of variables mostly join several by `_`."""

TELLING_WORD = re.compile(
    r"[A-Z]*?(?:(?:AI|API|ACCESS|SECRET|PRIVATE)KEY|(?<![A-Z])KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|AUTH|USERNAME|HOSTNAME|APPDATA)"
    r"|(?:PG|MYSQL|DB|MY)?(?:USER|PASS|HOST|PORT|URL|URI|DSN|DATABASE|DB)|HOME|PATH|DIR|ROOT|REGION|PROFILE|ORG|TEAM"
    r"|DOMAIN|ENV|LANG|TZ|PAT|CREDENTIALS?|LOGIN|EMAIL|NAME|ID"
)
"""A single word that says what a variable holds."""

BESIDE_BARE = re.compile(r"[\w\s.:;,/\\=@-]*")
"""What may stand beside a variable without braces; other signs are those of a password."""

EXAMPLE = re.compile(
    r"(?:(?:bearer|token|basic)\s+)?"
    r"(?:<[^<>]+>|\[your[^\[\]]*\]|\.{3}|…|x{3,}|\*{3,}|change[-_ ]?me|todo|replace[-_ ]?me"
    r"|\w{0,12}[-_]?your[-_][\w-]+|your(?:key|token|apikey|secret|password)"
    r"|(?:insert|enter|replace|put|paste)[-_ ](?:your|with|the|api|token|key|secret|here)\b[\w -]*"
    r"|[\w-]*(?:key|token|secret|password|value|id|url)[-_](?:goes[-_])?here)",
    re.IGNORECASE,
)
"""A whole value that only shows where one belongs: `<your-api-key>`, `YOUR_API_KEY_HERE`, `xxx`, `changeme`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One variable that a text names: its name, and its default where the text gives one.

    `is_plain`: a program or a shell might replace it itself (`$X`, `${X}`, `%X%`). `is_bare`: it stands without braces.
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
    """The variables that a text names, in order; () where it names none."""
    return tuple(map(_reference, VARIABLE.finditer(text)))


def is_reference(value: str, name: str) -> bool:
    """Whether the value of the variable or header `name` comes from the environment, in whole or in part.

    Otherwise it may be a secret. A password may begin with `$` and go on in capitals: a single word after a bare `$`
    counts only where it is made like the name of a variable, or is like `name`.
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
    """Whether a variable may be meant for the one of this name, as `$TOKEN` for `GITHUB_TOKEN`."""
    one, other = (re.sub(r"[\W_]", "", text).casefold() for text in (word, name))
    return one == other or (min(len(one), len(other)) > 2 and (one in other or other in one))


def in_braces(value: str) -> str:
    """A value that is a bare variable alone (`$X`) with braces around its name (`${X}`); any other as it is."""
    whole = VARIABLE.fullmatch(value)
    return f"${{{whole['bare']}}}" if whole is not None and whole["bare"] else value


def is_own_name(value: str, name: str) -> bool:
    """Whether a value says no more than "the variable of that name", as in `"TOKEN": "${TOKEN}"`."""
    whole = VARIABLE.fullmatch(value)
    if whole is not None and not whole["default"]:
        return _reference(whole).name == name
    other = OWN_NAME.fullmatch(value)
    return other is not None and other["name"] == name


def open_places(text: str, pattern: re.Pattern[str] = OPEN) -> tuple[str, ...]:
    """The parts of a text that a person has to fill in; () where there are none. Of a value: OPEN_VALUE."""
    return tuple(found.group() for found in pattern.finditer(VARIABLE.sub("", text)))


def is_example(value: str) -> bool:
    """Whether a value only shows where one belongs, as `<your-api-key>` does."""
    return EXAMPLE.fullmatch(value.strip()) is not None


def resolved(text: str, values: Mapping[str, str], keep: Callable[[Reference], bool] = lambda _: False) -> str:
    """The text with its variables replaced, but for those to `keep`; KeyError with the name of one without a value."""

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
    """The text without variables, places to be filled in and examples: what is left of it may be a secret."""
    begin, equals, value = VARIABLE.sub("", OPEN.sub("", text)).rpartition("=")
    return begin + equals + ("" if is_example(value) else value)
