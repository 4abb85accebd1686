"""Time to the first paint of the window, relative to an empty window of the same toolchain.

    python -m tests.benchmarks.start [ROUNDS]

Each round starts a new interpreter that opens an empty window with a pyqtgraph plot, and one that opens ours on an
empty profile. For both, the time from the start of the process to the end of the first paint is measured, wall and
CPU. It needs a screen, or QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

MOST = 1.5
"""Maximum ratio of our window's time to that of the empty one."""

EMPTY = """
import os, sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph

class Plot(pyqtgraph.PlotWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, done)

def done():
    print(time.time(), time.process_time())
    sys.stdout.flush()
    os._exit(0)

app = QApplication([])
window = QMainWindow()
window.setCentralWidget(Plot())
window.resize(1280, 800)
window.show()
app.exec()
"""

OURS = """
import os, sys, time
from pathlib import Path
from app.gui.shell.application import _application, make_window
from app.gui.shell.desktop.remedy_actions import Places

def done():
    print(time.time(), time.process_time())
    sys.stdout.flush()
    os._exit(0)

app = _application()
profile = Path(sys.argv[1])
window = make_window(lambda: None, Places(profile, profile / "settings.toml"))
window.painted.connect(done)
window.resize(1280, 800)
window.show()
app.exec()
"""


def once(script: str, *words: str) -> tuple[float, float]:
    """Return wall and CPU milliseconds from a process's start to the end of its first paint."""
    import time

    begun = time.time()
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
        timeout=60,
    )
    ended, cpu = map(float, done.stdout.split()[-2:])
    return (ended - begun) * 1000.0, cpu * 1000.0


def main(rounds: int) -> int:
    """Print medians and ratios; return 1 if ours takes more than MOST times as long."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(once(EMPTY), once(OURS, str(Path(folder)))) for _ in range(rounds + 1)][1:]
    for place, word in enumerate(("wall", "CPU")):
        empty, ours = (median(pair[side][place] for pair in pairs) for side in (0, 1))
        print(f"{word:5} empty {empty:6.0f} ms   ours {ours:6.0f} ms   ratio {ours / empty:.2f} (at most {MOST})")
    ratio = median(pair[1][0] / pair[0][0] for pair in pairs)
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
