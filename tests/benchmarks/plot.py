"""Plot of times and memory over triggers: `python -m tests.benchmarks.plot BENCH.json FILE.svg`.

The JSON is what `bench --json` printed. Both axes are logarithmic.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtWidgets import QApplication

from app.gui.kit.dialogs import svg_of

COLOURS = ("#2a78d6", "#c2571a", "#2e8b57", "#8a4fbe", "#5b6270")

Lines = Mapping[str, Callable[[Any], float]]
"""Value of a line in a run, by the line's name."""


def draw(
    runs: Sequence[tuple[float, Any]], panes: Mapping[str, Lines], about: str, picture: Path, along: str = "triggers"
) -> None:
    """Draw runs by size or time, in panes by their titles; n^k is fitted to each line over triggers."""
    _app = QApplication.instance() or QApplication([])
    pg.setConfigOptions(background="w", foreground="#1f2430", antialias=True)
    view = pg.GraphicsLayoutWidget(size=(960, 420))
    sizes, is_logarithmic = [size for size, _ in runs], along == "triggers"
    for title, lines in panes.items():
        pane = view.addPlot(title=title)
        pane.setLogMode(x=is_logarithmic, y=is_logarithmic)
        pane.setLabel("bottom", along)
        pane.addLegend(offset=(-10, -10))
        for colour, (name, of) in zip(COLOURS, lines.items(), strict=False):
            values = [float(of(run)) for _, run in runs]
            has_power = is_logarithmic and len(runs) > 1
            named = f"{name}: n^{np.polyfit(np.log(sizes), np.log(values), 1)[0]:.2f}" if has_power else name
            pane.plot(sizes, values, pen=pg.mkPen(colour, width=2), name=named)
        if not is_logarithmic:
            pane.setYRange(0.0, max(float(of(run)) for of in lines.values() for _, run in runs))
    view.nextRow()
    view.addLabel(about, colspan=len(panes))
    view.show()
    view.grab()  # lays the panes out
    picture.write_bytes(svg_of(view.viewport(), about))


def main(bench: Path, picture: Path) -> None:
    found = json.loads(bench.read_text("utf-8"))
    runs = [(int(size), row) for size, row in found["sizes"].items()]
    names = runs[0][1]["combinations"]
    times: Lines = {name: lambda row, own=name: row["combinations"][own]["p50_ms"] for name in names}  # type: ignore[misc]
    memory: Lines = {"arrays of the index": lambda row: row["memory"], "with the answers": lambda row: row["resident"]}
    panes = {"ms per keystroke": {**times, "cdist + product": lambda row: row["limit_ms"]}, "MB in memory": memory}
    draw(runs, panes, f"{found['machine']['platform']}; medians, one thread", picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
