"""Typing for hours with edits beside it, and what the window's process holds meanwhile.

    python -m tests.torture soak --minutes 120 --seed 1 --history 100000 --output FOLDER
    python -m tests.torture soak --draw FOLDER/soak.csv

Types at `--rate` keys a second into the real window (without a screen unless QT_QPA_PLATFORM says otherwise), teaches,
marks, takes back and does again beside it so that the library stays as large as it was, and writes a row of figures
every half minute to FOLDER/soak.csv, which can be read at any time. At the end it draws FOLDER/soak.svg and says
whether what was expected held, counted from the end of the first ten minutes (or of the first tenth, if that is less).
"""

import argparse
import csv
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from time import monotonic

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

# ruff: noqa: E402
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app import files
from app.bootstrap import make_forgiving_workbench
from app.domain.library import Memory
from app.gui.shell.application import SWITCH_SECONDS, make_window
from app.gui.shell.main_window import MainWindow
from app.settings.model import Choices
from tests.benchmarks import plot
from tests.benchmarks.typist import Typist
from tests.benchmarks.window import READY_SECONDS, SETTLE_SECONDS, is_ready, made_file, run_until

PROJECT = Path(__file__).parents[2]
SAMPLE_SECONDS, EDIT_SECONDS = 30.0, 5.0
WARM_SECONDS = 600.0
MEMORIES = 1_000
EDITS = ("teach", "mark", "undo", "redo", "undo", "undo")
"""Edits in this order; a round of them leaves the library unchanged."""

MOST_GROWTH, MOST_WAL = 0.02, 64 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    """Resources of the process at one moment, and the work done until then."""

    seconds: int
    keys: int
    overtaken: int
    p95_ms: int
    edits: int
    refused: int
    private_kb: int
    threads: int
    descriptors: int
    wal_kb: int
    store_kb: int


def private_kb() -> int:
    """Return the memory written by this process only, in KB.

    Clean pages are left out: those of a library's file become private, by many megabytes, whenever another program
    that had it open ends.
    """
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))


def size_kb(path: Path) -> int:
    return path.stat().st_size // 1024 if path.exists() else 0


class Soak:
    """Drives one window, and writes a sample on request."""

    def __init__(self, window: MainWindow, profile: Path, table: Path, seed: int) -> None:
        self.window, self.profile = window, profile
        self.typist = Typist(window, seed)
        self.samples: list[Sample] = []
        files.check(table)
        self._stream = table.open("w", encoding="utf-8", newline="", buffering=1)
        self._rows = csv.writer(self._stream)
        self._rows.writerow(field.name for field in fields(Sample))
        self._begun = monotonic()
        self._keys = self._overtaken = self._edits = self._refused = 0
        for did in (window.worker.taught, window.worker.marked, window.worker.undone, window.worker.redone):
            did.connect(self._on_edit)
        window.worker.failed.connect(self._on_refusal)
        self._steps = 0

    def begin(self, rate: float, keys: int) -> None:
        self.typist.more(keys)
        self.typist.begin(rate)
        for seconds, act in ((SAMPLE_SECONDS, self.sample), (EDIT_SECONDS, self._edit)):
            timer = QTimer(self.window)
            timer.timeout.connect(act)
            timer.start(round(seconds * 1000))

    def end(self) -> None:
        self.typist.stop()
        self.sample()
        self._stream.close()

    def sample(self) -> None:
        """Record the present resources.

        Times of single keys are deleted, as they would count as a leak.
        """
        gc.collect()
        strokes, self.typist.strokes = self.typist.strokes, []
        times = sorted(stroke.ms for stroke in strokes if stroke.ms is not None)
        self._keys += len(strokes)
        self._overtaken += len(strokes) - len(times)
        now = Sample(
            seconds=round(monotonic() - self._begun),
            keys=self._keys,
            overtaken=self._overtaken,
            p95_ms=round(times[int(0.95 * len(times))]) if times else 0,
            edits=self._edits,
            refused=self._refused,
            private_kb=private_kb(),
            threads=len(os.listdir("/proc/self/task")),
            descriptors=len(os.listdir("/proc/self/fd")),
            wal_kb=size_kb(self.profile / "library.db-wal"),
            store_kb=size_kb(self.profile / "library.db"),
        )
        self.samples.append(now)
        self._rows.writerow(asdict(now).values())

    def _edit(self) -> None:
        worker, edit = self.window.worker, EDITS[self._steps % len(EDITS)]
        self._steps += 1
        if edit == "teach":
            worker.teach(Memory((f"what was taught while typing, number {self._steps}",), response="an answer"))
        elif edit == "mark":
            shown = self.window.scope.panels["matches"].scope_state.inspection
            if shown is not None and shown.matches:
                worker.mark(shown.matches[0].answer, shown.query.text or "nothing", fits=self._steps % 4 < 2)
            else:
                worker.teach(Memory((f"taught instead of a mark, number {self._steps}",), response="an answer"))
        elif edit == "undo":
            worker.undo()
        else:
            worker.redo()

    def _on_edit(self, *_: object) -> None:
        self._edits += 1

    def _on_refusal(self, *_: object) -> None:
        self._refused += 1


def verdicts(samples: Sequence[Sample], warm_seconds: float) -> list[tuple[str, bool]]:
    """Return the expectations of a long session, each with whether it was met."""
    warm = [sample for sample in samples if sample.seconds >= warm_seconds] or list(samples[-1:])
    first, last = warm[0], warm[-1]
    growth = last.private_kb / first.private_kb - 1
    threads, descriptors = ([sample.threads for sample in warm], [sample.descriptors for sample in warm])
    wal = max(sample.wal_kb for sample in samples)
    base, end = f"{first.private_kb >> 10} MB at {first.seconds // 60} min", f"{last.private_kb >> 10} MB at the end"
    return [
        (
            f"{last.keys:,} keys, {last.overtaken:,} overtaken, {last.edits:,} edits in {last.seconds / 60:.0f} min",
            True,
        ),
        (f"private memory {base}, {end}: {growth:+.1%}", growth <= MOST_GROWTH),
        (f"threads {min(threads)} to {max(threads)}, {threads[0]} to {threads[-1]}", threads[-1] <= threads[0] + 2),
        (
            f"descriptors {min(descriptors)} to {max(descriptors)}, {descriptors[0]} to {descriptors[-1]}",
            descriptors[-1] <= descriptors[0] + 4,
        ),
        (f"the log of the library at most {wal:,} kB", wal <= MOST_WAL >> 10),
        (f"{last.refused} edits refused", last.refused == 0),
    ]


def read(table: Path) -> list[Sample]:
    with table.open(encoding="utf-8", newline="") as stream:
        return [Sample(**{name: int(value) for name, value in row.items()}) for row in csv.DictReader(stream)]


DRAWN = 120
"""Maximum number of drawn points of a curve."""

PANES: dict[str, plot.Lines] = {
    "private memory, MB": {"memory": lambda one: one.private_kb / 1024},
    "threads, descriptors": {"threads": lambda one: one.threads, "descriptors": lambda one: one.descriptors},
    "log of the library, MB": {"log": lambda one: one.wal_kb / 1024},
}


def draw(samples: Sequence[Sample], picture: Path) -> None:
    shown = samples[:: -(-len(samples) // DRAWN)]
    plot.draw([(one.seconds / 60, one) for one in shown], PANES, "A long session", picture, along="minutes")


def prepare(folder: Path, history: int) -> Path:
    """Make a profile with the seed library, generated memories and past queries.

    Other processes make it, so that nothing of it stays in this one.
    """
    profile = folder / "profile"
    commands = [
        ["app", "import", "--seed", "--profile", str(profile)],
        ["app", "import", str(made_file(folder, MEMORIES)), "--profile", str(profile)],
        ["tests.benchmarks.past", "--fill", str(profile), "--n", str(history)],
    ]
    for words in commands if history else commands[:2]:
        command = [sys.executable, "-m", *words]
        subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, timeout=900)
    return profile


def type_for(minutes: float, rate: float, seed: int, output: Path, history: int) -> list[Sample]:
    """Open a window, type for this time, and return the samples."""
    sys.setswitchinterval(SWITCH_SECONDS)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory(prefix="intentscope-soak-") as folder:
        profile = prepare(Path(folder), history)
        window = make_window(lambda: make_forgiving_workbench(Choices(profile)))
        window.resize(1280, 800)
        window.show()
        window.worker.start()
        try:
            if not run_until(lambda: is_ready(window), READY_SECONDS):
                raise SystemExit("The library did not open in time.")
            run_until(lambda: False, SETTLE_SECONDS)
            soak = Soak(window, profile, output / "soak.csv", seed)
            soak.begin(rate, round(minutes * 60 * rate) + 1)
            run_until(lambda: False, minutes * 60)
            soak.end()
            return soak.samples
        finally:
            window.close()


def main(words: Sequence[str]) -> int:
    """Soak or draw; return 1 if an expectation was not met."""
    asked = argparse.ArgumentParser(prog="python -m tests.torture soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=120.0)
    asked.add_argument("--rate", type=float, default=10.0, help="keys a second")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--output", type=Path, default=Path("soak"), metavar="FOLDER")
    asked.add_argument("--history", type=int, default=0, metavar="N", help="past queries that are there before")
    asked.add_argument("--draw", type=Path, metavar="CSV", help="draw what is there so far, and nothing else")
    options = asked.parse_args(words)
    if options.draw is not None:
        samples, picture = read(options.draw), options.draw.with_suffix(".svg")
    else:
        options.output.mkdir(parents=True, exist_ok=True)
        picture = options.output / "soak.svg"
        samples = type_for(options.minutes, options.rate, options.seed, options.output, options.history)
    draw(samples, picture)
    found = verdicts(samples, min(WARM_SECONDS, samples[-1].seconds / 10))
    print(*(f"{'held' if held else 'FELL'}  {told}" for told, held in found), f"drawn: {picture}", sep="\n")
    return 0 if all(held for _, held in found) else 1
