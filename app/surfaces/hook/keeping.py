"""An engine without a window: the hook starts it for the prompts to come, and it ends when none came for a while."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from app.services.workbench import Workbench
from app.surfaces.hook.asking import NAME
from app.surfaces.hook.running import RunningEngine
from app.surfaces.local_socket import Seat
from app.surfaces.mcp.stdio import stop_on_signal


async def keep_answering(make_workbench: Callable[[], Workbench], folder: Path) -> None:
    """Answer the hooks of a profile until none has come for the time that the settings name, a window or a server takes
    over, or a signal comes. Returns at once where somebody answers already, or the settings want no such engine."""
    seat = Seat(folder, NAME)
    if not seat.take() or seat.handle is None:
        return
    loop = asyncio.get_running_loop()
    with stop_on_signal() as stop:
        asked = [loop.time()]
        workbench = make_workbench()
        engine = RunningEngine(
            workbench, folder, gives_way=True, on_leave=stop.set, on_ask=lambda: asked.__setitem__(0, loop.time())
        )
        await workbench.open()
        if not workbench.settings.serve.keep_engine:
            stop.set()
        answering = asyncio.create_task(engine.listen(seat))
        try:
            while not (stop.is_set() or answering.done()):
                left = asked[0] + workbench.settings.serve.idle_minutes * 60.0 - loop.time()
                if left <= 0.0:
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), min(left, 60.0))
        finally:
            answering.cancel()
            await asyncio.wait([answering])
            await workbench.close()
