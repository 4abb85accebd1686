"""The words of a query that a store's full-text index is asked for."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
MOST = 64
"""So many different words are looked for."""


def search_words(text: str) -> tuple[str, ...]:
    """Each word once, in lower case, without punctuation; "" has none."""
    return tuple(dict.fromkeys(found.group().lower() for found in _WORD.finditer(text)))[:MOST]
