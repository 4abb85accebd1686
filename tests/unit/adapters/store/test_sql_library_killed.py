"""Tests of programs killed while writing: reported writes are stored, others not in part."""

import os
import random
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Connection, event

from app.adapters.store.library import SqlLibrary
from app.domain.encoder import Provenance
from app.domain.filters import MemoryFilter
from app.domain.journal import Edit
from app.domain.library import Memory
from tests.nursery import Program

pytestmark = pytest.mark.usefixtures("migrations_run")

PROJECT = Path(__file__).resolve().parents[4]
KILLS = int(os.environ.get("INTENTSCOPE_TEST_KILLS", "15"))
"""Number of programs killed; 200 take a minute or two."""

GROUP = 25
"""Number of memories that the killed program edits in one step.

All have the same label, or the step is incomplete.
"""

WRITER = """
import os, sys
from pathlib import Path
import sqlalchemy.dialects.sqlite
from app.adapters.store.library import SqlLibrary
from app.domain.filters import MemoryEdit, MemoryFilter
from app.domain.journal import Edit
from app.domain.library import Memory

def say(line):
    os.write(1, (line + "\\n").encode())  # at once and in one piece, however soon the end comes

def write():
    library = SqlLibrary.open(Path(sys.argv[1]))
    keys = library.find_memories(MemoryFilter(namespace="group"))
    number = max(int(memory.intent or 0) for memory in library.memories())
    while True:
        number += 1
        library.edit_memories(Edit("edited"), keys, MemoryEdit(label=str(number)))
        say(f"label {number}")
        library.change(Edit("taught"), [Memory((f"new {number}", "second"), id=f"new-{number}")])
        say(f"new {number}")
        if number % 3 == 0:
            library.undo()
            library.redo()

write()
"""


@dataclass
class Said:
    """Last writes that a killed program reported."""

    label: int = 0
    new: int = 0
    steps: int = 0


def killed(folder: Path, seconds: float) -> Said:
    """Let a program write, kill it this long after its first report, and return its reports."""
    said = Said()
    with Program(WRITER, folder) as program:
        for line in program.stdout:
            word, number = line.split()
            setattr(said, word, int(number))
            said.steps += 1
            if said.steps == 1:
                threading.Timer(seconds, program.kill).start()
    return said


def check(folder: Path, said: Said) -> None:
    library = SqlLibrary.open(folder)
    try:
        if any(step.undone for step in library.steps()):
            library.redo()  # killed between an undo and its redo
        labels = {memory.intent for memory in library.memories() if memory.namespace == "group"}
        assert len(labels) == 1, f"half done: {labels}"
        (label,) = labels
        assert int(label or 0) >= said.label, "what was done is lost"
        there = {memory.id for memory in library.memories()}
        assert said.new == 0 or f"new-{said.new}" in there, "what was taught is lost"
        assert all(step.count == (GROUP if step.verb == "edited" else 1) for step in library.steps())
        assert len(library.find_memories(MemoryFilter(str(label)))) >= GROUP, "the index is behind"
        assert len(library.find_memories(MemoryFilter("second"))) == len(there - {None})
    finally:
        library.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_that_a_program_killed_at_any_moment_loses_nothing_that_it_said_was_done(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    library = SqlLibrary.open(folder)
    library.add("memories", (Memory((f"phrase {number}",), intent="0", namespace="group") for number in range(GROUP)))
    library.close()
    moments = random.Random(7)
    told = []
    for _ in range(KILLS):
        told.append(killed(folder, moments.uniform(0.0, 0.12)))
        check(folder, told[-1])
    done = sum(said.steps for said in told)
    assert done >= 2 * KILLS, "too little was written for the kills to mean anything"
    print(f"{KILLS} kills, {done} steps said to be done (1 to {max(said.steps for said in told)} before a kill)")
    print("none lost, none half done, the library opened every time")


def test_that_what_a_person_did_is_on_the_disk_before_it_is_said_to_be_done(tmp_path: Path) -> None:
    # No test can cut the power: SQLite reports at each commit whether it waits for the disk (2) or not (1).
    library = SqlLibrary.open(tmp_path)
    waited: list[int] = []

    def committing(connection: Connection) -> None:
        waited.append(connection.connection.execute("PRAGMA synchronous").fetchone()[0])

    event.listen(library._access._writing, "commit", committing)
    library.change(Edit("taught"), [Memory(("order tea",))])
    library.undo()
    library.redo()
    library.put_settings({"theme": "dark"})
    assert len(waited) >= 4
    assert set(waited) == {2}
    waited.clear()
    library.put_embeddings(Provenance("encoder", "1", 2), ["order tea"], np.ones((1, 2), np.float32))
    assert waited == [1], "what can be made again waits for nothing"
    library.close()
