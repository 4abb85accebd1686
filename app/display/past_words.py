"""What is said about the history as a whole: what is kept and for how long, what is forgotten, how far a log is."""

from __future__ import annotations

from collections.abc import Mapping

from app.display import numbers, words
from app.domain.history import PastCounts
from app.services.review.history import LogProgress

PRIVACY: Mapping[str, tuple[str, str]] = {
    "full": ("Full", "Text, answer and trace of each query are kept in this profile, and go nowhere else."),
    "hashed": (
        "Hashed",
        "A digest is kept instead of the text, and of the trace numbers and names: nothing to read, ask or decide.",
    ),
    "off": ("Off", "No query is kept from now on. What is kept already stays until you forget it."),
}
"""What the choices of `history.privacy` are called, and what they mean."""

MOST_PROBLEMS = 100
"""So many lines that were left out are listed."""


def privacy_choices() -> tuple[tuple[str, str], ...]:
    """The choices in their order, as they are called."""
    return tuple((key, words.say(name)) for key, (name, _) in PRIVACY.items())


def privacy_sentence(privacy: str, days: int, most: int) -> str:
    """What is kept from now on, and how long it stays."""
    meaning = words.say(PRIVACY[privacy][1])
    return meaning if privacy == "off" else f"{meaning} {retention(days, most)}"


def retention(days: int, most: int) -> str:
    """How long queries are kept, in a sentence."""
    return words.say_n(
        days,
        "They go after {n} day, the oldest first beyond {most}.",
        "They go after {n} days, the oldest first beyond {most}.",
        most=numbers.count(most),
    )


def counts_line(counts: PastCounts) -> str:
    """How many are kept, and how many wait: "1,204 kept, 12 wait"; "" for none."""
    if not counts.kept:
        return ""
    waiting = words.say_n(counts.waiting, "{n} waits in the inbox", "{n} wait in the inbox")
    kept = words.say("{n} kept", n=numbers.count(counts.kept))
    return f"{kept}, {waiting}" if counts.waiting else kept


def forget_question(count: int, *, is_all: bool = False) -> str:
    """What is asked before many queries are forgotten."""
    if is_all:
        return words.say_n(
            count,
            "Forget the {n} query of the history, also if it waits in the inbox? This cannot be undone."
            " What was taught from it stays.",
            "Forget all {n} queries of the history, also those that wait in the inbox? This cannot be undone."
            " What was taught from them stays.",
        )
    return words.say_n(
        count,
        "Forget {n} query? This cannot be undone. What was taught from it stays.",
        "Forget {n} queries? This cannot be undone. What was taught from them stays.",
    )


def forgotten(count: int) -> str:
    """What forgetting came to."""
    return words.say_n(count, "Forgot {n} query.", "Forgot {n} queries.")


def log_line(name: str, progress: LogProgress) -> str:
    """How far taking in a log is, or what it came to."""
    if not progress.is_done:
        said = words.say("{read} lines of {name} are read", read=numbers.count(progress.read), name=name)
        if progress.of:
            said = words.say(
                "{read} of {of} lines of {name} are read",
                read=numbers.count(progress.read),
                of=numbers.count(max(progress.of, progress.read)),
                name=name,
            )
        return words.say("{said}, {n} kept.", said=said, n=numbers.count(progress.kept))
    kept = words.say_n(progress.kept, "{n} query of {name} is kept.", "{n} queries of {name} are kept.", name=name)
    return f"{kept} {left_out(progress.left_out)}".strip()


def log_stopped(name: str, progress: LogProgress) -> str:
    """What a log came to that was stopped."""
    kept = words.say_n(progress.kept, "{n} query is kept", "{n} queries are kept")
    return words.say("{name}: stopped. {kept} and stay.", name=name, kept=kept)


def left_out(count: int) -> str:
    """How many lines could not be read; "" for none."""
    return words.say_n(count, "{n} line was left out.", "{n} lines were left out.") if count else ""
