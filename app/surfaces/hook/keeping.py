"""An engine without a window: the hook starts it for the prompts to come, and it ends when none came for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from app.services.workbench import Workbench
from app.surfaces.hook.running import AnswerWords, RunningEngine, no_words
from app.surfaces.local_socket import Seat
from app.surfaces.mcp.stdio import stop_on_signal

LOOK_SECONDS = 10.0
"""So often the engine looks whether it is wanted still."""


async def keep_answering(
    make_workbench: Callable[[], Workbench], seat: Seat, answer_words: AnswerWords = no_words
) -> None:
    """Answer the hooks and commands of a profile from its seat, which is taken, until none has come for the time that
    the settings name, a window or a server takes over, a signal comes, the settings want no such engine any more, or
    the profile is gone. Returns at once where they want none, or the library cannot be opened: it may be mended."""
    loop = asyncio.get_running_loop()
    with stop_on_signal() as stop:
        asked = [loop.time()]
        workbench = make_workbench()

        def note_asked() -> None:
            asked[0] = loop.time()

        engine = RunningEngine(
            workbench, seat.folder, answer_words, gives_way=True, on_leave=stop.set, on_ask=note_asked
        )

        def is_wanted() -> bool:
            return workbench.settings.serve.keep_engine and seat.is_here()

        await workbench.open()
        if not (workbench.status().is_open and is_wanted()):
            await workbench.close()
            seat.leave(was_bound=False)
            return
        answering = asyncio.create_task(engine.listen(seat))
        try:
            while not (stop.is_set() or answering.done()):
                left = asked[0] + workbench.settings.serve.idle_minutes * 60.0 - loop.time()
                if left <= 0.0 or not is_wanted():
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), min(left, LOOK_SECONDS))
        finally:
            answering.cancel()
            await asyncio.wait([answering])
            await workbench.close()
