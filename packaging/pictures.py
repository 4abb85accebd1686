"""Take the screenshots in resources/help: `.venv/bin/python packaging/pictures.py`.

The window runs offscreen on the sample library, in the light and the dark theme, until its answer is final.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELP = ROOT / "resources" / "help"
QUERY = "why does the build keep failing on my mac"
SIZE = (1280, 800)
PATIENCE_S, REST_MS = 300, 1_500
"""Longest wait for a final answer, in s, and the pause before the picture, in ms."""

sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def draw(profile: Path, theme: str, to: Path) -> None:
    """Open the window of a profile in this theme, ask, and write the picture."""
    from PySide6.QtWidgets import QApplication

    from app.bootstrap import make_forgiving_workbench
    from app.gui.shell.application import make_window
    from app.settings.model import Choices
    from tests.gui.pictures import settle

    found = QApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    window = make_window(lambda: make_forgiving_workbench(Choices(profile=profile, pairs=[f"theme={theme}"])))
    strip = window.scope.verdict
    window.resize(*SIZE)
    window.show()
    window.worker.start()
    settle(app, lambda: window.scope.state.status is not None, PATIENCE_S)
    window.ask(QUERY)
    settle(app, lambda: strip.shown is not None and not strip.shown.provisional, PATIENCE_S, REST_MS)
    assert strip.shown is not None, "the window gave no answer"
    assert not strip.shown.provisional, "the window gave no final answer"
    window.grab().save(str(to))
    window.worker.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "default")
        subprocess.run([sys.executable, "-m", "app", "--profile", profile, "import", "--seed"], cwd=ROOT, check=True)
        for theme, name in (("light", "scope.png"), ("dark", "scope-dark.png")):
            draw(profile, theme, HELP / name)
