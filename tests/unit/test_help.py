"""Tests that the help describes the program: every setting, outcome and metric."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.formats.records import MAX_CHARACTERS, ItemKind
from app.adapters.formats.syntax.text import MAX_LINE_BYTES, MAX_WHOLE_BYTES
from app.adapters.formats.syntax.trees import MAX_DEPTH, MAX_NODES
from app.adapters.formats.table import FORMATS
from app.adapters.local.metrics import MeasuresCollector
from app.detect.prompts import ASKED_CHARACTERS
from app.detect.surfacing import SURFACING
from app.display.scope.matches import contributions
from app.domain.confidence import KNEE
from app.domain.llm import LlmOutcome
from app.domain.match import SCORED_CHARACTERS
from app.scoring.chances import FEW_ANSWERS, MANY_ANSWERS, STRANGERS_OF_FEW, STRANGERS_OF_MANY
from app.scoring.library.leaving_out import LEAST_ASKED, MOST_ASKED
from app.services.engine.metrics import EngineMetrics
from app.settings.layers import environment_name
from app.settings.model import described

HELP = Path(__file__).parents[2] / "resources" / "help"


def sections(page: str) -> dict[str, str]:
    parts = (HELP / page).read_text("utf-8").split("\n## ")
    return {title.strip(): body for title, _, body in (part.partition("\n") for part in parts[1:])}


def test_that_every_setting_has_its_heading_and_sentence() -> None:
    told = sections("settings.md")
    assert [key for key, sentence in described().items() if sentence not in told.get(key, "")] == []
    assert [key for key in described() if environment_name(key) not in told[key]] == []


def test_that_the_help_says_how_much_of_a_query_is_sent() -> None:
    told = sections("llm.md")["How it is asked"]
    assert f"{ASKED_CHARACTERS:,} characters" in told
    assert f"{SCORED_CHARACTERS:,}" in told


def test_that_the_help_names_no_setting_that_is_gone() -> None:
    assert {title for title in sections("settings.md") if " " not in title} == set(described())


@pytest.mark.parametrize("outcome", LlmOutcome)
def test_that_every_outcome_of_the_llm_is_explained(outcome: LlmOutcome) -> None:
    assert outcome.value.replace("_", " ") in sections("llm.md")["Outcomes"]


def test_that_every_metric_is_explained_by_the_name_that_prometheus_reads() -> None:
    families = list(MeasuresCollector(EngineMetrics()).collect())
    names = {family.name + ("_total" if family.type == "counter" else "") for family in families}
    assert len(names) == 19
    of_the_llm = {name for name in names if name.startswith("search_intent_")}
    for page, wanted in (
        (sections("llm-details.md")["Metrics"], of_the_llm),
        (sections("metrics.md")["This session"], names),
    ):
        assert not {name for name in wanted if name not in page}


def test_that_the_help_says_what_each_lexical_score_is_made_of_and_what_is_surfaced() -> None:
    told = sections("words.md")["The lexical scores"]
    words = [
        contributions.IDENTICAL,
        contributions.BUT_CASE,
        contributions.BUT_PUNCTUATION,
        contributions.ALONE_OR_SHARED,
    ]
    words += [contributions.SHARED_OUT, contributions.FURTHER_KEYWORD, contributions.JACCARD_WEIGHT]
    assert all(f"{number}" in told for number in (*words, contributions.COVERAGE_WEIGHT))
    assert all(f"{row.count} from {row.least}" in sections("types.md")["Injection"] for row in SURFACING)


def test_that_every_file_format_and_its_limits_are_in_the_help() -> None:
    page = (HELP / "formats.md").read_text("utf-8")
    for name, row in FORMATS.items():
        (line,) = (line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        told = [cell.strip() for cell in line.strip("|").split("|")]
        assert told[2].split() == list(row.endings)
        kinds = ", ".join(kind.value for kind in row.kinds)
        assert told[3] == ("everything" if len(row.kinds) == len(ItemKind) else kinds)
        assert told[4] == ("yes" if row.write else "no")
    limits = sections("formats.md")["Limits"]
    assert f"{MAX_LINE_BYTES // 2**20} MB" in limits
    assert f"{MAX_WHOLE_BYTES // 2**20} MB" in limits
    assert f"{MAX_NODES:,} values" in limits
    assert f"{MAX_DEPTH} levels" in limits
    assert f"{MAX_CHARACTERS:,} characters" in limits


def test_that_the_help_says_how_the_scale_of_calibrated_is_fitted() -> None:
    told = sections("scorers.md")["The combinations"]
    share = f"{STRANGERS_OF_FEW * 100:.0f} in 100 with up to {FEW_ANSWERS} answers"
    assert f"{share} and {STRANGERS_OF_MANY * 100:.0f} in 100 with {MANY_ANSWERS} or more" in " ".join(told.split())
    assert f"fewer than {LEAST_ASKED} triggers" in told
    assert f"at most {MOST_ASKED:,} triggers" in told
    assert f"from {KNEE} on" in told
