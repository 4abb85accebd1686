"""The index brought to what is stored, so little at a time that a key in between is answered at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.domain.library import Answer
from app.scoring.index.trigger_index import AnswerKey, TriggerIndex, key_of
from app.services.calm import Calm, making_many

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 256
"""So many answers go into the index or out of it at a time: a few milliseconds."""

Tell = Callable[[int, int], object]
"""Called with how many of how many are done."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the index lacks, or has in another version, and what it has that is not wanted."""

    come: Sequence[Answer] = ()
    gone: Sequence[AnswerKey] = ()

    def __len__(self) -> int:
        return len(self.come) + len(self.gone)


def difference(index: TriggerIndex, wanted: Iterable[Answer]) -> Difference:
    """What would make the index hold exactly these answers. It only reads, so any thread may ask while none writes."""
    present = index.answers()
    come: list[Answer] = []
    gone: list[AnswerKey] = []
    for answer in wanted:
        before = present.pop(key_of(answer), None)
        if answer.paused:
            if before is not None:
                gone.append(key_of(answer))
        elif _differs(before, answer):
            come.append(answer)
    return Difference(come, (*gone, *present))


async def fill(
    index: TriggerIndex,
    change: Difference,
    calm: Calm,
    tell: Tell | None = None,
    vector: Callable[[str], NDArray[np.float32] | None] | None = None,
) -> None:
    """Make the change on the engine's thread; after each step the index is whole, and a waiting key has its turn.

    What scores as it did only takes its place, vectors and all; `vector` tells those that are known of new texts.
    """
    done, total = 0, len(change)
    with making_many(total):
        for start in range(0, len(change.gone), AT_ONCE):
            for key in change.gone[start : start + AT_ONCE]:
                index.remove(key)
            done = min(len(change.gone), start + AT_ONCE)
            if tell is not None:
                tell(done, total)
            await calm.turn()
        for _ in index.widening(change.come):
            await calm.turn()
        for start in range(0, len(change.come), AT_ONCE):
            fresh = index.restate(change.come[start : start + AT_ONCE])
            index.put(fresh)
            if vector is not None:
                texts = dict.fromkeys(text for one in fresh for text in one.triggers)
                index.embed({text: known for text in texts if (known := vector(text)) is not None})
            index.centroids.refresh(index.semantic)  # else the next key would have to do it for all of them
            if tell is not None:
                tell(min(total, len(change.gone) + start + AT_ONCE), total)
            await calm.turn()
    if index.is_sparse:
        with making_many(len(index)):
            for _ in index.laying_out():
                await calm.turn()


def _differs(present: Answer | None, stored: Answer) -> bool:
    """Whether the stored answer is another, or the same of another version: an edit must be made on the latest."""
    return present is None or present != stored or present.version != stored.version
