"""MCP server of an assistant's configuration, as a power's fields and notes on the rest."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.adapters.formats.record_names import WITHIN, is_off
from app.adapters.formats.records import RefusedError
from app.domain.references import OPEN_VALUE, is_example, is_own_name, is_reference, open_places, references_in
from app.domain.running import parse_command_line, words_of

COMMANDS = ("command", "cmd")
ARGUMENTS = ("args", "arguments", "argv")
VARIABLES = ("env", "envs", "environment", "environmentVariables", "environment_variables")
PASSED_ON = ("env_vars", "env_keys", "envKeys")
"""Lists of variables without values: Codex passes them on, Goose stores values elsewhere."""

ADDRESSES = ("url", "serverUrl", "server_url", "httpUrl", "http_url", "uri", "baseUrl", "base_url", "endpoint")
HEADERS = ("headers", "http_headers", "httpHeaders", "custom_headers", "customHeaders")
HEADER_VARIABLES = ("env_http_headers", "envHttpHeaders")
BEARER_VARIABLES = ("bearer_token_env_var", "bearerTokenEnvVar")
BEARER = ("authorization_token", "bearer_token", "bearerToken")
FOLDERS = ("cwd", "workingDirectory", "working_directory", "workdir", "workingDir")
FILES = ("envFile", "env_file", "envfile")
SIGN_IN = ("oauth", "auth", "authProviderType", "headersHelper", "authentication", "oauth_resource", "scopes", "apiKey")
PERMISSIONS = ("alwaysAllow", "autoApprove", "auto_approve", "alwaysAllowed", "trust", "allowedTools")
CHOSEN_TOOLS = (
    "includeTools", "excludeTools", "enabled_tools", "disabled_tools", "enabledTools", "disabledTools",
    "available_tools", "tools",
)  # fmt: skip
OTHER_WAYS = {
    **dict.fromkeys(("ws", "wss", "websocket"), "WebSocket"), "unix": "a socket", "pipe": "a pipe", "file": "a file",
}  # fmt: skip
"""Ways to a server that are not spoken, by its type or the scheme of its address."""

WEB = re.compile(r"\s*(?:https?://\S|[$%{<])", re.IGNORECASE)
"""Beginning of an address that can be reached, or of a variable."""

OWN_PARTS = frozenset(("builtin", "platform", "frontend", "inline_python"))
"""Types of Goose's extensions that are parts of Goose."""


WINDOWS_PROGRAM = re.compile(
    r"""(?P<program>[A-Za-z]:\\[^"<>|]*?\.(?:exe|cmd|bat)
        (?:\s[^\s"<>|:/\\-][^\s"<>|:/\\]*\\[^\s"<>|:/]*\.(?:exe|cmd|bat)(?!\S))*)
        (?:\s+(?P<rest>\S.*))?""",
    re.IGNORECASE | re.VERBOSE,
)
"""Windows program path with spaces, and its arguments; a folder may be named like a program."""


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """Server as a power's record (without a name), and sentences on the other fields."""

    record: dict[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def is_reachable(self) -> bool:
        return any(str(self.record.get(way) or "").strip() for way in ("command", "url"))


def is_server_entry(entry: object) -> bool:
    """Return whether an object gives a command or an address of a server."""
    if not isinstance(entry, Mapping):
        return False
    flat = _flat(entry)
    return any(isinstance(flat.get(name), (str, list, dict)) and flat[name] for name in COMMANDS) or any(
        isinstance(flat.get(name), str) and flat[name] for name in ADDRESSES
    )


def server_entry(server: Mapping[str, Any]) -> ServerEntry:
    """Convert a server; references in variables and headers are kept, or reduced to names."""
    flat = _flat(server)
    words, env = _command_of(flat)
    if len(words) == 1 and str(words[0]).lower().startswith(("http://", "https://")):
        flat["url"] = words.pop()
    url = _first(flat, ADDRESSES)
    is_run = bool(words) or url is None
    found = _Given()
    if is_run:
        variables = _pairs(_first(flat, VARIABLES), "env")
        given = found.of({**_names(flat, PASSED_ON), **variables, **env}, is_header=False)
    else:
        given = found.of(_headers_of(flat), is_header=True)
    found.in_texts(words if is_run else [url], given if is_run else {})
    ways = {"env": given} if is_run else {"headers": given}
    record = {
        "command": words[0] if words else None,
        "args": words[1:],
        "env": None,
        "headers": None,
        **ways,
        "url": url,
        "paused": is_off(server) or None,
        "description": server.get("description"),
        "tools": flat["tools"] if _is_declared("tools", flat) else None,
    }
    return ServerEntry(record, (*found.sentences(), *_left_out(flat, is_run)))


def _is_declared(place: str, flat: Mapping[str, Any]) -> bool:
    """Return whether the tools there are described; names alone, or with a switch, are a choice of them."""
    listed = flat.get(place) if place == "tools" else None
    return isinstance(listed, list) and bool(listed) and all(map(_is_tool, listed))


def _is_tool(tool: object) -> bool:
    if not isinstance(tool, Mapping) or not {"enabled", "disabled"}.isdisjoint(tool):
        return False
    name, description = tool.get("name"), tool.get("description")
    return isinstance(name, str) and bool(name.strip()) and isinstance(description, str | None)


def _first(flat: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((flat[name] for name in names if flat.get(name)), None)


def _flat(server: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the fields of inner objects, such as `transport`; outer fields take precedence."""
    flat = dict(server)
    if server.get("source") == "extension":  # Zed: such settings are the extension's
        return flat
    command = server.get("command")
    if isinstance(command, Mapping):  # older format of Zed
        flat |= {**command, "command": command.get("path")}
    for name in WITHIN:
        inner = server.get(name)
        if isinstance(inner, Mapping):
            flat = {**inner, **{key: value for key, value in flat.items() if value is not None and key != name}}
    return flat


def _command_of(flat: Mapping[str, Any]) -> tuple[list[Any], dict[str, str]]:
    """Return the words of the command line, if any, and the variables before them."""
    command, given = _first(flat, COMMANDS), _first(flat, ARGUMENTS)
    if isinstance(given, str):
        given = words_of(given) or [given]
    if given is not None and not isinstance(given, (list, tuple)):
        raise RefusedError("“args” is a list.")
    args = list(map(_text, given or ()))
    if isinstance(command, (list, tuple)):
        return [*map(_text, command), *args], {}
    if isinstance(command, str) and (windows := WINDOWS_PROGRAM.fullmatch(command)):
        rest = windows["rest"] or ""
        return [windows["program"], *(words_of(rest) or filter(None, [rest])), *args], {}
    line = parse_command_line(command) if isinstance(command, str) else None
    if line is None or _is_program(command, line.args):
        return [command, *args] if command else [], {}
    return [line.command, *line.args, *args], dict(line.env)


def _is_program(command: str, args: Iterable[str]) -> bool:
    """Return whether a command with blanks is a program's path rather than a command line."""
    first = command.lstrip("\"'").split()[0]
    if not first.startswith(("/", "~", ".")) and first[1:2] != ":":
        return False
    if shutil.which(command) is not None:
        return True
    return shutil.which(first) is None and not any(word.startswith(("-", "/", "@")) or "://" in word for word in args)


def _text(value: object) -> object:
    """Convert a number or boolean to text; other values are unchanged."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _pairs(given: Any, field: str) -> dict[str, Any]:
    """Return variables or headers by name, from an object or a list of names, pairs or objects."""
    if isinstance(given, str) and field == "env":
        given = words_of(given) or [given]
    if given is not None and not isinstance(given, (Mapping, list, tuple)):
        raise RefusedError(f"“{field}” is an object of names and values.")
    if isinstance(given, Mapping):
        return {name: value.get("value") if isinstance(value, Mapping) else value for name, value in given.items()}
    found: dict[str, Any] = {}
    for one in given if isinstance(given, (list, tuple)) else ():
        if isinstance(one, str):
            name, equals, value = one.partition("=")
            found[name] = value if equals else None
        elif isinstance(one, Mapping) and isinstance(name := one.get("name", one.get("key")), str):
            found[name] = one.get("value")
    return found


def _names(flat: Mapping[str, Any], places: Iterable[str]) -> dict[str, None]:
    lists = (flat.get(place) for place in places)
    return {name: None for held in lists if isinstance(held, list) for name in held if isinstance(name, str)}


def _headers_of(flat: Mapping[str, Any]) -> dict[str, Any]:
    headers = _pairs(_first(flat, HEADERS), "headers")
    variables = _pairs(_first(flat, HEADER_VARIABLES), "env_http_headers")
    by_variable = {name: f"${{{variable}}}" for name, variable in variables.items()}
    bearer, variable = _first(flat, BEARER), _first(flat, BEARER_VARIABLES)
    if isinstance(variable, str):
        by_variable["Authorization"] = f"Bearer ${{{variable}}}"
    elif isinstance(bearer, str):
        by_variable["Authorization"] = f"Bearer {bearer}"
    return headers | by_variable


@dataclass
class _Given:
    """Collected references to the environment, and values that the user must give."""

    own: dict[str, None] = field(default_factory=dict)
    asked: dict[str, None] = field(default_factory=dict)
    doubted: dict[str, None] = field(default_factory=dict)

    def of(self, given: Mapping[str, Any], *, is_header: bool) -> dict[str, Any]:
        """Return the values to store: None for a name only."""
        return {name: self._value_to_store(name, _text(value), is_header) for name, value in given.items()}

    def _value_to_store(self, name: str, value: object, is_header: bool) -> object:
        if value is None or value == "" or not isinstance(value, str):
            return value
        if open_places(value, OPEN_VALUE) or is_example(value):
            self.asked[name] = None
            return None
        if not is_reference(value, name):
            if references_in(value):
                self.doubted[name] = None
            return value
        self.own |= dict.fromkeys(one.name for one in references_in(value))
        return None if is_own_name(value, name) and not is_header else value

    def in_texts(self, texts: Iterable[object], given: Mapping[str, Any]) -> None:
        """Collect references in a command line or address, except variables passed by name."""
        for text in texts:
            if isinstance(text, str):
                others = (one for one in references_in(text) if not one.is_bare)
                self.own |= dict.fromkeys(one.name for one in others if not (one.is_plain and one.name in given))
                self.asked |= dict.fromkeys(open_places(text))
                if is_example(text.rpartition("=")[2]) and len(text) > len("xxx"):
                    self.asked[text] = None

    def sentences(self) -> Iterable[str]:
        if self.asked:
            has = "has" if len(self.asked) == 1 else "have"
            yield f"{_listed(self.asked)} {has} to be filled in on the power's page"
        if self.own:
            are = "is" if len(self.own) == 1 else "are"
            yield f"{_listed(self.own)} {are} taken from your own environment when it starts"
        if self.doubted:
            one = len(self.doubted) == 1
            are_kept, them = ("is kept as a password", "it") if one else ("are kept as passwords", "them")
            yield (
                f"{_listed(self.doubted)} {are_kept}, although a “$” or “%” is in {them}: write ${{NAME}} where a "
                "variable is meant"
            )


MOST_LISTED, LONGEST = 6, 60


def _listed(names: Iterable[str]) -> str:
    shown = [name[:LONGEST] for name in names]
    rest = len(shown) - MOST_LISTED
    shown = [*shown[:MOST_LISTED], f"{rest} more"] if rest > 0 else shown
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _left_out(flat: Mapping[str, Any], is_run: bool) -> Iterable[str]:
    """Yield notes on fields that are not imported."""

    def named(places: Iterable[str]) -> list[str]:
        return [place for place in places if flat.get(place) and flat[place] not in ("none", "None")]

    said = flat.get("type", flat.get("transport"))
    kind = said.strip().lower() if isinstance(said, str) and not is_run else ""
    address = "" if is_run else str(_first(flat, ADDRESSES))
    if other := OTHER_WAYS.get(kind) or OTHER_WAYS.get(address.partition("://")[0].lower()):
        yield f"it is reached by {other}, which is not spoken here: ask its maker for a streamable address"
    elif address and not WEB.match(address):
        yield f"its address {address[:LONGEST]} is no http:// or https:// address, so it cannot be reached"
    if kind == "sse":
        yield "it speaks HTTP with SSE, the old way of MCP: ask its maker for a streamable address"
    if folders := named(FOLDERS) if is_run else []:
        where = str(flat[folders[0]])[:LONGEST]
        yield (
            f"its working folder {where} ({folders[0]}) is not taken over: it starts in your home folder, "
            "so write relative paths in its arguments in full"
        )
    if files := named(FILES):
        yield f"its file of variables ({files[0]}) is not read: add what it holds on the power's page"
    if ways := named(SIGN_IN):
        yield f"its way to sign in ({_listed(ways)}) is not taken over"
    if granted := named(PERMISSIONS):
        yield f"its permissions ({_listed(granted)}) are not taken over: a person approves it here"
    if chosen := [place for place in named(CHOSEN_TOOLS) if flat[place] != ["*"] and not _is_declared(place, flat)]:
        yield f"its choice of tools ({_listed(chosen)}) is not taken over"
