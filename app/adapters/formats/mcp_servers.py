"""MCP servers as assistants keep them and as the MCP registry tells of them: each becomes a power."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.adapters.formats.documents import Found, TreeReader, text_in
from app.adapters.formats.records import ItemKind, RefusedError, power_of
from app.adapters.formats.syntax.trees import Node
from app.domain.library import Line, Problem

PLACES = (
    ("mcpServers",),
    ("servers",),
    ("mcp", "servers"),
    ("mcp", "mcpServers"),
    ("mcp.servers",),
    ("context_servers",),
)
"""Where the servers stand: Claude Desktop and Cursor, VS Code's mcp.json and its settings, Zed."""

ADDRESSES = ("url", "serverUrl", "httpUrl")

PLACEHOLDER = re.compile(r"\$\{[^{}]*\}")
"""Stands for a value that is asked for or found elsewhere, as ${input:token}; it is none itself."""


def _servers(root: Node) -> Node | None:
    for place in PLACES:
        found: Node | None = root
        for name in place:
            found = None if found is None else found.get(name)
        if found is not None and isinstance(found.value, dict):
            return found
    return None


def _fits(root: Node) -> bool:
    return _servers(root) is not None or next(entries(root), None) is not None


def _items(root: Node, _: str) -> Found:
    servers = _servers(root)
    if servers is None:
        yield from _of_registry(root)
    for name, server in () if servers is None else servers.members():
        if not isinstance(server.value, dict):
            yield Problem(server.line, f"The server “{name[:60]}” is no object.")
            continue
        record = transport_of(server.plain())
        if not any(record.get(way) for way in ("command", "url")):
            yield Problem(server.line, f"The server “{name[:60]}” has neither a “command” nor a “url”.")
            continue
        try:
            power = power_of(record | {"name": name, "description": server.plain().get("description")})
            yield Line(server.line, power)
        except RefusedError as refused:
            yield Problem(server.line, f"The server “{name[:60]}”: {refused}")


def _of_registry(root: Node) -> Found:
    for name, server in entries(root):
        entry = server.plain()
        reached = registry_transport_of(entry)
        if not reached:
            yield Problem(
                server.line,
                f"The server “{name[:60]}” has no package and no address that can be used here.",
            )
            continue
        try:
            yield Line(server.line, power_of({**reached, "name": name, "description": entry.get("description")}))
        except RefusedError as refused:
            yield Problem(server.line, f"The server “{name[:60]}”: {refused}")


def transport_of(server: dict[str, Any]) -> dict[str, Any]:
    """How a server is reached, in our words; inputs and the like are not kept."""
    command = server.get("command")
    if isinstance(command, dict):  # Zed has it as one object
        server = {**server, **command, "command": command.get("path")}
    env = server.get("env")
    if isinstance(env, dict):
        env = {name: _value(value) for name, value in env.items()}
    headers = server.get("headers")
    if isinstance(headers, dict):
        headers = {name: _header(value) for name, value in headers.items()}
    paused = server.get("disabled")
    url = next((server[name] for name in ADDRESSES if server.get(name)), None)
    is_run = bool(server.get("command")) or url is None
    return {
        "command": server.get("command"),
        "args": server.get("args"),
        "env": env if is_run else None,
        "headers": None if is_run else headers,
        "url": url,
        "paused": paused if isinstance(paused, bool) else None,
    }


def _value(value: object) -> object:
    """A variable's value as a text; None where the file only says where it comes from."""
    if isinstance(value, str):
        return None if PLACEHOLDER.fullmatch(value) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value


def _header(value: object) -> object:
    """A header's value as a text; None where some of it stands elsewhere, as in "Bearer ${input:token}"."""
    return None if isinstance(value, str) and PLACEHOLDER.search(value) else _value(value)


SERVERS = TreeReader(
    "MCP servers", ItemKind.POWERS, "an object “mcpServers” or “servers”, or a server.json", _fits, _items
)


# --------------------------------------------------------------------------------------------------------------------
# A plain list of tools, as MCP servers and language models are told of them: one power, named after the file

SCHEMAS = ("inputSchema", "input_schema", "parameters", "function")
"""By one of these a tool is known from a power."""


def _tools(root: Node) -> Node | None:
    result = root.get("result") or root
    found = result if isinstance(result.value, list) else result.get("tools")
    return found if found is not None and isinstance(found.value, list) else None


def _fits_tools(root: Node) -> bool:
    tools = _tools(root)
    if tools is None:
        return False
    return any(tool.get(name) is not None for tool in tools.items() for name in SCHEMAS)


def _tool_items(root: Node, name: str) -> Found:
    tools = _tools(root)
    kept = []
    for tool in () if tools is None else tools.items():
        schema = tool.get("function") or tool
        description = schema.get("description")
        try:
            power_of({"name": name, "tools": [_record(schema, description)]})
        except RefusedError as refused:
            yield Problem(tool.line, f"The tool: {refused}")
        else:
            kept.append(_record(schema, description))
    if kept:
        said = text_in(root.get("description"))
        yield Line(root.line, power_of({"name": text_in(root.get("name")) or name, "description": said, "tools": kept}))


def _record(tool: Node, description: Node | None) -> dict[str, object]:
    name = tool.get("name")
    return {
        "name": None if name is None else name.plain(),
        "description": None if description is None else description.plain(),
    }


TOOLS = TreeReader(
    "Tools",
    ItemKind.POWERS,
    "a list of objects with “name”, “description” and “inputSchema”",
    _fits_tools,
    _tool_items,
)


# --------------------------------------------------------------------------------------------------------------------
# Grimoire's spells (*.spell.yaml): each document becomes a power with its keywords, steering and server


def _fits_spell(root: Node) -> bool:
    server = root.get("server")
    return root.get("name") is not None and server is not None and isinstance(server.value, dict)


def _spell_items(root: Node, _: str) -> Found:
    spell = root.plain()
    words = {name: spell.get(name) for name in ("name", "description", "keywords", "examples", "tools")}
    steering = spell.get("steering")
    words["steering"] = steering.strip() if isinstance(steering, str) else steering
    try:
        yield Line(root.line, power_of(words | transport_of(spell["server"])))
    except RefusedError as refused:
        yield Problem(root.line, f"The spell: {refused}")


SPELLS = TreeReader(
    "Spells", ItemKind.POWERS, "“name”, “description”, “keywords” and “server”", _fits_spell, _spell_items
)


# ---- Servers as the MCP registry tells of them (`server.json`, or its list): the packages to run, or where they
# answer.


RUNNERS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "npm": ("npx", ("-y",), "@"),
    "pypi": ("uvx", (), "@"),
    "oci": ("docker", ("run", "-i", "--rm"), ":"),
    "nuget": ("dnx", ("--yes",), "@"),
}
"""By the kind of registry: the command, what comes before the package, and what stands between it and its version."""

CONTAINERS = "oci"
"""What runs in a container sees only those variables that it is handed by name."""

ASKING = ("isRequired", "isSecret", "valueHint", "placeholder", "choices", "variables")
"""An argument that has one of these and no value wants one of a person."""

STREAMABLE = "streamable-http"


def entries(root: Node) -> Iterator[tuple[str, Node]]:
    """The servers by name: the document itself, or those of a list under `servers`; nothing if it is no such file."""
    held = root.get("servers")
    for entry in (root,) if held is None else held.items():
        server = entry.get("server") or entry
        name = server.get("name")
        if name is not None and isinstance(name.value, str) and (server.get("packages") or server.get("remotes")):
            yield name.value, server


def registry_transport_of(server: Mapping[str, Any]) -> dict[str, Any]:
    """The transport of a server of the registry: the first package that talks over standard streams, else its address.

    Empty where it can be reached in neither way. Variables are named, without values.
    """
    for package in _objects(server.get("packages")):
        if found := _run(package):
            return found
    for remote in _objects(server.get("remotes")):
        url = remote.get("url")
        if remote.get("type") == STREAMABLE and isinstance(url, str) and "{" not in url:
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
    """The arguments that have a value, and the flags without one; those that a person is to fill in are left out."""
    words: list[str] = []
    for argument in _objects(given):
        name, value = argument.get("name"), argument.get("value", argument.get("default"))
        has_value = isinstance(value, str) and bool(value) and "{" not in value
        if not has_value and (value or any(argument.get(sign) for sign in ASKING)):
            continue  # a name without its value would take the next word for it
        if argument.get("type") == "named" and isinstance(name, str):
            words.append(name)
        if has_value:
            words.append(str(value))
    return words


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (one for one in (value if isinstance(value, list) else ()) if isinstance(one, dict))
