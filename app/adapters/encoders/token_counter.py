"""Counts tokens with the tokenizer of the encoder that ships, offline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenizers import Tokenizer

from app.adapters.encoders.minilm import TOKENIZER, checked_content
from app.domain.errors import EncoderError
from app.domain.language import say


class WordPieces:
    """A loaded tokenizer. A piece never reaches over white space, so counts of texts that end in it add up."""

    name = "WordPiece of all-MiniLM-L6-v2"

    def __init__(self, content: bytes) -> None:
        self._tokenizer: Any = Tokenizer.from_buffer(content)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def load(cls) -> WordPieces:
        """Find, check and load the pinned file; EncoderError with a sentence if it is missing or altered."""
        content = checked_content(*TOKENIZER)
        try:
            return cls(content)
        except (ValueError, OSError, MemoryError) as error:
            raise EncoderError(say("The tokenizer cannot be loaded: {error}.", error=error)) from error

    def count(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, without the marks that an encoder puts around it."""
        return [len(found.ids) for found in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)]
