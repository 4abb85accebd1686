"""Synthetic triggers and typing sessions for timing, not for quality."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

OPENINGS = (
    "how do i", "how can we", "what is", "what are", "where is", "where do you keep", "why does", "why is",
    "please", "can you", "could someone", "i want to", "i need to", "show me", "tell me about", "explain",
    "find", "list", "is there", "help me", "", "",
)  # fmt: skip
VERBS = (
    "open", "close", "move", "copy", "check", "send", "cancel", "update", "restore", "export", "import", "rename",
    "compare", "measure", "schedule", "translate", "encrypt", "compress", "deploy", "archive", "print", "merge",
    "split", "sort", "filter", "count", "repeat", "approve", "reject", "configure", "install", "remove", "repair",
    "share", "publish", "restart", "monitor", "validate", "summarise", "label",
)  # fmt: skip
DETERMINERS = ("the", "a", "my", "our", "every", "this", "that", "another", "the last", "the next", "")
ADJECTIVES = (
    "monthly", "broken", "shared", "empty", "remote", "local", "slow", "quick", "old", "new", "hidden", "public",
    "private", "temporary", "large", "small", "blue", "encrypted", "duplicate", "missing", "daily", "nightly",
    "failed", "approved", "pending", "foreign", "central", "spare", "weekly", "first", "", "", "", "",
)  # fmt: skip
NOUNS = (
    "invoice", "calendar", "database", "printer", "folder", "password", "certificate", "backup", "report", "meeting",
    "account", "card", "server", "contract", "picture", "recipe", "ticket", "parcel", "battery", "camera", "window",
    "garden", "kitchen", "engine", "bridge", "library", "museum", "station", "harbour", "airport", "hotel", "lamp",
    "keyboard", "screen", "cable", "router", "firewall", "licence", "budget", "salary", "holiday", "flight",
    "luggage", "passport", "currency", "exchange rate", "weather forecast", "playlist", "podcast", "newsletter",
    "subscription", "refund", "warranty", "address book", "phone number", "postcode", "timetable", "queue",
    "log file", "index",
)  # fmt: skip
PREPOSITIONS = ("in", "for", "from", "without", "before", "after", "with", "near", "under", "behind", "to", "on")
ENDINGS = ("", "", "", "", "?", "?", ".", " again", " today", " right now", " in Python 3.11", " (urgent)", " at 7:30")


FEWEST_WORDS, MOST_WORDS = 3, 12
CAPITALISED = 0.4


def sentence(random: Random) -> str:
    """Generate a text of 3 to 12 words."""
    while True:
        clauses = [random.choice(OPENINGS), random.choice(VERBS), _noun_phrase(random)]
        for _ in range(random.choice((0, 0, 1, 1, 2))):
            clauses += [random.choice(PREPOSITIONS), _noun_phrase(random)]
        text = " ".join(clause for clause in clauses if clause) + random.choice(ENDINGS)
        if FEWEST_WORDS <= len(text.split()) <= MOST_WORDS:
            return text.capitalize() if random.random() < CAPITALISED else text


def _noun_phrase(random: Random) -> str:
    words = (random.choice(DETERMINERS), random.choice(ADJECTIVES), random.choice(NOUNS))
    return " ".join(word for word in words if word)


def triggers(count: int, random: Random) -> list[str]:
    """Generate `count` distinct texts."""
    found: dict[str, None] = {}
    while len(found) < count:
        text = sentence(random)
        found[text if text not in found else f"{text} no. {len(found)}"] = None
    return list(found)


EDITS = ("typing", "deleting", "in the middle", "pasting")
"""Kinds of keystrokes in a session."""


def session(target: str, pasted: str, random: Random) -> Iterator[tuple[str, str]]:
    """Yield (kind of keystroke, text after it) of a typing session.

    The user types `target` with a slip, deletes characters, edits in the middle, types on, and pastes `pasted` over
    it.
    """
    typing, deleting, in_the_middle, pasting = EDITS
    for end in range(1, len(target) + 1):
        yield typing, target[:end]
    deleted = min(len(target) - 1, random.randint(3, 9))
    for end in range(len(target) - 1, len(target) - deleted - 1, -1):
        yield deleting, target[:end]
    kept = target[: len(target) - deleted]
    for inserted in ("x", "xy", "x", ""):
        middle = len(kept) // 2
        yield in_the_middle, kept[:middle] + inserted + kept[middle:]
    for end in range(len(kept) + 1, len(target) + 1):
        yield typing, target[:end]
    yield pasting, pasted
    yield typing, pasted + "?"
