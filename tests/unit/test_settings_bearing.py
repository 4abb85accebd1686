"""Tests of settings' relevance to answers: irrelevant ones change none, none is missing."""

import pytest

from app.display.system.settings import SettingRow, setting_sections
from app.domain.inspection import Inspection
from app.settings.model import (
    BESIDE,
    LOOKS,
    PRESETS,
    SURFACING,
    UNASKED,
    Settings,
    SettingsError,
    SettingsSources,
    bearing,
    changed_keys,
    flat,
    keys,
    layer,
)
from tests.unit.services.benches import desk

QUERIES = ("how do I check my database", "run a postgres query")
TRIED = ("2", "0.4", "7", "1.5", "90", "2048", "4096", "false", "true", "5m", "/tmp/x", "http://127.0.0.1:9", "total")
"""Values of which each setting accepts at least one."""

ROWS = {
    row.key: row for section in setting_sections(Settings(), dict.fromkeys(keys(), "default")) for row in section.rows
}


def others(row: SettingRow) -> list[str]:
    """Return up to two other values that the setting accepts."""
    found = []
    for value in (*(value for value, _ in row.choices), *TRIED):
        try:
            settings = layer(SettingsSources(command_line={row.key: value})).values
        except SettingsError:
            continue
        if flat(settings) != flat(Settings()):
            found.append(value)
    return found[:2]


def test_that_every_row_names_settings_that_there_are() -> None:
    for beginning in {*LOOKS, *BESIDE, *UNASKED, SURFACING}:
        assert any(key.startswith(beginning) for key in keys()), beginning


async def test_that_no_setting_beside_answers_changes_one() -> None:
    async with desk() as bench:
        await bench.add_seed_library()
        await bench.ready()
        for text in QUERIES:
            today = _told(await bench.settle_as(text, {}))
            for row in (row for key, row in ROWS.items() if key.startswith(UNASKED)):
                for value in others(row):
                    assert _told(await bench.settle_as(text, {row.key: value})) == today, (row.key, value)


def _told(inspection: Inspection) -> object:
    """Return the parts that a labelled case is judged by: type, first match, status and route."""
    intent, resolution, route = inspection.intent, inspection.resolution, inspection.route
    return (
        intent and (intent.type, intent.confidence),
        [(match.kind, match.answer.name, match.confidence) for match in inspection.matches[:1]],
        resolution and resolution.status,
        route and route.intent,
    )


@pytest.mark.parametrize("key", ["theme", "reduced_motion", "metrics.port", "curate.bin_days"])
def test_that_what_bears_on_answers_is_the_same_however_the_window_looks(key: str) -> None:
    value = others(ROWS[key])[0]
    other = layer(SettingsSources(command_line={key: value})).values
    assert other != Settings()
    assert bearing(other, BESIDE) == bearing(Settings(), BESIDE)


def test_that_a_preset_stands_for_all_that_it_sets() -> None:
    other = layer(SettingsSources(command_line={"preset": "as_documented", "weights.exact": 0.9})).values
    assert changed_keys(flat(Settings()), flat(other)) == ["preset", "weights.exact"]
    assert PRESETS["as_documented"]
