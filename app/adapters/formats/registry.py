"""Servers as the MCP registry tells of them (`server.json`, or its list): the packages to run, or where they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.adapters.formats.trees import Node

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


def transport_of(server: Mapping[str, Any]) -> dict[str, Any]:
    """How it is reached, in our words: the first package that talks over standard streams, else its address.

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
    """Those with a value of their own, and names that want none; what a person is to fill in is left to that person."""
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
