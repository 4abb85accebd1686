"""The engine for assistants: over MCP, by standard streams or HTTP, and as a hook."""

from __future__ import annotations

import argparse
import json
from functools import partial
from typing import Any

from app.commands.desk import choices_of, say, wants_json
from app.commands.output import OK, output


def run_mcp(options: argparse.Namespace) -> int:
    import asyncio

    from app.bootstrap import make_reception
    from app.surfaces.mcp.server import answer_on_standard_streams

    asyncio.run(answer_on_standard_streams(make_reception(choices_of(options))))
    return OK


def run_serve(options: argparse.Namespace) -> int:
    import asyncio

    from app.adapters.local.clock import SystemClock
    from app.bootstrap import make_door, make_reception
    from app.surfaces.http.server import announce, answer_over_http

    choices = choices_of(options)
    door = make_door(choices, options.host, options.port, anew=options.new_token)
    if options.show_token or options.new_token:
        with output(options, private=True) as out:
            print(json.dumps({"token": door.token}) if wants_json(options) else door.token, file=out)
        return OK
    tell = partial(announce, as_json=wants_json(options))
    asyncio.run(answer_over_http(make_reception(choices), door, SystemClock(), tell))
    return OK


def run_hook(options: argparse.Namespace) -> int:
    from app.surfaces.hook.run import leave, run_hook

    def make_workbench() -> Any:
        from app.bootstrap import make_workbench

        return make_workbench(choices_of(options), say)

    def settings() -> Any:
        from app.bootstrap import settings_sources
        from app.settings.model import layer

        return layer(settings_sources(choices_of(options))).values

    with leave():
        return run_hook(make_workbench, settings, getattr(options, "pairs", ()))
