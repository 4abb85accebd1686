"""Tests of the metrics page: updated while visible, with charts and Prometheus's address."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.domain.history import UsageCounter, UsageTotals
from app.gui.shell.main_window import MainWindow
from app.gui.shell.page_stack import SCOPE
from app.gui.system.metrics import MetricsPage
from tests.gui.conftest import Opener, round_trip
from tests.gui.inspections import FakeWorkbench, with_measures
from tests.gui.pages import opened_page


def page_of(window: MainWindow) -> MetricsPage:
    return opened_page(window, "metrics", MetricsPage)


def test_that_nothing_measured_is_an_empty_page(qtbot: QtBot, open_window: Opener) -> None:
    page = page_of(open_window(FakeWorkbench()))
    qtbot.waitUntil(lambda: page.found is not None)
    assert page.empty.isVisible()
    assert not page.body.isVisible()
    assert page.plot is None


def test_that_what_was_measured_is_drawn_and_told_in_numbers(qtbot: QtBot, open_window: Opener) -> None:
    bench = with_measures(FakeWorkbench())
    bench.usage.found = UsageTotals(30, {(UsageCounter.RESOLUTIONS, "activated"): 3, (UsageCounter.TURNS, "1"): 1})
    window = open_window(bench)
    page = page_of(window)
    qtbot.waitUntil(lambda: page.plot is not None)
    qtbot.waitUntil(lambda: "Answered within 200 ms" in page.sheet.read)
    for part in ("240", "Started", "Timed out", "Type decided by", "95 % within", "Hybrid"):
        assert part in page.sheet.read
    assert "Powers asked for" in page.use_sheet.read
    assert "The LLM answered 181 of 220 requests within 200 ms." in page.sentence.text()


def test_that_it_looks_only_while_seen(qtbot: QtBot, open_window: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.gui.system.metrics.POLL_MS", 20)
    bench, looks = FakeWorkbench(), list[object]()
    totals = bench.usage.totals

    async def look() -> UsageTotals:
        looks.append(None)
        return await totals()

    monkeypatch.setattr(bench.usage, "totals", look)
    window = open_window(bench)
    page = page_of(window)
    qtbot.waitUntil(lambda: len(looks) >= 3)
    window.open_page(SCOPE)
    assert not page.timer.isActive()
    round_trip(qtbot, window.worker)
    before = len(looks)
    qtbot.wait(80)
    assert len(looks) == before
    window.open_page("metrics")
    qtbot.waitUntil(lambda: len(looks) > before)


def test_that_serving_is_switched_on_and_off(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    page = page_of(open_window(bench))
    assert "Not served" in page.served.text()
    page.serve.click()
    qtbot.waitUntil(lambda: "127.0.0.1:9464/metrics" in page.served.text())
    page.serve.click()
    qtbot.waitUntil(lambda: bench.values["metrics.port"] == "0")


def test_that_a_port_that_is_taken_is_a_line(qtbot: QtBot, open_window: Opener) -> None:
    bench = FakeWorkbench()
    bench.values["metrics.port"] = "9464"
    window = open_window(bench)
    page = page_of(window)
    assert bench.status_changed.has_listeners
    sentence = "Metrics cannot be served on port 9464: Address already in use."
    bench.status_changed.notify(replace(bench.state, faults={"metrics": sentence}))
    qtbot.waitUntil(lambda: page.fault.sentence == sentence)
    assert page.served.text().startswith("Not served")
