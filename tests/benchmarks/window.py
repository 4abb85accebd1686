"""Time from a key to its painted answer. Run: `python -m tests.benchmarks.window`.

A window is opened on a copy of `--profile`, and `--keys` keys are typed into it at `--rate` a second, with slips,
edits in the middle and pastes. A key's time runs from its event to the end of the first painting that shows an answer
to the text as it is then. A timer beats once a millisecond meanwhile; its gaps tell what holds the window's thread.
`--screen` chooses between a real screen (also Xvfb's) and none. A late beat tells which functions held it. Beating
takes some milliseconds of each key itself, so that keys are measured without it first.
With `--import FILE`, or `--make N` memories made up for it, the same is typed while that is imported, and while its
vectors are made. `--teach N` tells how soon what is taught shows, `--encoder` what encoding in chunks gains and costs.
Times depend on the machine and on what else it does, so compare runs made together.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from random import Random
from time import perf_counter, thread_time

if "--screen" in sys.argv[1:-1]:
    os.environ["QT_QPA_PLATFORM"] = sys.argv[sys.argv.index("--screen") + 1]  # before Qt is imported
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
if not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# ruff: noqa: E402
from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.bootstrap import make_forgiving_workbench
from app.domain.library import Memory
from app.gui.bridge.jobs import Job
from app.gui.shell.application import SWITCH_SECONDS, make_window
from app.gui.shell.main_window import MainWindow
from app.ports.encoder import Embedder
from app.services.engine.embedding import CHUNK, QUIET_CHUNK
from app.services.evaluation import bench
from app.services.workbench import Workbench
from app.settings.model import Choices
from tests.benchmarks.heartbeat import Heartbeat, histogram
from tests.benchmarks.typist import Typist, table

READY_SECONDS, IMPORT_SECONDS, ANSWER_SECONDS = 180.0, 900.0, 10.0
SETTLE_SECONDS = 1.5
ENCODED = 512


def run_until(done: Callable[[], bool], seconds: float) -> bool:
    """Run Qt's loop until a condition holds; False after a time-out."""
    loop, watch = QEventLoop(), QTimer()
    deadline = QDeadlineTimer(round(seconds * 1000))
    watch.timeout.connect(lambda: loop.quit() if done() or deadline.hasExpired() else None)
    watch.start(20)
    if not done():
        loop.exec()
    watch.stop()
    return done()


def is_ready(window: MainWindow) -> bool:
    status = window.scope.state.status
    return status is not None and status.encoder_state != "loading" and status.embedded >= status.to_embed


def measure(
    window: MainWindow,
    name: str,
    options: argparse.Namespace,
    until: Callable[[], bool] = lambda: True,
    *,
    beats: bool = True,
) -> None:
    """Type the keys of the options until a condition holds; print the measurements."""
    typist, heart = Typist(window, 1), Heartbeat(window) if beats else None
    keys, rate = options.keys, options.rate
    window.bar.box.line.clear()
    if heart is not None:
        heart.start()
    cpu = thread_time()
    typist.more(keys)
    typist.begin(rate)
    deadline = QDeadlineTimer(round(IMPORT_SECONDS * 1000))
    while not (run_until(lambda: typist.is_done, keys / rate * 3 + 30) and until()) and not deadline.hasExpired():
        typist.more(round(rate))
    gaps = [] if heart is None else heart.stop()
    typist.stop()
    spent = (thread_time() - cpu) / max(1, len(typist.strokes)) * 1000.0
    print(f"\n== {name} (load {os.getloadavg()[0]:.1f}; {spent:.1f} ms of the window's thread a key)")
    print(table(typist.strokes), *([histogram(gaps)] if gaps else []), sep="\n", flush=True)


def teach(window: MainWindow, times: int) -> None:
    """Measure the time from adding a memory to the painted answer with it.

    The query is its trigger.
    """
    took: list[float] = []
    for place in range(times):
        text = f"{bench.sentence(Random(place))} number {place} of those that are taught now"
        window.ask(text)
        run_until(lambda: False, 0.5)
        painted: list[float] = []

        def note(text: str = text, painted: list[float] = painted) -> None:
            shown = window.scope.panels["matches"].scope_state.inspection
            if shown is not None and not painted and any(match.answer.name == text for match in shown.matches):
                painted.append(perf_counter())

        window.painted.connect(note)
        begun = perf_counter()
        window.worker.teach(Memory((text,)))
        run_until(lambda painted=painted: bool(painted), ANSWER_SECONDS)  # type: ignore[misc]
        window.painted.disconnect(note)
        took += [(at - begun) * 1000.0 for at in painted]
    took.sort()
    told = ", ".join(f"{value:.0f}" for value in took)
    print(f"\n== {len(took)} of {times} taught, ms until each was on screen (load {os.getloadavg()[0]:.1f}): {told}")


def encode(encoder: Embedder) -> None:
    """Measure CPU time per text by chunk size, and the maximum waiting time of a query."""
    texts = sorted(bench.triggers(ENCODED, Random(3)), key=len)
    encoder.encode(texts[:8])
    alone = 0.0
    print(f"\n{'texts at a time':<16}  {'ms a text':>9}  {'times one':>9}  {'longest chunk, ms':>18}")
    for size in (1, 4, CHUNK, 16, QUIET_CHUNK, 64):
        longest, begun = 0.0, thread_time()
        for start in range(0, ENCODED, size):
            chunk = thread_time()
            encoder.encode(texts[start : start + size])
            longest = max(longest, (thread_time() - chunk) * 1000.0)
        each = (thread_time() - begun) * 1000.0 / ENCODED
        alone = alone or each
        print(f"{size:<16}  {each:>9.2f}  {alone / each:>9.2f}  {longest:>18.1f}")


def made_file(folder: Path, count: int) -> Path:
    path = folder / "made.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for place, text in enumerate(bench.triggers(count, Random(7))):
            memory = {"triggers": [f"{text} ({place})"], "response": text, "intent": f"made {place // 3}"}
            stream.write(json.dumps(memory) + "\n")
    return path


def import_(window: MainWindow, file: Path, options: argparse.Namespace) -> None:
    """Type during an import, and during the encoding of its vectors."""
    ended: list[str] = []
    begun = perf_counter()

    async def store(bench: Workbench) -> None:
        async with aclosing(bench.importer.import_file(await bench.importer.preview(file))) as steps:
            async for _ in steps:
                pass

    def tell(_: object) -> None:
        ended.append(f"stored and answered with after {perf_counter() - begun:.1f} s")

    Job(window.worker, window).do(store, tell, ended.append)
    measure(window, f"during the import of {file.name}", options, lambda: bool(ended))
    print(*ended)
    if not is_ready(window) and window.scope.state.status is not None:
        measure(window, "while vectors are made", options)
        status = window.scope.state.status
        print(f"{status.embedded:,} of {status.to_embed:,} embedded")


def run(profile: Path, file: Path | None, options: argparse.Namespace) -> None:
    sys.setswitchinterval(SWITCH_SECONDS)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    benches: list[Workbench] = []

    def make() -> Workbench:
        benches.append(make_forgiving_workbench(Choices(profile)))
        return benches[0]

    window = make_window(make)
    window.resize(1280, 800)
    window.show()
    begun = perf_counter()
    window.worker.start()
    try:
        if not run_until(lambda: is_ready(window), READY_SECONDS) or window.scope.state.status is None:
            raise SystemExit("The library did not open in time.")
        triggers = window.scope.state.status.counts.get("triggers", 0)
        print(f"{triggers:,} triggers, ready after {perf_counter() - begun:.1f} s")
        print(f"screen: {QGuiApplication.platformName()}, {window.width()} x {window.height()}")
        run_until(lambda: False, SETTLE_SECONDS)
        if options.keys:
            measure(window, "quiet", options, beats=False)
            measure(window, "quiet, with the beats", options)
        if options.teach:
            teach(window, options.teach)
        encoder = benches[0].engine.encoder
        if options.encoder and encoder is not None:
            encode(encoder)
        if file is not None:
            import_(window, file, options)
    finally:
        window.close()


def main(arguments: Sequence[str] | None = None) -> None:
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.window", description=__doc__)
    asked.add_argument("--profile", type=Path, required=True, help="copied; the original stays as it is")
    asked.add_argument("--import", dest="file", type=Path, metavar="FILE", help="import this while typing")
    asked.add_argument("--make", type=int, metavar="N", help="import so many made-up memories while typing")
    asked.add_argument(
        "--screen", choices=("offscreen", "xcb"), help="Qt's platform; by default as the environment says"
    )
    asked.add_argument("--keys", type=int, default=200)
    asked.add_argument("--rate", type=float, default=10.0, help="keys a second")
    asked.add_argument("--teach", type=int, default=0, metavar="N", help="teach so many memories, one by one")
    asked.add_argument("--encoder", action="store_true", help="measure encoding in chunks as well")
    options = asked.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="intentscope-bench-") as folder:
        profile = Path(folder) / "profile"
        shutil.copytree(options.profile, profile)
        file = options.file or (made_file(Path(folder), options.make) if options.make else None)
        run(profile, file, options)


if __name__ == "__main__":
    main()
