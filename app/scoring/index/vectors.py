"""Cache format of an index's vectors, as arrays.

Rows are stored in the order of a newly filled index, with a digest of each text. An index with exactly these rows
adopts the arrays, which may be memory-mapped; any other copies the vectors of known texts.
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
    """Return a digest of each text; shape (len(texts), DIGEST_BYTES)."""
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest() for text in texts
    )
    return np.frombuffer(joined, np.uint8).reshape(-1, DIGEST_BYTES)


def kept(index: TriggerIndex) -> Arrays | None:
    """Return the arrays to cache; None unless every live row has its vector.

    The index may not change meanwhile.
    """
    rows = index.rows_by_key()
    if not index.semantic.known[rows].all():
        return None
    return {"digests": digests([index.text(row) for row in rows.tolist()]), **index.semantic.kept(rows)}


def is_own_order(kept_digests: NDArray[Any], texts: Sequence[str]) -> bool:
    """Return whether stored digests are those of these texts, in order."""
    return len(kept_digests) == len(texts) and bool(np.array_equal(kept_digests, digests(texts)))


def places(kept_digests: NDArray[Any], texts: Sequence[str]) -> dict[str, int]:
    """Return the position of each text with a stored digest."""
    known = {digest.tobytes(): place for place, digest in enumerate(kept_digests)}
    own = zip(texts, digests(texts), strict=True)
    return {text: known[key] for text, digest in own if (key := digest.tobytes()) in known}
