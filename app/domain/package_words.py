"""Words in the name of a server, its package, image or host, that say what it is for: "slack" of "server-slack"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

NOISE = frozenset(
    "mcp server servers modelcontextprotocol client proxy bridge wrapper official latest stdio sse http remote local "
    "npm pypi py js ts node python docker image main index dist build src run start cli app bin exe cmd bat api www "
    "dev com org net io ai".split()
)
"""Words that names of packages and hosts share, whatever they do."""

LAUNCHERS = frozenset(
    "npx bunx pnpm pnpx yarn dlx uvx uv pipx run tool exec node deno bun python docker podman".split()
)
"""Programs that start the package among their arguments, and their subcommands."""

VALUED = frozenset(
    "-e --env -v --volume --mount --name --network -w --workdir -u --user -p --python --directory".split()
)
"""Options of launchers whose value is the next argument."""

PACKAGED = frozenset("-m --package --from".split())
"""Options of launchers whose value is the package."""

_PART = re.compile(r"[^\W\d_]+\d*")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SCRIPT = re.compile(r"\.(py|m?js|cjs|ts|sh|jar)$", re.IGNORECASE)
_ENDING = re.compile(r"\.(exe|cmd|bat)$", re.IGNORECASE)
_PYTHON = re.compile(r"^python[\d.]*$")


def name_words(name: str) -> str:
    """The name without what names of servers share, such as "slack" of "slack-mcp-server"; "" if nothing is left."""
    return " ".join(_telling(name))


def package_words(command: str, args: Sequence[str], url: str) -> str:
    """The telling words of what is started or called; "" if there are none. No argument but the package is read: others
    may hold places and passwords."""
    if command:
        return _of_package(_package(command, args))
    return _of_host(url) if url else ""


def _telling(text: str) -> Iterator[str]:
    for part in _PART.findall(_CAMEL.sub(" ", text)):
        if part.casefold() not in NOISE:
            yield part.casefold()


def _package(command: str, args: Sequence[str]) -> str:
    """The program, or the package, image or script that a launcher starts; "" if none is seen."""
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
    """Of "@scope/name@1.2" the telling words of the name, else those of the scope; of a script those of its folders,
    the nearest first."""
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
