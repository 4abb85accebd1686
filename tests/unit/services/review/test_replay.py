"""Tests of replays and imported logs: changes and causes, with progress and cancellation."""

import asyncio
import io
from collections import Counter
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from app.display.review.replay import change_line
from app.domain.errors import EncoderError, FormatError, KnownError
from app.domain.filters import MemoryFilter
from app.domain.history import DifferenceKind, HistoryFilter, ReplayCauseKind, ReplayProgress, Source
from app.domain.inspection import Inspection
from app.domain.journal import ItemKind
from app.domain.library import Power, Transport
from app.ports.encoder import Embedder
from app.services.engine.embedding import QueryVectors
from app.services.review import history
from app.services.review import replay as history_replay
from app.services.workbench import Workbench
from app.settings.model import Settings, SettingsError
from app.surfaces.cli.output import Printer
from app.surfaces.cli.terminal import AnswerLog
from tests.unit.services.pasts import kept, log_file, past_desk, teach

TEXTS = ["why is the build slow", "rotate the keys", "ask postgres", "zzz"]


async def asked(bench: Workbench) -> list[int]:
    return await bench.history.recorder.keep([await bench.settle(text) for text in TEXTS], Source.WINDOW)


async def replayed(bench: Workbench, keys: list[int], changes: dict[str, str] | None = None) -> ReplayProgress:
    steps = [step async for step in bench.history.replay(keys, changes or {})]
    assert steps[0].done == 0
    return replace(steps[-1], changed=tuple(one for step in steps for one in step.changed))


async def test_that_nothing_differs_where_nothing_changed() -> None:
    async with past_desk() as bench:
        keys = await asked(bench)
        assert await replayed(bench, keys) == ReplayProgress(4, 4, same=4)
        assert (await kept(bench, HistoryFilter("zzz")))[0].times == 1


async def test_that_a_memory_that_is_gone_is_named() -> None:
    async with past_desk() as bench:
        keys = await asked(bench)
        (key,) = await bench.in_store(lambda library: library.find_memories(MemoryFilter("slow")))
        await bench.journal.delete([(ItemKind.MEMORY, key)])
        replay = await replayed(bench, keys)
        found = next(one for one in replay.changed if one.before.text == "why is the build slow")
        first = next(one for one in found.differences if one.what is DifferenceKind.FIRST)
        assert first.before == "slow-build"
        assert ReplayCauseKind.GONE in [cause.because for cause in first.causes]
        assert found.after.answer == first.after
        assert replay.done == replay.of == 4


async def test_that_the_first_answer_is_what_would_be_delivered() -> None:
    async with past_desk() as bench:  # no type: the memory of "rotate the keys" is not injected, the power starts
        await asked(bench)
        assert [(await kept(bench, HistoryFilter(text)))[0].answer for text in TEXTS[:2]] == ["slow-build", "postgres"]


async def test_that_a_power_is_replayed_as_what_it_lacks() -> None:
    async with past_desk() as bench:
        runs = Power("files", "Reads files", keywords=("open files",), transport=Transport(command="files"))
        await teach(bench, [runs])
        keys = await bench.history.recorder.keep([await bench.settle("open files")], Source.WINDOW)
        assert (await replayed(bench, keys)).same == 1
        (offered,) = (await replayed(bench, keys, {"tiers.high": "1", "tiers.ambiguity_margin": "1"})).changed
        assert change_line(offered).endswith("Powers: Not approved → Offered")
        await bench.gateway.approve("files", await bench.gateway.approval_text("files"))
        (approved,) = (await replayed(bench, keys)).changed
        assert change_line(approved).startswith("Powers: Not approved → Would be activated")
        assert not any(difference.causes for difference in approved.differences)


async def test_that_a_replay_under_changed_settings_names_them_and_keeps_nothing() -> None:
    async with past_desk() as bench:
        keys = await asked(bench)
        replay = await replayed(bench, keys, {"combination": "exact"})
        settings = {
            cause.name
            for one in replay.changed
            for difference in one.differences
            for cause in difference.causes
            if cause.because is ReplayCauseKind.SETTING
        }
        assert settings == {"combination"}
        assert (await replayed(bench, keys)).same == 4
        with pytest.raises(SettingsError):
            await replayed(bench, keys, {"combination": "none"})


async def test_that_what_has_no_text_or_is_gone_is_left_out() -> None:
    async with past_desk() as bench:
        keys = await asked(bench)
        await bench.choose("history.privacy", "hashed")
        hashed = await bench.history.recorder.keep([await bench.settle("secret")], Source.WINDOW)
        assert await replayed(bench, [*keys, *hashed, 999]) == ReplayProgress(6, 6, same=4, left_out=2)


async def test_that_progress_is_told_and_a_closed_replay_asks_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_replay, "PROGRESS_SECONDS", 0.0)
    async with past_desk() as bench:
        keys = await asked(bench)
        assert [step.done async for step in bench.history.replay(keys)] == [0, 1, 2, 3, 4]
        asked_for: list[str] = []
        settle = bench.settle_under

        async def counted(text: str, settings: Settings, vectors: QueryVectors | None = None) -> Inspection:
            asked_for.append(text)
            return await settle(text, settings, vectors)

        monkeypatch.setattr(bench, "settle_under", counted)
        async with aclosing(bench.history.replay(keys)) as steps:
            async for step in steps:
                if step.done == 2:
                    break
        assert asked_for == TEXTS[:2]


async def test_that_a_replay_leaves_what_is_typed_alone() -> None:
    async with past_desk() as bench:
        keys = await asked(bench)
        before = dict(bench.engine.vectors._kept)
        await replayed(bench, keys)
        assert bench.engine.vectors._kept == before


def failing() -> Embedder:
    raise EncoderError("The model is missing.")


async def test_that_queries_are_replayed_without_an_encoder_but_not_while_it_loads() -> None:
    async with past_desk(encoder=failing) as bench:
        keys = await asked(bench)
        assert (await replayed(bench, keys)).same == 4
        bench.engine.encoder_fault = None
        with pytest.raises(KnownError, match="still loading"):
            await replayed(bench, keys)


# ---- logs


async def test_that_a_log_is_answered_and_kept_once_a_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "KEPT_AT_ONCE", 2)
    file = log_file(tmp_path, '{"query": "zzz"}\n{"query": "rotate the keys"}\n{"no": 1}\n\n{"text": "zzz"}\noops\n')
    async with past_desk() as bench:
        steps = [step async for step in bench.history.take_log(file)]
        assert (steps[0].of, steps[0].left_out) == (3, 2)
        assert [line for line, _ in steps[0].problems] == [3, 6]
        assert (steps[-1].read, steps[-1].kept, steps[-1].is_done) == (3, 2, True)
        queries = await kept(bench)
        assert {query.text: query.times for query in queries} == {"zzz": 2, "rotate the keys": 1}
        assert {query.source for query in queries} == {Source.LOG}


async def test_that_presets_that_disagree_on_a_line_of_a_log_make_it_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "presets_differ", lambda one, other: one.query.text == "rotate the keys")
    async with past_desk(settings={"history.compare_presets": True}) as bench:
        async for _ in bench.history.take_log(log_file(tmp_path, "rotate the keys\nzzz\n")):
            pass
        assert {query.text: "presets" in query.doubts for query in await kept(bench)} == {
            "rotate the keys": True,
            "zzz": False,
        }


async def test_that_a_log_kept_from_the_command_line_waits_for_the_same_doubts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "presets_differ", lambda one, other: one.query.text == "rotate the keys")
    async with past_desk(settings={"history.compare_presets": True}) as bench:
        keeping = AnswerLog(bench, Printer(io.StringIO()), keep=True, ahead=True)
        for text in ("rotate the keys", "zzz", "", "rotate the keys"):
            await keeping.take(await bench.settle(text))
        await keeping.done()
        assert {query.text: (query.times, "presets" in query.doubts) for query in await kept(bench)} == {
            "rotate the keys": (2, True),
            "zzz": (1, False),
        }


async def test_that_an_answer_to_a_log_is_compared_as_it_is_without_an_llm(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[Inspection, Inspection]] = []
    monkeypatch.setattr(history, "presets_differ", lambda *both: compared.append(both))
    async with past_desk(settings={"history.compare_presets": True}) as bench:
        answer = await bench.settle("rotate the keys")
        await bench.history.keep_log([answer])
        assert compared[0][0] is answer
        await bench.choose("history.privacy", "off")
        assert await bench.history.keep_log([answer]) == []
        assert len(compared) == 1


async def test_that_a_log_that_cannot_be_read_or_kept_says_why(tmp_path: Path) -> None:
    async with past_desk() as bench:
        with pytest.raises(FormatError, match="cannot be read"):
            _ = [step async for step in bench.history.take_log(tmp_path / "none")]
        with pytest.raises(FormatError, match="Unknown log format"):
            _ = [step async for step in bench.history.take_log(log_file(tmp_path, "a"), "csv")]
        await bench.choose("history.privacy", "off")
        with pytest.raises(KnownError, match="privacy"):
            _ = [step async for step in bench.history.take_log(log_file(tmp_path, "a"))]


async def test_that_what_was_kept_before_a_stop_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "KEPT_AT_ONCE", 1)
    monkeypatch.setattr(history, "PROGRESS_SECONDS", 0.0)
    async with past_desk() as bench:
        async with aclosing(bench.history.take_log(log_file(tmp_path, "a\nb\nc\nd\n"))) as steps:
            async for step in steps:
                if step.kept == 2:
                    break
        await asyncio.sleep(0)
        assert Counter(query.text for query in await kept(bench)) == Counter({"a": 1, "b": 1})
