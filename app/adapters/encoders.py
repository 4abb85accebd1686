"""ENCODERS: the models that turn texts into vectors, by the name that the setting `encoder.name` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.ports import Embedder


def _minilm() -> Embedder:
    from app.adapters.minilm import MiniLm

    return MiniLm.load()


ENCODERS: Mapping[str, Callable[[], Embedder]] = {
    "minilm": _minilm,
}
"""Each loads its model when called, which may take seconds and may raise EncoderError."""
