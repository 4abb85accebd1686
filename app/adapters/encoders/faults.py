"""What model runtimes raise, in sentences for the user; it loads none of them."""

from __future__ import annotations

from app.domain.errors import EncoderError

OUT_OF_MEMORY = ("alloc", "out of memory", "memory exhausted")
"""What model runtimes say in errors of their own classes; Python's own is MemoryError."""


def encoder_error(what: str, error: Exception, remedy: str) -> EncoderError:
    """“What: why. Remedy.”; a lack of memory is called that, whatever the runtime calls it."""
    reason = " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
    if isinstance(error, MemoryError) or any(word in reason.lower() for word in OUT_OF_MEMORY):
        reason, remedy = "there is not enough memory for it", "Close other programs, or choose a smaller one."
    return EncoderError(f"{what}: {reason}. {remedy}")
