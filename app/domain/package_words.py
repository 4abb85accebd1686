"""Informative words in names of packages, images and hosts: "slack" of "server-slack"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

NOISE = frozenset(
    "mcp server servers modelcontextprotocol client proxy bridge wrapper official latest stdio sse http remote local "
    "npm pypi py js ts node python docker image main index dist build src run start cli app bin exe cmd bat api www "
    "dev com org net io ai".split()
)
"""Words common in names of packages and hosts."""

LAUNCHERS = frozenset(
    "npx bunx pnpm pnpx yarn dlx uvx uv pipx run tool exec node deno bun python docker podman".split()
)
"""Programs that start a package given as argument, and their subcommands."""

VALUED = frozenset(
    "-e --env -v --volume --mount --name --network -w --workdir -u --user -p --python --directory".split()
)
"""Launcher options whose value is the next argument."""

PACKAGED = frozenset("-m --package --from".split())
"""Launcher options whose value is the package."""

_PART = re.compile(r"[^\W\d_]+\d*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SCRIPT = re.compile(r"\.(py|m?js|cjs|ts|sh|jar)$", re.IGNORECASE)
_ENDING = re.compile(r"\.(exe|cmd|bat)$", re.IGNORECASE)
_PYTHON = re.compile(r"^python[\d.]*$")


def name_words(name: str) -> str:
    """Remove the common words of server names: "slack" of "slack-mcp-server"; may be empty."""
    return " ".join(_telling(name))


def package_words(command: str, args: Sequence[str], url: str) -> str:
    """Return the informative words of a command's package or a URL's host; may be empty.

    Only the package argument is read, as others may hold paths and passwords.
    """
    if command:
        return _of_package(_package(command, args))
    return _of_host(url) if url else ""


def _telling(text: str) -> Iterator[str]:
    for part in _PART.findall(_CAMEL.sub(" ", text)):
        if part.casefold() not in NOISE:
            yield part.casefold()


def _package(command: str, args: Sequence[str]) -> str:
    """Return the program, or the package, image or script that a launcher starts; "" if none."""
    program = _ENDING.sub("", command.replace("\\", "/").rpartition("/")[2]).casefold()
    if not _is_launcher(program):
        return program
    return next(_packages(args), "")


def _packages(args: Iterable[str]) -> Iterator[str]:
    rest = iter(args)
    for arg in rest:
        name, _, value = arg.partition("=")
        if arg in VALUED:
            next(rest, None)
        elif name in PACKAGED:
            yield value or next(rest, "")
        elif not arg.startswith("-") and not _is_launcher(arg.casefold()):
            yield arg


def _is_launcher(word: str) -> bool:
    return word in LAUNCHERS or _PYTHON.match(word) is not None


def _of_package(package: str) -> str:
    """Return the words of "@scope/name@1.2": of the name, else the scope or nearest folder."""
    path = package.replace("\\", "/")
    for written in reversed(path.split("/")):
        part = written.removeprefix("@").partition("@")[0].partition(":")[0]
        if words := name_words(_SCRIPT.sub("", part).removesuffix(".git")):
            return words
    return ""


def _of_host(url: str) -> str:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    labels = host.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or ":" in host:
        return ""
    return next((words for label in reversed(labels[:-1]) if (words := name_words(label))), "")
