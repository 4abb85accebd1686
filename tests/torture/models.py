"""Encoder files that change while in use, and fits without disk space."""

import asyncio
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep

from app.adapters.encoders.learned_files import CalibrationFile, FitFile
from app.bootstrap import make_workbench
from app.domain.errors import EncoderError, KnownError
from app.domain.journal import Edit
from app.domain.library import Memory
from app.settings.model import Choices
from tests.torture.attempts import Attempt, Round, expect
from tests.torture.disk import triggers
from tests.torture.kill import Say, said

TEXTS = ["rotate the page", "why is the build slow", "ünï"]
LOADS = 3
"""Number of times that a model is loaded; its file is damaged during the first."""

VERBS = ("open", "show", "find", "change", "move", "forget", "print", "name", "count", "hide")
THINGS = ("invoice", "password", "harbour", "zebra", "kitchen", "umbrella")
OTHERS = [f"{verb} something else" for verb in VERBS]
FITS = ("calibrated", "learned")
WHOLE, DONE = "whole", "done"


# -------------------------------------------------------------------------------------- files of a model that is in use


def truncated(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def scribbled(file: Path) -> None:
    with file.open("rb+") as stream:
        stream.seek(file.stat().st_size // 3)
        stream.write(Random(1).randbytes(100_000))


def replaced(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"\x08\x08" + Random(1).randbytes(50_000))
    other.replace(file)


HARMS: dict[str, Callable[[Path], object]] = {
    "cut in half": truncated,
    "emptied": emptied,
    "written over": scribbled,
    "replaced": replaced,
    "removed": Path.unlink,
}


def altered(harm: Callable[[Path], object], round_: Round) -> str:
    """The model or the tokenizer changes while one program uses it and loads it again."""
    from app.adapters.encoders import minilm

    of_model, delay = round_.chance.random() < 0.7, 0.3 * round_.chance.random() ** 3
    pinned = minilm.MODEL if of_model else minilm.TOKENIZER
    folder = Path(shutil.copytree(minilm.FOLDER, round_.folder / "altered_model"))
    file = folder / pinned[0]

    def work(say: Say) -> None:
        minilm.FOLDER = folder
        encoder = minilm.MiniLm.load()
        before = encoder.encode(TEXTS).tobytes()

        def harm_later() -> None:
            sleep(delay)
            harm(file)

        harming = Thread(target=harm_later)
        harming.start()
        for number in range(LOADS):
            try:
                again = minilm.MiniLm.load()
            except EncoderError as error:
                say("refused" if str(error).endswith(".") else f"no sentence: {error}")
            else:
                say(WHOLE if again.encode(TEXTS).tobytes() == before else "another model answers")
            expect(encoder.encode(TEXTS).tobytes() == before, "what was loaded before answers otherwise")
            if number == 0:
                harming.join()
        say(DONE)

    lines = said(work)
    expect(lines[-1:] == [DONE], f"it ended after {lines}")
    expect(lines[1:-1] == ["refused"] * (LOADS - 1), f"loaded from a harmed file: {lines}")
    expect(lines[0] in (WHOLE, "refused"), lines[0])
    return "loaded before the harm" if lines[0] == WHOLE else "refused in the midst"


# ------------------------------------------------------------------------------------------------ no room to keep a fit


def taught(folder: Path) -> Path:
    """Make a profile that a calibration can be fitted on, with vectors and without a fit, once."""
    if not folder.exists():
        said(lambda say: asyncio.run(_teach(folder, say)))
    return folder


async def _teach(folder: Path, say: Say) -> None:
    bench = make_workbench(Choices(folder))
    await bench.open(llm=False, watch=False)
    memories = [Memory((f"{verb} the {thing}",), intent=thing) for thing in THINGS for verb in VERBS]
    await bench.journal.do(Edit("taught"), memories)
    await bench.ready()
    await bench.close()
    say(DONE)


def full_fit(fit: str, round_: Round) -> str:
    """A fit with a limited file size: it answers, and the stored file is valid."""
    profile, chance = round_.folder / "profile", round_.chance
    shutil.copytree(taught(round_.shared / "taught"), profile)
    before = triggers(profile)
    kept = profile / ("calibration.json" if fit == "calibrated" else "learned.npz")
    old = chance.choice((None, b"{}", chance.randbytes(3_000)))
    if old is not None:
        kept.write_bytes(old)
    most = chance.choice((0, 100, 1_000, 10_000, chance.randrange(0, 500_000)))

    def work(say: Say) -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            asyncio.run(_fit(profile, fit, say))
        except KnownError as error:
            say("refused" if str(error).endswith(".") else f"no sentence: {error}")
        say(DONE)

    lines = said(work)
    expect(lines[-1:] == [DONE], f"it ended after {lines}")
    expect(lines[0] in ("answered", "refused"), lines[0])
    expect(triggers(profile) == before, "what was taught is another")
    if (now := kept.read_bytes() if kept.exists() else None) != old:
        found = CalibrationFile(kept).load() if fit == "calibrated" else FitFile(kept).load()
        expect(found is not None, f"half a fit was kept, of {len(now or b'')} bytes")
        return f"{lines[0]}, kept"
    left = [each.name for each in profile.iterdir() if each.name.startswith(kept.name) and each != kept]
    expect(not left, f"left beside it: {left}")
    return f"{lines[0]}, not kept"


async def _fit(profile: Path, fit: str, say: Say) -> None:
    bench = make_workbench(Choices(profile, pairs=(f"combination={fit}",)))
    bench.learning.maker.background_texts = lambda: OTHERS  # its thousand texts take a minute
    await bench.open(llm=False, watch=False)
    try:
        await bench.ready()
        matches = (await bench.settle("open the kitchen")).matches
        if bench.status().faults.get("store"):
            say("refused")
        else:
            say("answered" if matches and all(0 <= match.confidence <= 1 for match in matches) else "nothing came")
    finally:
        await bench.close()


ATTEMPTS = [
    *(
        Attempt("models", f"a model that is {name} while it runs", partial(altered, harm), 4)
        for name, harm in HARMS.items()
    ),
    *(Attempt("models", f"no room for a fit of {fit}", partial(full_fit, fit), 4) for fit in FITS),
]

if sys.platform == "win32":
    ATTEMPTS = []
