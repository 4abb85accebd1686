"""What is said of a task that the window's end would end, too."""

from __future__ import annotations

from app.display.words import say
from app.domain.history import Replay


def importing(done: int, total: int) -> str:
    """An import is one step: until it is through, nothing of it is kept. Both 0 where nothing was read yet."""
    if total:
        far = say("An import is under way: {n} of {m} lines.", n=f"{done:,}", m=f"{total:,}")
    elif done:
        far = say("An import is under way: line {n}.", n=f"{done:,}")
    else:
        far = say("An import is under way.")
    return f"{far} {say('Nothing of it is stored yet.')}"


def filing() -> str:
    """A folder of the library is read or written."""
    return say("The library’s folder is being read or written. Closing the window breaks that off.")


def replaying(replay: Replay) -> str:
    """The history is asked again."""
    far = say("A replay is under way: {n} of {m} queries.", n=f"{replay.done:,}", m=f"{replay.of:,}")
    return f"{far} {say('What it has found is not kept.')}"


def logging(read: int, total: int) -> str:
    """A log is taken in; `total` is 0 while it is not known."""
    if total:
        far = say("A log is being taken in: {n} of {m} queries.", n=f"{read:,}", m=f"{total:,}")
    else:
        far = say("A log is being taken in.")
    return f"{far} {say('What is kept of it so far stays; the rest is left out.')}"


def stop_verb(count: int) -> str:
    """The word on the button that ends so many tasks and the window."""
    return say("Stop it and close") if count == 1 else say("Stop them and close")
