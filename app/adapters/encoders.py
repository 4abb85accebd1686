"""ENCODERS: the models that turn texts into vectors, by the name that the setting `encoder.name` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.ports import Embedder, EncoderError


def _minilm() -> Embedder:
    try:
        from app.adapters.minilm import MiniLm
    except ImportError as error:
        raise EncoderError(f"The encoder cannot be loaded: {error}. The lexical scorers decide.") from error
    return MiniLm.load()


ENCODERS: Mapping[str, Callable[[], Embedder]] = {
    "minilm": _minilm,
}
"""Each loads its model when called, which may take seconds and may raise EncoderError."""
