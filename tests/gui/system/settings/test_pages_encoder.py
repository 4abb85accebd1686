"""Tests of the encoder on the settings page: comparison, change, download (S2.15)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.display.system.models import costs, encoder_change, size
from app.domain.encoder import EncoderFacts, Provenance
from app.gui.system.settings.encoder_section import EncoderSection
from app.gui.system.settings.page import SettingsPage
from app.services.core import Status
from app.services.system.encoders import Measured
from tests.build import some
from tests.gui.conftest import Opener
from tests.gui.llm_workbench import ConnectedWorkbench
from tests.gui.pages import opened_page

TORCH = "sentence-transformers"


@pytest.fixture
def bench() -> ConnectedWorkbench:
    return ConnectedWorkbench()


@pytest.fixture
def section(qtbot: QtBot, open_window: Opener, bench: ConnectedWorkbench) -> EncoderSection:
    window = open_window(bench)
    page = opened_page(window, "settings", SettingsPage)
    found = page.encoder
    qtbot.waitUntil(lambda: all(choice.facts is not None for choice in found.choices.values()))
    qtbot.waitUntil(lambda: found.choices["intentscope-minilm"].measured is not None)
    return found


def test_that_each_encoder_says_what_it_costs_or_why_it_cannot_be_had(section: EncoderSection) -> None:
    told = {name: choice.costs.text() for name, choice in section.choices.items()}
    assert told["intentscope-minilm"] == "24 MB on disk, offline, 384 numbers a vector, 3.8 ms a query, 61 MB of memory"
    assert "not installed" in told[TORCH]
    assert "No address" in told["ollama"]
    assert section.choices["intentscope-minilm"].radio.isChecked()
    assert told[TORCH] in section.choices[TORCH].radio.accessibleDescription()
    assert section.use.isHidden()
    assert section.cancel.isHidden()


def test_that_a_library_is_installed_and_used(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    section.choices[TORCH].radio.click()
    assert not section.use.isEnabled()
    section.fetch.click()
    assert not section.bar.isHidden()
    assert not section.cancel.isHidden()
    qtbot.waitUntil(lambda: "It is there" in section.line.text())
    qtbot.waitUntil(section.use.isEnabled)
    assert section.bar.isHidden()
    section.use.click()
    qtbot.waitUntil(lambda: [chosen.name for chosen in bench.encoders.chosen] == [TORCH])


def test_that_an_encoder_says_what_is_fetched(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    section.choices[TORCH].radio.click()
    assert section.fetch.text() == "Install it, some 1.2 GB"
    bench.encoders.step = 60.0
    section.fetch.click()
    qtbot.waitUntil(lambda: section.bar.maximum() == 3)
    assert bench.encoders.calls[-1] == "install"
    section.cancel.click()
    bench.encoders.step = 0.0
    section.fetch.click()
    qtbot.waitUntil(lambda: "It is there" in section.line.text())
    qtbot.waitUntil(lambda: section.picked.costs.text().startswith("92 MB on disk"))


def test_that_one_is_tried_on_the_cases_before_it_is_used_or_says_that_its_gain_is_unknown(
    qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench
) -> None:
    choice = section.choices[TORCH]
    assert section.trial.isHidden()
    choice.radio.click()
    assert section.trial.isHidden()  # it is not available yet
    bench.encoders.known[TORCH, ""] = EncoderFacts(117_000_000)
    choice.request_inspection()
    qtbot.waitUntil(lambda: not section.trial.isHidden())
    section.trial.click()
    assert not section.cancel.isHidden()
    qtbot.waitUntil(lambda: not choice.gain.isHidden())
    assert choice.gain.text().startswith(
        "Intent: of the 8 cases 100.0 % come out right with it, 50.0 % as it is now. 4 cases newly right"
    )
    bench.encoders.fault = "There are no labelled cases to try it on, so what it gains here is unknown."
    section.trial.click()
    qtbot.waitUntil(lambda: "unknown" in section.fault.sentence)
    bench.encoders.fault, bench.encoders.step = "", 60.0
    section.trial.click()
    qtbot.waitUntil(lambda: (section.bar.value(), section.bar.maximum()) == (3, 8))
    section.cancel.click()
    qtbot.waitUntil(lambda: bench.encoders.under_way == 0)
    assert section.bar.isHidden()
    assert not section.trial.isHidden()


def test_that_installing_can_be_called_off(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    bench.encoders.step = 60.0
    section.choices[TORCH].radio.click()
    section.fetch.click()
    qtbot.waitUntil(lambda: "torch" in section.line.text())
    section.cancel.click()
    assert "Stopped" in section.line.text()
    qtbot.waitUntil(lambda: bench.encoders.under_way == 0)
    assert not section.fetch.isHidden()


def test_that_a_failed_installation_says_why(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    bench.encoders.fault = "The disk is full."
    section.choices[TORCH].radio.click()
    section.fetch.click()
    qtbot.waitUntil(lambda: section.fault.sentence == "The disk is full.")
    assert section.bar.isHidden()


def test_that_a_folder_is_checked_before_use(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    choice = section.choices[TORCH]
    choice.take_folder("/models/none")
    qtbot.waitUntil(lambda: choice.costs.text() == "Folder not found: /models/none.")
    assert not section.use.isEnabled()
    bench.encoders.known[TORCH, "/models/mine"] = EncoderFacts(1_000_000_000)
    choice.model.clear()
    QTest.keyClicks(choice.model, "/models/mine")
    qtbot.waitUntil(section.use.isEnabled)
    assert choice.costs.text().startswith("1.0 GB on disk, offline")
    section.use.click()
    qtbot.waitUntil(lambda: [chosen.model for chosen in bench.encoders.chosen] == ["/models/mine"])


def test_that_a_missing_name_can_be_fetched(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    bench.encoders.known[TORCH, "bge-small"] = EncoderFacts(fault="It is not on this computer.", remedy="download")
    choice = section.choices[TORCH]
    choice.model.setText("bge-small")
    choice.request_inspection()
    choice.radio.click()
    qtbot.waitUntil(lambda: section.fetch.text() == "Download the model" and not section.fetch.isHidden())
    section.fetch.click()
    qtbot.waitUntil(lambda: "download bge-small" in bench.encoders.calls)


def test_that_re_embedding_can_be_called_off(qtbot: QtBot, section: EncoderSection, bench: ConnectedWorkbench) -> None:
    assert bench.status_changed.has_listeners
    bench.status_changed.notify(replace(bench.state, next_encoder=f"{TORCH} x", embedded=3_200, to_embed=14_972))
    qtbot.waitUntil(lambda: "3,200 done" in section.line.text())
    assert section.line.text().startswith(f"Re-embedding 14,972 triggers with {TORCH} x")
    assert (section.bar.value(), section.bar.maximum()) == (3_200, 14_972)
    section.cancel.click()
    qtbot.waitUntil(lambda: "cancel" in bench.encoders.calls)
    bench.status_changed.notify(bench.state)
    qtbot.waitUntil(section.bar.isHidden)


def test_that_sizes_and_costs_are_read_at_a_glance() -> None:
    assert [size(count) for count in (999, 23_026_053, 9_400_000, 999_600_000)] == [
        "999 B",
        "23 MB",
        "9.4 MB",
        "1.0 GB",
    ]
    measured = Measured(Provenance("ollama all-minilm", "1b226e2802db", 384), 12.34, 61_000_000)
    told = costs(EncoderFacts(45_960_996, is_offline=False), measured)
    assert told == "46 MB on disk, every text goes to the server, 384 numbers a vector, 12.3 ms a query"
    assert costs(EncoderFacts(), None) == "offline, speed and memory are measured once it answers"


def test_that_a_change_is_told_in_plain_words() -> None:
    assert encoder_change(Status("default")) is None
    loading = some(encoder_change(Status("default", next_encoder="ollama all-minilm")))
    assert loading.sentence == "Loading ollama all-minilm; intentscope-minilm answers until then."
    first = some(encoder_change(Status("default", embedded=16, to_embed=210)))
    assert first.sentence == "Embedding 210 triggers with intentscope-minilm, 16 done."
