"""Tests that the shipped encoder sends nothing: no machine id, no event queue, no socket."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
LOAD = """
import sys
sys.addaudithook(lambda event, _: sys.exit(3) if event == "socket.connect" else None)
from app.adapters.encoders.minilm import MiniLm
print(MiniLm.load().encode(["how do I rotate a page"]).shape)
"""
QUIET = ("CI", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS")
"""Variables that disable onnxruntime's telemetry.

A test with them would see nothing.
"""


def test_that_loading_and_encoding_leave_nothing_in_the_home_of_who_runs_it(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in QUIET}
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA", "APPDATA"):
        environment[name] = str(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", LOAD], capture_output=True, text=True, cwd=PROJECT, env=environment, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "(1, 384)\n"), ran.stderr
    assert list(tmp_path.rglob("*")) == []
