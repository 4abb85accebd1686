"""Library of rules and cases of types."""

from app.domain.case import Case, Task
from app.domain.intent import Rule
from app.domain.library import Memory
from tests.fakes import MemoryLibrary

ASKED = (
    ("How do I rotate the {} in a PDF without losing the bookmarks?", "howto"),
    ("The {} build fails since this morning and nobody knows why", "troubleshoot"),
    ("Where is the configuration of the {}?", "location"),
    ("What is the {} and why is it there?", "explanation"),
    ("Should I use the {} or the other one?", "comparison"),
    ("List all recent changes of the {}", "general"),
    ("rotate the {} quickly", "howto"),
    ("is the {} rotated already or stuck", "troubleshoot"),
)
THINGS = ("page", "signing key", "log file", "backup", "cache", "report", "mirror", "tunnel", "gateway", "queue") * 3
MINE = (
    Rule("mine.rotate", "howto", r"rotate|turn\s+round", "mine", 0, 1.5),
    Rule("mine.rotate-again", "howto", r"Rotate|turn\s+round", "mine", 1, 0.5),
    Rule("mine.zebra", "general", "zebra crossing", "mine", 2, enabled=False),
    Rule("mine.rotate-the", "general", r"rotate\s+the", "mine", 3, confidence=0.8, unless="key"),
)


def library(*, own: bool = True, cases: int = 200) -> MemoryLibrary:
    """Make a library with shipped rules, some own ones, and generated cases."""
    made = MemoryLibrary()
    made.add("memories", [Memory(("rotate the api keys",)), Memory(("restart the build server",))])
    if own:
        made.add("rules", list(MINE))
    texts = [(text.format(thing), label) for thing in dict.fromkeys(THINGS) for text, label in ASKED]
    texts += [(f"{text} ({n})", label) for n, (text, label) in enumerate(texts * 3)]
    made.add("cases", [Case(text, (label,), Task.TYPE) for text, label in texts[:cases]])
    return made
