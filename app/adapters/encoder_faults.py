"""What goes wrong with encoders, in sentences."""

from __future__ import annotations

from app.domain.errors import EncoderError

OUT_OF_MEMORY = ("alloc", "out of memory", "memory exhausted")
"""What model runtimes say in errors of their own classes; Python's own is MemoryError."""


def encoder_error(what: str, error: Exception, remedy: str) -> EncoderError:
    """“What: why. Remedy.”; a lack of memory is called that, whatever the runtime calls it."""
    told = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in told.lower() for word in OUT_OF_MEMORY):
        told, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {told}. {remedy}")
