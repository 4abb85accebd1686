"""Which file of a folder holds which things, under names that every system can write."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2s
from typing import TypeVar

from app.domain.library import Memory

MOST_TOGETHER = 2_000
"""A file that would hold more memories is spread over several."""

MOST_NAMES = 500
"""Where there are more namespaces, or labels in one, they share files."""

MOST_BYTES = 64
"""A name is cut to so many bytes, with room for what tells it from others."""

RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
"""What Windows takes for a device, whatever its ending."""

UNLABELLED = "_unlabelled"
MIXED = "_"
"""Names that no namespace and no label is given."""

T = TypeVar("T")


def plain_name(text: str) -> str:
    """What a text is called on a disk: small letters and digits of any language, and hyphens; "" for signs alone."""
    lower = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower())
    letters = (one if one.isalnum() or unicodedata.category(one) == "Mn" else "-" for one in lower)
    name = re.sub("-+", "-", "".join(letters)).strip("-")
    while len(name.encode()) > MOST_BYTES:
        name = name[:-1]
    name = name.strip("-")
    return f"{name}-" if RESERVED.fullmatch(name) else name


def names_of(texts: Iterable[str]) -> dict[str, str]:
    """A name for each of these distinct texts; those that would share one end in a mark of their own.

    Names are told apart as a disk does that knows no case. A text that is its own name keeps it, whoever else comes.
    """
    by_name: defaultdict[str, list[str]] = defaultdict(list)
    plain = {text: plain_name(text) for text in texts}
    for text, name in plain.items():
        by_name[unicodedata.normalize("NFC", name.casefold())].append(text)
    found = {}
    for shared in by_name.values():
        for text in shared:
            alone = plain[text] and (len(shared) == 1 or plain[text] == text)
            found[text] = plain[text] if alone else f"{plain[text]}~{_mark(text)}"
    return found


def _mark(text: str, digits: int = 6) -> str:
    return blake2s(text.encode("utf-8", "replace")).hexdigest()[:digits]


def memory_files(memories: Sequence[Memory]) -> dict[str, list[Memory]]:
    """The memories by the file that holds them: one for each label of a namespace, more where they are many."""
    namespaces = _grouped(memories, lambda memory: memory.namespace)
    if len(namespaces) > MOST_NAMES:
        return _spread(f"memories/{MIXED}", memories, lambda memory: memory.namespace)
    files: dict[str, list[Memory]] = {}
    names = names_of(namespaces)
    for namespace, inside in namespaces.items():
        place = f"memories/{names[namespace]}"
        labels = _grouped(inside, lambda memory: memory.intent or "")
        if len(labels) > MOST_NAMES:
            files |= _spread(f"{place}/{MIXED}", inside, lambda memory: memory.intent or memory.name)
            continue
        called: Mapping[str, str] = {**names_of(label for label in labels if label), "": UNLABELLED}
        for label, held in labels.items():
            files |= _spread(f"{place}/{called[label]}", held, lambda memory: memory.name)
    return files


def _grouped(things: Iterable[T], by: Callable[[T], str]) -> dict[str, list[T]]:
    found: defaultdict[str, list[T]] = defaultdict(list)
    for thing in things:
        found[by(thing)].append(thing)
    return found


def _spread(place: str, things: Sequence[T], by: Callable[[T], str]) -> dict[str, list[T]]:
    """One file, or 16, 256 … of them in a folder, each thing always in the same."""
    if len(things) <= MOST_TOGETHER:
        return {f"{place}.toml": list(things)}
    digits = 1
    while len(things) > MOST_TOGETHER * 16**digits:
        digits += 1
    spread = _grouped(things, lambda thing: _mark(by(thing), digits))
    return {f"{place}/{mark}.toml": held for mark, held in spread.items()}
