"""Waiting until a desk answers as well as it can: vectors are made, the LLM has been asked for, scales are fitted."""

from __future__ import annotations

import asyncio

from app.services.core import Progress
from app.services.engine.encoder_lane import EncoderLane
from app.services.engine.llm_lane import LlmLane
from app.services.evaluation.calibrator import Calibrator

LLM_SECONDS = 30.0
"""How long a command waits to hear whether the LLM can be asked."""

LOOK_SECONDS = 0.1
"""So often it is told how far things are."""


async def answering(encoder: EncoderLane, lane: LlmLane, tell: Progress | None) -> None:
    """Wait until every trigger has its vector and it is known whether the LLM can be asked, or both have failed.

    A server that leaves its caller waiting is not waited for longer than LLM_SECONDS. `tell` hears of vectors.
    """
    told = asyncio.wait_for(lane.told.wait(), LLM_SECONDS)
    waiting = asyncio.gather(encoder.ready.wait(), told, return_exceptions=True)
    waiting.add_done_callback(lambda future: future.cancelled() or future.exception())  # whoever gave up knows it
    try:
        while not waiting.done():
            await asyncio.wait([waiting], timeout=LOOK_SECONDS)
            if tell is not None and encoder.progress[1]:
                tell(*encoder.progress)
    finally:
        waiting.cancel()


async def calibrated(calibrating: Calibrator, tell: Progress | None) -> None:
    """Wait until scales are fitted where they are wanted; `tell` hears of the fit."""
    settling = asyncio.ensure_future(calibrating.settle())
    try:
        while not settling.done():
            await asyncio.wait([settling], timeout=LOOK_SECONDS)
            if tell is not None and calibrating.progress[1]:
                tell(*calibrating.progress)
        settling.result()
    finally:
        settling.cancel()
