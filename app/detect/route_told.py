"""What the taught examples say of a query, and if that is enough, in sentences that give the numbers on screen."""

from __future__ import annotations

from app.domain.route import Vote

DIGITS = 3
"""So many the numbers of a vote have wherever they are shown."""

_MOST_DIGITS = 17
"""No two floats in [0, 1] that differ are the same in so many."""


def below(value: float, least: float, fewest: int = 2) -> str:
    """A number and the threshold that it misses, in as many digits as show that it does: "0.649 is below 0.650"."""
    digits = next((n for n in range(fewest, _MOST_DIGITS) if round(value, n) < round(least, n)), _MOST_DIGITS)
    return f"{value:.{digits}f} is below {least:.{digits}f}"


def vote_told(vote: Vote, abstain: float | None) -> tuple[str, bool]:
    """What a vote says and why it counts or abstains, and which of both; `abstain` is the threshold that a person
    chose, None: its own."""
    if vote.says_none:
        return f"The taught examples say that no store is asked for: {none_told(vote)}, so they abstain.", False
    least = vote.threshold if abstain is None else abstain
    what = f"The taught examples say {vote.label}:"
    if vote.confidence < least:
        return f"{what} {below(vote.confidence, least, DIGITS)}, so they abstain.", False
    if abstain is None and not vote.grounds.is_backed:
        by = f" by {_words(vote)}" if vote.grounds.words else ""
        none = f"none of the {len(vote.nearest)} nearest examples is for {vote.label}"
        return f"{what} {vote.confidence:.3f}{by}, but {none}, so they abstain.", False
    # A number that reaches its threshold must not look as if it did not.
    digits = next(n for n in range(DIGITS, _MOST_DIGITS + 1) if round(vote.confidence, n) >= round(least, n))
    return f"{what} {vote.confidence:.{digits}f} reaches {least:.{digits}f}.", True


def none_told(vote: Vote) -> str:
    """How much of the vote is for no store, and how much for the route that has most of it."""
    label, most = vote.shares[0]
    return f"of their vote none has {vote.for_none:.{DIGITS}f}, {label} {most:.{DIGITS}f}"


def won(vote: Vote) -> str:
    """Why the vote's label wins over others: its share, and what is near."""
    return " ".join(part for part in (_shares(vote), nearest(vote)) if part)


def nearest(vote: Vote) -> str:
    """The nearest example, and where that is for another route, what speaks for the one that wins."""
    if not vote.nearest:
        return ""
    first, grounds = vote.nearest[0], vote.grounds
    told = f"Nearest is “{first.text}” ({first.label}, {first.similarity:.3f})"
    if not grounds.backing or first.text == grounds.backing[0].text:
        return f"{told}."
    own = grounds.backing[0]
    like = f"“{own.text}” ({own.similarity:.3f})"
    if not grounds.words:
        return f"{told}; taken together they are more for {vote.label}, as {like}."
    speak = "speaks" if len(grounds.words) == 1 else "speak"
    return f"{told}, but {_words(vote)} {speak} for {vote.label}, and so does {like}."


def _words(vote: Vote) -> str:
    """What speaks for the vote's label in the query: its words “same” and “start”."""
    words = [f"“{word}”" for word in vote.grounds.words]
    return f"its {'word' if len(words) == 1 else 'words'} {' and '.join(words)}"


def _shares(vote: Vote) -> str:
    """Which share of the vote won over which."""
    if len(vote.shares) < 2:
        return ""
    (first, won), (second, lost) = vote.shares[:2]
    return f"Of their vote {first} has {won:.3f}, {second} {lost:.3f}."
