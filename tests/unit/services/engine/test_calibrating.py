"""Tests of calibrations: fitted on demand, stored, and refitted after changes."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import pytest

from app.adapters.encoders.learned_files import CalibrationFile
from app.adapters.machine import now_ms
from app.detect.keywords import KeywordRules
from app.domain.confidence import SHIPPED_MEMORIES, SHIPPED_POWERS, Calibration, Chance
from app.domain.encoder import Provenance
from app.domain.fits import FitPolicy
from app.domain.journal import Edit
from app.domain.library import Answer, Line, Memory
from app.scoring.index.trigger_index import TriggerIndex
from app.services.engine import calibrator as module
from app.services.engine.calibrator import Calibrator, wants_scales
from app.services.engine.engine import Engine
from app.services.engine.llm_requests import LlmRequests
from app.services.engine.metrics import EngineMetrics
from app.services.engine.typing_priority import TypingPriority
from app.settings.model import Settings
from tests.fakes import MemoryLibrary
from tests.unit.scoring.vectors import DIMENSION, vector_of
from tests.unit.services.benches import desk
from tests.unit.services.engine.test_vector_cache import SomeEncoder
from tests.waiting import PATIENCE

THINGS = ("invoice", "password", "harbour", "zebra", "kitchen", "umbrella")
VERBS = ("open", "show", "find", "change", "move", "forget", "print", "name", "count", "hide")
TAUGHT: list[Answer] = [
    Memory((f"{verb} the {thing}",), intent=thing, key=1 + place * len(VERBS) + other)
    for place, thing in enumerate(THINGS)
    for other, verb in enumerate(VERBS)
]
LINES = [Line(n, replace(one, key=None)) for n, one in enumerate(TAUGHT, 1) if isinstance(one, Memory)]
WANTED = Settings(combination="calibrated")
ENCODER = SomeEncoder(Provenance("some", "1", DIMENSION))


@dataclass
class Desk:
    file: CalibrationFile | None = None
    answers: list[Answer] = field(default_factory=lambda: list(TAUGHT))
    settings: Settings = WANTED
    adopted: list[Calibration] = field(default_factory=list)

    def __post_init__(self) -> None:
        llm = LlmRequests(None, now_ms, EngineMetrics())
        self.engine = Engine(TriggerIndex(DIMENSION), KeywordRules(()), self.settings, now_ms, llm, ENCODER)
        self.teach(self.answers)
        self.calibrating = Calibrator(self.file, lambda: 7.0, self.engine, TypingPriority(), self.adopted.append)

    def teach(self, answers: list[Answer]) -> None:
        index = self.engine.index
        index.put(answers)
        index.embed({text: vector_of(text) for text in index.unembedded()})

    def settle(self) -> list[Calibration]:
        """Return the adopted calibrations after all work is done, oldest first."""
        asyncio.run(self.calibrating.settle())
        return self.adopted


async def test_that_a_library_is_asked_about_itself_once_its_scale_is_wanted() -> None:
    async with desk() as workbench:
        await workbench.import_sources([("memories", LINES)], "a test")
        await workbench.ready()
        assert workbench.settings.calibration == Calibration()
        plain = (await workbench.settle("open a kitchen")).matches
        await workbench.choose("combination", "calibrated")
        await workbench.ready()
        calibration = workbench.settings.calibration
        assert calibration.memories.asked == len(TAUGHT)
        assert calibration.powers == SHIPPED_POWERS
        told = (await workbench.settle("open a kitchen")).matches
        assert [one.answer.key for one in told] == [one.answer.key for one in plain]
        assert told[0].confidence == calibration.memories(plain[0].confidence)
        other = await workbench.settle_as("open a kitchen", {"matches": "3"})
        assert other.matches[0].confidence == told[0].confidence
        await workbench.choose("matches", "4")
        assert workbench.settings.calibration == calibration


async def test_that_scales_that_come_while_a_setting_is_stored_are_not_lost() -> None:
    found = Calibration(Chance(9.5, -4.25, asked=70, ece=0.01), SHIPPED_POWERS, "minilm 1")

    library = SlowToStore()
    async with desk(lambda: library) as workbench:
        storing = asyncio.create_task(workbench.choose("matches", "4"))
        assert await asyncio.to_thread(library.is_storing.wait, PATIENCE)
        workbench._on_calibrated(found)
        library.may_store.set()
        await storing
        assert workbench.settings.matches == 4
        assert workbench.settings.calibration == found


class SlowToStore(MemoryLibrary):
    def __init__(self) -> None:
        super().__init__()
        self.is_storing, self.may_store = Event(), Event()

    def choose_settings(self, edit: Edit, changes: Mapping[str, str | None]) -> int | None:
        self.is_storing.set()
        assert self.may_store.wait(PATIENCE)
        return super().choose_settings(edit, changes)


def test_that_nothing_is_fitted_that_nobody_wants() -> None:
    assert not wants_scales(Settings())
    assert not wants_scales(Settings(combination="calibrated", use_hybrid_retrieval=False))
    assert wants_scales(Settings(power_combination="calibrated"))
    assert Desk(settings=Settings()).settle() == []


def test_that_nothing_is_fitted_while_vectors_are_missing() -> None:
    at_work = Desk()
    at_work.engine.index.put([Memory(("not embedded yet",), key=900)])
    assert at_work.settle() == []
    at_work.teach([])
    assert len(at_work.settle()) == 1


def test_that_of_too_little_the_shipped_scales_tell() -> None:
    (found,) = Desk(answers=TAUGHT[:20]).settle()
    assert (found.memories, found.powers) == (SHIPPED_MEMORIES, SHIPPED_POWERS)
    assert found.memories.is_shipped


def test_that_of_what_is_taught_twice_under_other_labels_the_shipped_scales_tell() -> None:
    again = [replace(one, intent=f"{one.answer_label} 2", key=1000 + place) for place, one in enumerate(memories())]
    (found,) = Desk(answers=[*TAUGHT, *again]).settle()
    assert found.memories == SHIPPED_MEMORIES


def memories() -> list[Memory]:
    return [one for one in TAUGHT if isinstance(one, Memory)]


def test_that_what_was_fitted_is_kept_with_its_provenance(tmp_path: Path) -> None:
    file = CalibrationFile(tmp_path / "calibration.json")
    (first,) = Desk(file).settle()
    assert first.encoder == "some 1"
    assert first.made == 7.0
    assert first.memories.asked == len(TAUGHT)
    assert file.load() == first


def test_that_what_is_kept_is_taken_up_without_fitting_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = CalibrationFile(tmp_path / "calibration.json")
    (first,) = Desk(file).settle()

    def fitted_again(*_: object, **__: object) -> None:
        raise AssertionError("it is kept")

    monkeypatch.setattr(module, "left_out", fitted_again)
    assert Desk(file).settle() == [first]
    a_little_more: list[Answer] = [*TAUGHT, Memory(("sell the zebra",), intent="zebra", key=500)]
    assert Desk(file, a_little_more).settle() == [first]


def test_that_commands_use_the_stored_scales_as_they_are_and_store_none_but_the_first(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    hook, command = Desk(CalibrationFile(path)), Desk(CalibrationFile(path))
    hook.calibrating.policy, command.calibrating.policy = FitPolicy.NEVER, FitPolicy.FIRST
    assert hook.settle() == []
    assert not path.exists()
    (first,) = command.settle()
    stored = path.read_bytes()
    command.teach([Memory((f"{verb} a {n}",), intent="number", key=600 + n) for n, verb in enumerate(VERBS * 3)])
    assert command.settle() == hook.settle() == [first]
    assert path.read_bytes() == stored
    apart = Desk(CalibrationFile(path))
    apart.calibrating.is_own_view = lambda: False
    apart.teach([Memory((f"{verb} a {n}",), intent="number", key=600 + n) for n, verb in enumerate(VERBS * 3)])
    (other,) = apart.settle()
    assert other.memories.asked > first.memories.asked
    assert path.read_bytes() == stored


def test_that_much_of_a_change_or_another_encoder_has_it_fitted_again(tmp_path: Path) -> None:
    file = CalibrationFile(tmp_path / "calibration.json")
    at_work = Desk(file)
    at_work.settle()
    at_work.settle()
    assert len(at_work.adopted) == 1
    at_work.teach([Memory((f"{verb} a {n}",), intent="number", key=600 + n) for n, verb in enumerate(VERBS * 3)])
    first, second = at_work.settle()
    assert second.memories.asked == first.memories.asked + 3 * len(VERBS)
    at_work.engine.encoder = SomeEncoder(Provenance("some", "2", DIMENSION))
    assert at_work.settle()[-1].encoder == "some 2"


def test_that_a_library_that_changes_on_the_way_is_left_for_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work = Desk()

    def changed(*_: object, **__: object) -> None:
        at_work.engine.index.changes += 1

    with monkeypatch.context() as patch:
        patch.setattr(module, "left_out", changed)
        assert at_work.settle() == []
    assert len(at_work.settle()) == 1


async def test_that_a_fit_that_is_called_off_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work = Desk()

    begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def endless(*_: object, between: object, **__: object) -> None:
        assert callable(between)
        loop.call_soon_threadsafe(begun.set)
        while True:
            between()

    monkeypatch.setattr(module, "left_out", endless)
    task = asyncio.create_task(at_work.calibrating.settle())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert at_work.adopted == []


async def test_that_it_looks_once_vectors_are_there_and_again_after_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    at_work = Desk()

    adopted, ready = asyncio.Queue[Calibration](), asyncio.Event()
    looking = Calibrator(None, lambda: 7.0, at_work.engine, TypingPriority(), adopted.put_nowait)
    task = asyncio.create_task(looking.keep_up(ready))
    await asyncio.sleep(0.05)
    assert adopted.empty()
    ready.set()
    first = await asyncio.wait_for(adopted.get(), PATIENCE)
    at_work.teach([Memory((f"{verb} a {n}",), intent="number", key=600 + n) for n, verb in enumerate(VERBS * 3)])
    second = await asyncio.wait_for(adopted.get(), PATIENCE)
    task.cancel()
    assert (first.memories.asked, second.memories.asked) == (len(TAUGHT), len(TAUGHT) + 3 * len(VERBS))


# ---- the file


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format":2}',
        '{"format":1,"encoder":"e","made":1,"library":[],"memories":{"slope":-1,"offset":0,"asked":60,"ece":0},"powers":null}',
        '{"format":1,"encoder":"e","made":1,"library":["x"],"memories":null,"powers":null}',
    ],
)
def test_that_a_file_that_says_nothing_sound_is_as_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(text, "utf-8")
    assert CalibrationFile(file).load() is None


def test_that_what_is_kept_comes_back_and_shipped_scales_are_those_of_the_program(tmp_path: Path) -> None:
    file = CalibrationFile(tmp_path / "calibration.json")
    assert file.load() is None
    kept = Calibration(Chance(9.5, -4.25, asked=70, ece=0.01), SHIPPED_POWERS, "minilm 1", (3, 2**48 - 1), 12.5)
    file.save(kept)
    assert file.load() == kept
    assert [one.name for one in tmp_path.iterdir()] == ["calibration.json"]


def test_that_a_profile_that_cannot_be_written_to_forgets(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in ("gone", "file"):
        file = CalibrationFile(tmp_path / folder / "calibration.json")
        file.save(Calibration())
        assert file.load() is None
