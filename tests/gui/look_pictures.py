"""Screenshots of the window's looks and faults, for review.

`python -m tests.gui.look_pictures FOLDER`
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.domain.llm import LlmOutcome
from app.ports.llm import LlmState
from app.services.core import EncoderState
from tests.gui.inspections import FakeWorkbench
from tests.gui.pictures import opened, settle, with_history
from tests.narrowing import of_type

LOOKS: dict[str, dict[str, object]] = {
    "light": {"theme": "light"},
    "dark": {"theme": "dark"},
    "high-light": {"theme": "light", "high_contrast": "on"},
    "high-dark": {"theme": "dark", "high_contrast": "on"},
    "text-150": {"theme": "light", "text_scale": 1.5},
    "text-200": {"theme": "light", "text_scale": 2.0},
}
SIZES = ((1280, 800), (1920, 1080))

FAULTS = {
    "store": "The library /home/ann/profile/library.db is in use by another program: let that one finish or close it, "
    "and try again.",
    "encoder": "The encoder's file model.onnx is not the one that was shipped (SHA-256 differs). Run the set-up again "
    "to restore it. Until then the lexical scorers decide.",
    "settings": "The settings file /home/ann/profile/settings.toml has an error in line 12: Invalid value. The "
    "defaults are used until it is mended.",
}


def main(folder: Path) -> None:
    app = of_type(QApplication.instance() or QApplication(sys.argv[:1]), QApplication)
    app.setStyle("Fusion")
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in LOOKS.items():
        for size in SIZES:
            bench = FakeWorkbench()
            bench.values = dict(values)
            bench.state = replace(bench.state, llm=LlmState(LlmOutcome.ANSWERED, model="qwen2.5:1.5b"))
            window = opened(app, bench, size)
            with_history(window)
            settle(app, lambda: True)
            window.grab().save(str(folder / f"{name}-{size[0]}.png"))
            window.close()
    for part, sentence in FAULTS.items():
        for width in (1024, 1280):
            bench = FakeWorkbench(encoder=EncoderState.FAILED if part == "encoder" else EncoderState.READY)
            bench.state = replace(bench.state, faults={part: sentence})
            window = opened(app, bench, (width, 768))
            window.grab().save(str(folder / f"fault-{part}-{width}.png"))
            window.close()
    window = opened(app, FakeWorkbench(), SIZES[0])
    window.remedies.report_bug(ValueError("a value that nobody expected"))
    window.remedies.report()
    settle(app, lambda: True)
    window.grab().save(str(folder / "bug.png"))
    assert window.remedies.dialog is not None
    window.remedies.dialog.grab().save(str(folder / "report.png"))
    window.remedies.dialog.close()
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
