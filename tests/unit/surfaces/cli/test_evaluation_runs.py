"""Tests of stored evaluations on the terminal: listed, and compared with the present one."""

import io
import json
from pathlib import Path

from app.domain.case import Task
from app.domain.library import Line
from app.surfaces.cli.evaluate import compare_with_run, keep_run, print_runs
from app.surfaces.cli.output import Printer
from tests.unit.services.evaluation.test_runs import CASES, on_desk
from tests.unit.surfaces.cli.case_files import judged

LINES = [Line(number, case) for number, case in enumerate(CASES, 1)]


async def test_that_a_run_is_kept_listed_and_compared_with(tmp_path: Path) -> None:
    async with on_desk() as bench:
        out = io.StringIO()
        await print_runs(bench, Printer(out))
        assert out.getvalue() == "No stored evaluation yet.\n"
        today = await bench.evaluations.today(CASES, Task.INTENT, accounts=True)
        await keep_run(bench, [today], "cases.jsonl", Printer(out))
        assert "Stored as run 1. --against-run 1 shows what changed since." in out.getvalue()
        await keep_run(bench, [today], "cases.jsonl", Printer((out := io.StringIO()), as_json=True))
        assert out.getvalue() == ""
        await print_runs(bench, Printer(out, as_json=True))
        assert [run["run"] for run in json.loads(out.getvalue())["runs"]] == [2, 1]

        await keep_run(bench, [today], "cases.jsonl", Printer(out := io.StringIO()))
        assert out.getvalue().splitlines()[1:] == ["Since the last run: no change."]
        await bench.runs.forget(3)

        await bench.choose_all({"fallback_threshold": "0.99"})
        kept = tmp_path / "found.xml"
        gates, out = ["broken<=0", "top1>=0.5"], io.StringIO()
        held = await judged(
            compare_with_run, bench, LINES, "intent", Printer(out, as_json=True), run=0, gates=gates, junit=kept
        )
        assert not held
        told = json.loads(out.getvalue())
        assert (told["since"]["run"]["run"], told["since"]["broken"], told["gates"][0]["met"]) == (2, 1, False)
        assert told["since"]["settings"] == {"fallback_threshold": {"then": "0.3", "now": "0.99"}}
        assert 'failures="1"' in kept.read_text(encoding="utf-8")
        out = io.StringIO()
        assert await judged(compare_with_run, bench, LINES, "intent", Printer(out), run=1)
        assert "setting fallback_threshold (0.3, now 0.99)" in out.getvalue()
