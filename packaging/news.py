"""Gather the news fragments into the list of changes.

    python3 packaging/news.py --draft           print what the next release would say, and change nothing
    python3 packaging/news.py VERSION [DATE]    move the fragments into CHANGELOG.md under this version; DATE is today's

Standard library only, like develop.py.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

PACKAGING = Path(__file__).resolve().parent
FRAGMENTS, CHANGES = PACKAGING / "news.d", PACKAGING / "CHANGELOG.md"

KINDS: Mapping[str, str] = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
"""Kinds of fragments in the order of the list, with their headings."""

MOST_SENTENCES = 3
DRAFT = "Unreleased"

_NAME = re.compile(rf"[a-z0-9]+(-[a-z0-9]+)*\.({'|'.join(KINDS)})\.md")
_CODE = re.compile(r"`[^`]*`")
_END = re.compile(r"[.?](?=[\s)]|$)")
_MODULE = re.compile(
    r"\b(?:app|db|tests|packaging)/(?!develop\.py)\w|\b(?!develop\.py)\w+\.py\b|\bapp\.\w|\b[a-z]+_[a-z]+\("
)
_VERSION = re.compile(r"\d+\.\d+\.\d+([a-z]+\d+)?")
_WIDE = 120


def fragments(folder: Path = FRAGMENTS) -> list[Path]:
    """Return all fragments, sorted by name."""
    return sorted(path for path in folder.glob("*.md") if path.name != "README.md")


def faults(path: Path) -> list[str]:
    """Return the errors in the form of a fragment, as sentences."""
    told = []
    text = path.read_text(encoding="utf-8").strip()
    if not _NAME.fullmatch(path.name):
        told.append(f"{path.name} must be named WHAT.KIND.md, with one of the kinds {', '.join(KINDS)}.")
    words = _CODE.sub("it", text)
    count = len(_END.findall(words))
    if not text.endswith(".") or not 1 <= count <= MOST_SENTENCES:
        told.append(f"{path.name} has {count} sentences; write one to {MOST_SENTENCES}, each with a full stop.")
    if re.search(r"^\s*(#|[-*] |\|)", text, re.MULTILINE) or "\n\n" in text:
        told.append(f"{path.name} has a heading, a list, a table or paragraphs.")
    if found := _MODULE.search(text):
        told.append(f"{path.name} names a module ({found.group()}); write for users.")
    return told


def gathered(paths: Sequence[Path], version: str, day: date | None) -> str:
    """Return the section of one release: a heading per kind and a list item per fragment."""
    parts = [f"## {version}" + (f" ({day.isoformat()})" if day else "")]
    for kind, heading in KINDS.items():
        own = [path for path in paths if path.name.endswith(f".{kind}.md")]
        if own:
            parts += [f"### {heading}", "\n".join(map(_point, own))]
    return "\n\n".join(parts) + "\n"


def _point(path: Path) -> str:
    """Return a fragment as a list item with wrapped lines."""
    lines, line = [], "-"
    for word in path.read_text(encoding="utf-8").split():
        if len(line) + 1 + len(word) > _WIDE:
            lines.append(line)
            line = " "
        line += f" {word}"
    return "\n".join([*lines, line])


def joined(changes: str, part: str) -> str:
    """Return the list of changes with a new section before the older ones."""
    head, mark, older = changes.partition("\n## ")
    return f"{head.rstrip()}\n\n{part.rstrip()}\n" + (f"\n## {older}" if mark else "")


def release(version: str, day: date, folder: Path = FRAGMENTS, changes: Path = CHANGES) -> None:
    """Move the fragments into the list of changes; the list is written before they are deleted."""
    paths = fragments(folder)
    changes.write_text(joined(changes.read_text(encoding="utf-8"), gathered(paths, version, day)), encoding="utf-8")
    for path in paths:
        path.unlink()


def main(words: Sequence[str]) -> int:
    """Print or release; return 2 for bad usage, 1 if a fragment is malformed or there is none."""
    told = [fault for path in fragments() for fault in faults(path)]
    if words == ["--draft"]:
        print(gathered(fragments(), DRAFT, None), end="")
    elif len(words) not in (1, 2) or not _VERSION.fullmatch(words[0]):
        print(__doc__, file=sys.stderr)
        return 2
    elif told or not fragments():
        told = told or ["There are no fragments."]
    else:
        release(words[0], date.fromisoformat(words[1]) if len(words) > 1 else datetime.now(UTC).date())
    print(*told, sep="\n", end="\n" if told else "", file=sys.stderr)
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
