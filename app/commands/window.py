"""The window, or the one of this profile that is open already."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from app.commands.desk import choices_of
from app.commands.output import OK, MisuseError

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
"""The variables of which one must be set for a window to open on Linux."""


def run_gui(options: argparse.Namespace) -> int:
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in SCREENS):
        raise MisuseError("There is no screen to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).")
    from app.adapters.local.profile import profile_at, profiles_list, settings_at
    from app.services.system.starts import Start
    from app.surfaces.cli.locked import files_of
    from app.surfaces.instance import claim, hand_over, screen_of

    files, missing = files_of(getattr(options, "files", ()))
    if missing:
        raise MisuseError(f"There is no file {missing[0]}.")
    folder = profile_at(getattr(options, "profile", None))
    chosen = getattr(options, "settings", None)
    start = Start(getattr(options, "query", None), tuple(files), os.environ.get("XDG_ACTIVATION_TOKEN", ""))
    mine = claim(folder)
    if mine is None and hand_over(folder, start, screen_of()):
        lost = " --set and --settings were left out." if chosen or getattr(options, "pairs", ()) else ""
        print(f"intentscope: The window of this profile is open already; it came to the front.{lost}", file=sys.stderr)
        return OK
    from app.gui.shell.application import run
    from app.gui.shell.remedy_actions import Places

    places = Places(folder, settings_at(chosen, folder), profiles_list())

    def make_workbench() -> Any:
        from app.bootstrap import make_forgiving_workbench

        return make_forgiving_workbench(choices_of(options))

    def newest_version(url: str) -> Any:
        from app.adapters.local.newest_version import newest_version

        return newest_version(url)

    try:
        return run(
            make_workbench,
            query=start.query,
            files=start.files,
            exit_after=getattr(options, "exit_after", None),
            places=places,
            listen=None if mine is None else mine.listen,
            newest_version=newest_version,
        )
    finally:
        if mine is not None:
            mine.release()
