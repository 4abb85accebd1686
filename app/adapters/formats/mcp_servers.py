"""MCP servers in configurations of assistants and the MCP registry, read as powers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from app.adapters.formats.documents import Found, TreeReader, first_of, text_in
from app.adapters.formats.record_names import normalized_power, package_sign
from app.adapters.formats.records import FileKind, RefusedError, item_at, power_of
from app.adapters.formats.server_entries import COMMANDS, OWN_PARTS, is_server_entry, server_entry
from app.adapters.formats.syntax.trees import Node
from app.domain.library import Line, Problem
from app.domain.match import without_hidden

PLACE = re.compile(r"(?<![\w-])(?:mcp|context|modelContextProtocol)[-_.]?servers(?![\w.-])", re.IGNORECASE)
"""Key of servers in assistants' files: most, Codex, Zed, Continue. Also as a dotted suffix."""

FIRST_PLACES = ("servers", "mcp", "extensions")
"""Keys of servers only at the top of a file: VS Code, opencode, Goose."""

DEPTH = 4
"""Maximum depth of servers, as in the settings of one project."""

ASIDE = re.compile(r"[_/#$@].*|comments?|descriptions?|notes?|version|inputs", re.IGNORECASE | re.DOTALL)
"""Keys beside servers, such as remarks."""

OWN_FIELDS = frozenset(("keywords", "examples", "steering", "tools", "triggers", "text", "server"))
"""Fields of a power's record that no server of a configuration has."""

NAMED = ("name", "server_label", "id")
"""Names of a server's name in a list: most, OpenAI's tools, others."""

SWITCHED_OFF = ("disabledMcpServers", "disabledMcpjsonServers")


@dataclass(frozen=True, slots=True)
class _Group:
    """Servers of one object or list, their project, and those it disables."""

    servers: Node
    project: str = ""
    off: frozenset[str] = frozenset()

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Yield the servers with their names, without remarks; "" for a list entry without one."""
        for key, server in self.servers.members():
            if isinstance(server.value, dict) or not ASIDE.fullmatch(key):
                yield key, server
        for entry in self.servers.items():
            yield next((name for place in NAMED if (name := text_in(entry.get(place)))), ""), entry


def _groups(root: Node) -> list[_Group]:
    """Return all groups of servers in a document, or the document itself as one."""
    found = list(_named_groups(root))
    if found or not isinstance(root.value, (dict, list)):
        return found
    entries = list(_Group(root).entries())
    if _is_record(root):
        return [_Group(Node([root], root.line))]
    fits = _is_record if isinstance(root.value, list) else lambda entry: is_server_entry(entry.plain())
    return [_Group(root)] if entries and all(fits(entry) for _, entry in entries) else []


def _named_groups(node: Node, path: tuple[str, ...] = ()) -> Iterator[_Group]:
    off = frozenset(
        name for place in SWITCHED_OFF if (names := node.get(place)) for one in names.items() if (name := text_in(one))
    )
    for name, held in node.members():
        if _is_group(name, held, path):
            yield _Group(held, path[-1] if path[-2:-1] == ("projects",) else "", off)
        elif len(path) < DEPTH and isinstance(held.value, dict):
            yield from _named_groups(held, (*path, name))


def _is_group(name: str, held: Node, path: tuple[str, ...]) -> bool:
    """Return whether a key holds servers; generic keys only at the top with servers inside."""
    if PLACE.search(name):
        return isinstance(held.value, (dict, list))
    is_top = not path or (path[-1] == "mcp" and name == "servers")
    if name not in FIRST_PLACES or not is_top:
        return False
    if name == "servers":
        return isinstance(held.value, dict) or any(map(_is_record, held.items()))
    entries = [entry for _, entry in held.members() if isinstance(entry.value, dict)]
    return any(is_server_entry(entry.plain()) or text_in(entry.get("type")) in OWN_PARTS for entry in entries)


def _is_record(entry: Node) -> bool:
    """Return whether an entry is a server by itself or in a list."""
    if not isinstance(entry.value, dict) or OWN_FIELDS & entry.value.keys() or not is_server_entry(entry.plain()):
        return False
    if any(entry.get(name) is not None for name in NAMED[:2]):
        return package_sign(entry.fields()) is None
    return any(entry.get(name) is not None for name in COMMANDS)


def _fits(root: Node) -> bool:
    return _extension(root) is not None or bool(_groups(root)) or next(entries(root), None) is not None


def _items(root: Node, file: str) -> Found:
    if (extension := _extension(root)) is not None:
        yield from _of_extension(root, extension)
        return
    groups = sorted(_groups(root), key=lambda group: bool(group.project))
    if not groups:
        yield from _of_registry(root)
    taken: dict[str, object] = {}
    for group in groups:
        said = group.project and f"it is only for the project {group.project}"
        for name, given in group.entries():
            if isinstance(given.value, str) and given.value.strip():
                server = Node({"url" if "://" in given.value.split()[0] else "command": given}, given.line)
            else:
                is_words = isinstance(given.value, list) and any(given.items())
                server = Node({"command": given}, given.line) if is_words else given
            yield from _server(without_hidden(name) or _program_name(server, file), server, group, said, taken)


RUNNING = frozenset(("npx", "uvx", "uv", "run", "bunx", "pnpm", "dlx", "node", "python", "python3", "docker", "exec"))


def _program_name(server: Node, file: str) -> str:
    """Return a name for an unnamed server: its package, program or host, else the file's."""
    with suppress(RefusedError, AttributeError):
        record = server_entry(server.plain() if isinstance(server.value, dict) else {}).record
        words = [str(word) for word in (record["command"], *record["args"]) if word]
        parts = [word.rstrip("/\\").replace("\\", "/").rpartition("/")[2] for word in words if word[:1] != "-"]
        if name := next((part for part in parts if part and part not in RUNNING), ""):
            return name.partition("@")[0] or name
        if host := urlsplit(record["url"] or "").hostname:
            return host
    return file


def _server(name: str, server: Node, group: _Group, said: str, taken: dict[str, object]) -> Found:
    """Yield a server as a power; a different one of the same name also gets its project's name."""
    shown = name[:60]
    if not isinstance(server.value, dict):
        yield Problem(server.line, f"The server “{shown}” is not an object.")
        return
    if text_in(server.get("type")) in OWN_PARTS:
        yield Problem(server.line, f"The extension “{shown}” is a part of its assistant and no MCP server.")
        return
    try:
        entry = server_entry(server.plain())
        if not entry.is_reachable:
            yield Problem(server.line, f"The server “{shown}” has neither a “command” nor a “url”.")
            return
        if taken.setdefault(name, entry.record) is not entry.record:
            if taken[name] == entry.record:
                return
            place = group.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
            name = f"{name} ({place or server.line})"
        paused = True if shown in group.off or name.startswith(("//", "#")) else entry.record["paused"]
        power = power_of({**entry.record, "name": name, "paused": paused})
    except RefusedError as refused:
        yield Problem(server.line, f"The server “{shown}”: {refused}")
        return
    notes = [note for note in (said, *entry.notes) if note]
    yield Line(server.line, power, f"{shown}: {'; '.join(notes)}." if notes else "")


def _extension(root: Node) -> Node | None:
    """Return the server of a desktop extension (DXT, MCPB manifest); None for other files."""
    server = root.get("server")
    if server is None or not isinstance(server.value, dict):
        return None
    is_manifest = any(root.get(name) is not None for name in ("dxt_version", "manifest_version", "mcpb_version"))
    return server.get("mcp_config") or (Node({}, server.line) if is_manifest else None)


def _of_extension(root: Node, launch: Node) -> Found:
    name = text_in(root.get("name")) or text_in(root.get("display_name")) or ""
    told = normalized_power(root.plain())
    words = {field: told.get(field) for field in ("keywords", "description", "tools")}
    try:
        if not launch.value or not isinstance(launch.value, dict):
            raise RefusedError("its manifest has no “mcp_config”, so how it is started is not known.")
        entry = server_entry(launch.plain())
        power = power_of({**entry.record, **words, "name": name})
    except RefusedError as refused:
        yield Problem(root.line, f"The extension “{name[:60]}”: {refused}")
        return
    yield Line(root.line, power, f"{name[:60]}: {'; '.join(entry.notes)}." if entry.notes else "")


def _of_registry(root: Node) -> Found:
    for name, server in entries(root):
        entry = server.plain()
        reached = registry_transport_of(entry)
        if not reached:
            yield Problem(server.line, f"The server “{name[:60]}” has no package and no address that can be used here.")
            continue
        record = {**reached, "name": name, "description": entry.get("description")}
        yield item_at(server.line, partial(power_of, record), f"The server “{name[:60]}”: ")


SERVERS = TreeReader(
    "MCP servers", FileKind.POWERS, "an object “mcpServers” or “servers”, or a server.json", _fits, _items
)


# ---- Plain list of tools of an MCP server or language model: one power, named after the file

SCHEMAS = ("inputSchema", "input_schema", "parameters", "function", "toolSpec")
"""Fields that distinguish a tool from a power."""

TOOL_LISTS = ("tools", "functions", "functionDeclarations", "function_declarations")


def _tools(root: Node) -> Iterator[Node]:
    """Yield the tools of a list, also of those within it."""
    result = root.get("result") or root.get("toolConfig") or root
    for tool in (first_of(result, TOOL_LISTS) or result).items():
        yield from _tools(tool) if first_of(tool, TOOL_LISTS) else (tool,)


def _tool_items(root: Node, name: str) -> Found:
    kept = []
    for tool in _tools(root):
        schema = first_of(tool, ("function", "toolSpec")) or tool
        fields = {field: schema.get(field) for field in ("name", "description")}
        record = {field: None if held is None else held.plain() for field, held in fields.items()}
        try:
            power_of({"name": name, "tools": [record]})
        except RefusedError as refused:
            yield Problem(tool.line, f"The tool: {refused}")
        else:
            kept.append(record)
    if kept:
        said = text_in(root.get("description"))
        yield Line(root.line, power_of({"name": text_in(root.get("name")) or name, "description": said, "tools": kept}))


TOOLS = TreeReader(
    "Tools",
    FileKind.POWERS,
    "a list of objects with “name”, “description” and “inputSchema”",
    lambda root: any(first_of(tool, SCHEMAS) is not None for tool in _tools(root)),
    _tool_items,
)


# ---- Grimoire's spells (*.spell.yaml): each document becomes a power with keywords, steering and server


def _fits_spell(root: Node) -> bool:
    server = root.get("server")
    return root.get("name") is not None and server is not None and isinstance(server.value, dict)


def _spell_items(root: Node, _: str) -> Found:
    spell = root.plain()
    words = {name: spell.get(name) for name in ("name", "description", "keywords", "examples", "tools")}
    steering = spell.get("steering")
    words["steering"] = steering.strip() if isinstance(steering, str) else steering
    try:
        entry = server_entry(spell["server"])
        power = power_of({**entry.record, **words, "paused": entry.record["paused"]})
        yield Line(root.line, power, f"{power.name[:60]}: {'; '.join(entry.notes)}." if entry.notes else "")
    except RefusedError as refused:
        yield Problem(root.line, f"The spell: {refused}")


SPELLS = TreeReader(
    "Spells", FileKind.POWERS, "“name”, “description”, “keywords” and “server”", _fits_spell, _spell_items
)


# ---- Servers of the MCP registry (`server.json`, or its list): packages to run, or addresses.


RUNNERS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "npm": ("npx", ("-y",), "@"),
    "pypi": ("uvx", (), "@"),
    "oci": ("docker", ("run", "-i", "--rm"), ":"),
    "nuget": ("dnx", ("--yes",), "@"),
}
"""Command, arguments before the package, and separator of its version, by registry."""

_CAMEL = re.compile("_([a-z])")
"""Sign between words of names in earlier forms of the registry, such as “registry_type”."""

CONTAINERS = "oci"
"""Registry of containers, which only see variables passed by name."""

ASKING = ("isRequired", "isSecret", "valueHint", "placeholder", "choices", "variables")
"""Fields of an argument whose missing value the user must give."""


def entries(root: Node) -> Iterator[tuple[str, Node]]:
    """Yield servers by name, the document itself or a list under `servers`, if any."""
    held = root.get("servers")
    for entry in (root,) if held is None else held.items():
        server = entry.get("server") or entry
        name = server.get("name")
        if name is not None and isinstance(name.value, str) and (server.get("packages") or server.get("remotes")):
            yield name.value, server


def registry_transport_of(server: Mapping[str, Any]) -> dict[str, Any]:
    """Return the transport of a registry's server: the first stdio package, else its address.

    Empty if there is neither. Variables are named, without values.
    """
    for package in _objects(server.get("packages")):
        if found := _run({_CAMEL.sub(lambda word: word[1].upper(), name): held for name, held in package.items()}):
            return found
    for remote in _objects(server.get("remotes")):
        url = remote.get("url")
        if remote.get("type") == "streamable-http" and isinstance(url, str) and "{" not in url:
            names = (header.get("name") for header in _objects(remote.get("headers")))
            return {"url": url, "headers": dict.fromkeys(name for name in names if isinstance(name, str) and name)}
    return {}


def _run(package: Mapping[str, Any]) -> dict[str, Any] | None:
    transport = package.get("transport")
    kind, name, version = package.get("registryType"), package.get("identifier"), package.get("version")
    runner = RUNNERS.get(kind) if isinstance(kind, str) else None
    if runner is None or not isinstance(name, str):
        return None
    if isinstance(transport, dict) and transport.get("type", "stdio") != "stdio":
        return None
    command, before, mark = runner
    given = _arguments(package.get("runtimeArguments"))
    begun = given if before[:1] and before[0] in given else [*before, *given]
    variables = (variable.get("name") for variable in _objects(package.get("environmentVariables")))
    names = [variable for variable in variables if isinstance(variable, str) and variable]
    if kind == CONTAINERS:
        begun = [*begun, *(word for variable in names if variable not in given for word in ("-e", variable))]
    is_named = isinstance(version, str) and version and mark not in name[1:]
    args = [*begun, f"{name}{mark}{version}" if is_named else name, *_arguments(package.get("packageArguments"))]
    return {"command": package.get("runtimeHint") or command, "args": args, "env": dict.fromkeys(names)}


def _arguments(given: Any) -> list[str]:
    """Return the arguments with values, and flags without; user inputs are left out."""
    words: list[str] = []
    for argument in _objects(given):
        name, value = argument.get("name"), argument.get("value", argument.get("default"))
        has_value = isinstance(value, str) and bool(value) and "{" not in value
        if not has_value and (value or any(argument.get(sign) for sign in ASKING)):
            continue  # a name without its value would consume the next word
        if argument.get("type") == "named" and isinstance(name, str):
            words.append(name)
        if has_value:
            words.append(str(value))
    return words


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in (value if isinstance(value, list) else ()) if isinstance(one, dict))
