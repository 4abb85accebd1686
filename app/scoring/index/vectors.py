"""What an index worked out from vectors, as arrays that can be kept, and how an index takes them up again.

Rows are kept in the order in which an index that is filled anew numbers them, with a digest of each text. An index
whose rows are those, one by one, goes on with the arrays themselves, which may be mapped from a file; any other takes
the vectors of the texts that it finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.scoring.index.trigger_index import TriggerIndex

DIGEST_BYTES = 16

Arrays = Mapping[str, NDArray[Any]]


def digests(texts: Sequence[str]) -> NDArray[np.uint8]:
    """A digest of each text; shape (len(texts), DIGEST_BYTES)."""
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest() for text in texts
    )
    return np.frombuffer(joined, np.uint8).reshape(-1, DIGEST_BYTES)


def kept(index: TriggerIndex) -> Arrays | None:
    """Everything worth keeping; None unless every live row has its vector. The index may not change meanwhile."""
    rows = index.rows_by_key()
    if not index.semantic.known[rows].all():
        return None
    return {"digests": digests([index.text(row) for row in rows.tolist()]), **index.semantic.kept(rows)}


def is_own_order(kept_digests: NDArray[Any], texts: Sequence[str]) -> bool:
    """Whether kept digests are those of these texts, one by one."""
    return len(kept_digests) == len(texts) and bool(np.array_equal(kept_digests, digests(texts)))


def places(kept_digests: NDArray[Any], texts: Sequence[str]) -> dict[str, int]:
    """Where among kept digests each of those texts stands that does."""
    known = {digest.tobytes(): place for place, digest in enumerate(kept_digests)}
    own = zip(texts, digests(texts), strict=True)
    return {text: known[key] for text, digest in own if (key := digest.tobytes()) in known}
