"""Tests of the help pages: complete, with valid links, every setting, outcome and metric."""

import argparse
import re
from pathlib import Path

import pytest

from app.adapters.formats.records import COLUMNS, MAX_CHARACTERS, FileKind
from app.adapters.formats.syntax.text import MAX_LINE_BYTES, MAX_WHOLE_BYTES
from app.adapters.formats.syntax.trees import MAX_DEPTH, MAX_NODES
from app.adapters.formats.table import FORMATS
from app.adapters.metrics import MeasuresCollector
from app.detect.prompts import ASKED_CHARACTERS
from app.detect.surfacing import SURFACING
from app.display.routing.metrics import measures
from app.display.scope import contributions
from app.display.system.help_pages import CHAPTERS, MADE, slug, topic_of
from app.domain.confidence import KNEE, SHIPPED_MEMORIES
from app.domain.llm import LlmOutcome
from app.domain.match import SCORED_CHARACTERS, Tier
from app.evaluation.evaluation import METRICS
from app.evaluation.routing import metrics_of
from app.scoring.chances import FEW_ANSWERS, MANY_ANSWERS, STRANGERS_OF_FEW, STRANGERS_OF_MANY
from app.scoring.combiners import COMBINERS, SINGLE_SCORERS
from app.scoring.leaving_out import LEAST_ASKED, MOST_ASKED
from app.scoring.reference import exact, fuzzy, token_overlap
from app.scoring.scorers import SCORERS
from app.scoring.shares import Shares
from app.services.engine.metrics import EngineMetrics
from app.settings.layers import environment_name
from app.settings.model import Settings, described, is_cell
from app.surfaces.cli.commands import COMMANDS
from app.surfaces.cli.parser import WINDOW, parser
from tests.scripts import PROJECT, script
from tests.torture.__main__ import KINDS

HELP = PROJECT / "resources" / "help"
PAGES = sorted(HELP.glob("*.md"))
TOLD = [PROJECT / "README.md", PROJECT / "packaging" / "CHANGELOG.md", *PAGES]
NEWS = sorted((PROJECT / "packaging" / "news.d").glob("*.md"))

TEXTS = [*TOLD, *NEWS]

FENCED = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
RULE = re.compile(r"\bS[1-8]\.\d+\b")
"""Reference of a rule in code."""
ROOTED = re.compile(r"(?:app|db|tests|packaging|resources)(?:/[\w./-]*)?")
"""Path from the top of the project, as written in the design pages."""


def named(path: Path, what: object) -> str:
    return f"{path.relative_to(PROJECT).as_posix()}: {what}"


def read(page: str) -> str:
    return (HELP / f"{page}.md").read_text("utf-8")


def headed(page: str) -> dict[str, str]:
    """Return the text below each heading, without backticks."""
    _, *parts = re.split(r"^#{1,3} (.+)$", FENCED.sub("", read(page)).replace("`", ""), flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def rows(text: str) -> list[list[str]]:
    lines = (line for line in text.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def spans(text: str) -> list[str]:
    return [" ".join(code.split()) for _, code in CODE.findall(FENCED.sub("", text))]


def codes(path: Path) -> list[str]:
    """Return the texts between backticks, and the lines of code."""
    text = path.read_text("utf-8")
    return [*spans(text), *(line for code in FENCED.findall(text) for line in code.splitlines())]


# ---- the contents


def test_that_every_page_is_in_the_contents_once_under_its_title() -> None:
    titles = {key: title for topics in CHAPTERS.values() for key, title in topics.items()}
    assert sorted(titles) == sorted([*(page.stem for page in PAGES), *MADE])
    for page in PAGES:
        text = page.read_text("utf-8")
        (title,) = re.findall(r"^# (.+)$", FENCED.sub("", text), re.MULTILINE)
        assert text.startswith(f"# {title}\n")
        assert titles[page.stem].casefold() in title.casefold()


# ---- links and pictures


def anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#{1,3} (.+)$", FENCED.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {slug(re.sub(r"[`*]", "", title)) for title in titles}


def leads_somewhere(text: Path, link: str) -> bool:
    """Return whether a link has a target; network addresses are not requested."""
    file, _, anchor = link.partition("#")
    if link.startswith("https://") or (text.parent == HELP and file.removesuffix(".md") in MADE):
        return True
    target = text.parent / file if file else text
    return target.is_file() and (not anchor or anchor in anchors(target))


def test_that_every_link_leads_somewhere() -> None:
    told = {text: CODE.sub("", FENCED.sub("", text.read_text("utf-8"))) for text in TEXTS}
    links = [(text, link) for text in TEXTS for link in re.findall(r"\]\(([^)\s]+)\)", told[text])]
    assert len(links) > 100
    assert not [named(text, link) for text, link in links if not leads_somewhere(text, link)]


def test_that_every_picture_is_there_and_told_in_words() -> None:
    told = {text: re.findall(r"!\[([^\]]*)\]\(([^)\s]+)\)", text.read_text("utf-8")) for text in TEXTS}
    pictures = [(text, file, words) for text in TEXTS for words, file in told[text]]
    assert not [named(text, file) for text, file, _ in pictures if not (text.parent / file).is_file()]
    assert not [named(text, file) for text, file, words in pictures if len(words) <= 10]


# ---- completeness


@pytest.mark.parametrize("metric", METRICS)
def test_that_every_metric_of_an_evaluation_has_its_heading_and_a_sentence(metric: str) -> None:
    assert len(headed("metrics")[metric]) > 20


@pytest.mark.parametrize("metric", re.findall(r"^- `(search_intent_\w+)", read("llm-details"), re.MULTILINE), ids=str)
def test_that_every_metric_of_a_session_has_its_heading(metric: str) -> None:
    assert headed("metrics")[metric]


def test_that_every_target_of_routing_and_every_tier_is_explained() -> None:
    told = headed("metrics")
    assert [one.name for one in measures(metrics_of([]), is_judged=True) if one.name not in told["Routing"]] == []
    assert [tier.value for tier in Tier if tier.value not in told["Tiers"]] == []


def test_that_the_help_on_commands_says_what_the_program_does() -> None:
    told = script("commands")
    assert told.written(read("commands")) == read("commands"), "Run: python packaging/commands.py"
    assert {WINDOW, *COMMANDS} <= set(headed("commands"))


@pytest.mark.parametrize("scorer", SCORERS)
def test_that_every_scorer_has_its_heading(scorer: str) -> None:
    assert headed("scorers")[scorer]


def test_that_every_page_of_the_window_has_its_help() -> None:
    keys = re.findall(r'PageRow\("(\w+)"', (PROJECT / "app" / "gui" / "shell" / "page_stack.py").read_text("utf-8"))
    assert len(keys) > 10
    assert [key for key in keys if not (HELP / f"{topic_of(key)}.md").is_file()] == []


def test_that_every_promise_names_a_proof_that_is_there() -> None:
    precision_target = dict(part.split("\n", 1) for part in read("promises").split("\n## ")[2:])
    test = r"python3 packaging/develop\.py (?:test -- ([^`]+)|check|audit)"
    command = re.compile(rf"`(?:{test}|python -m tests\.torture (\w+)[^`]*)`")
    proofs = {title: command.findall(text) for title, text in precision_target.items()}
    assert len(proofs) > 5
    assert [title for title, commands in proofs.items() if not commands] == []
    files = [word for commands in proofs.values() for words, _ in commands for word in words.split()]
    assert [file for file in files if not (PROJECT / file).exists()] == []
    attempted = {kind for commands in proofs.values() for _, kind in commands if kind}
    assert attempted == {*KINDS, "soak"}


def test_that_every_numbered_rule_that_the_code_cites_stands_in_the_help() -> None:
    told = {cell for cell, *_ in rows(read("architecture"))}
    sources = [path for folder in ("app", "db", "tests") for path in sorted((PROJECT / folder).rglob("*.py"))]
    cited = [(path, rule) for path in sources for rule in RULE.findall(path.read_text("utf-8"))]
    assert len({rule for _, rule in cited}) > 50
    assert not [named(path, rule) for path, rule in cited if rule not in told]


# ---- correctness


def test_that_every_path_that_the_design_names_is_there() -> None:
    design = [PROJECT / "README.md", HELP / "architecture.md"]
    paths = [(page, code) for page in design for code in codes(page) if ROOTED.fullmatch(code)]
    cells = (cell for page in design for row in rows(page.read_text("utf-8")) for cell in row)
    in_tables = {code for cell in cells for code in spans(cell) if "/" in code}
    assert len(paths) > 50
    assert not [named(page, path) for page, path in paths if not (PROJECT / path).exists()]
    assert not [path for path in in_tables if not (PROJECT / path).exists()]


def test_that_no_setting_is_named_that_is_gone() -> None:
    known = set(described())
    roots = {key.partition(".")[0] for key in known if "." in key}
    files = (".md", ".toml", ".txt", ".json", ".jsonl", ".csv", ".svg", ".py")
    keys = [(text, code) for text in TEXTS for code in codes(text) if re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", code)]
    ours = [(text, key) for text, key in keys if key.partition(".")[0] in roots and not key.endswith(files)]
    assert ours
    assert not [named(text, key) for text, key in ours if key not in known and not is_cell(key)]


def test_that_no_option_or_command_is_named_that_is_gone() -> None:
    (choices,) = (a.choices for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    options = {option for one in (parser(), *choices.values()) for a in one._actions for option in a.option_strings}
    others = re.compile(r"pip|claude|pytest|packaging/|tests\.|ollama ")
    ours = [(text, code) for text in TEXTS for code in codes(text) if not others.search(code)]
    known = options | {"--locked", "--stdio"}
    told = [(text, option) for text, code in ours for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", code)]
    assert not [named(text, option) for text, option in told if option not in known]
    said = [(t, word) for t, code in ours for word in re.findall(r"^intentscope ([a-z][a-z-]*)\b(?![./])", code)]
    assert not [named(text, word) for text, word in said if word not in {WINDOW, *COMMANDS}]


def test_that_the_worked_numbers_are_those_that_come_out() -> None:
    query, trigger = "why is the build slow", "The build is slow today"
    assert all(f"`{text}`" in read("scorers") for text in (query, trigger))
    scores: dict[str, float | None] = {
        "exact": exact(query, trigger),
        "fuzzy": fuzzy(query, trigger),
        "token_overlap": token_overlap(query, trigger),
        "semantic": 0.82,
        "centroid": 0.74,
    }
    told = headed("scorers")
    for name, score in scores.items():
        assert score is not None
        assert re.findall(r"\d(?:\.\d+)?(?=\.?$)", told[name])[-1] in (f"{score:.3f}", f"{score:g}")
    table = read("scorers").partition("\n| name |")[2].partition("\n\n")[0]
    numbers = {row[0].strip("`"): row[2] for row in rows(table) if row[0].startswith("`")}
    assert set(numbers) == set(COMBINERS) - set(SINGLE_SCORERS)
    for name, number in numbers.items():
        explained = COMBINERS[name].explain(scores, Settings())
        if COMBINERS[name].is_calibrated:
            explained = explained.as_chance(SHIPPED_MEMORIES.among(100))
        if COMBINERS[name].is_shared:
            other = COMBINERS[name].explain({**scores, "semantic": 0.4, "centroid": 0.5}, Settings()).confidence
            explained = Shares.of(Settings().learned.memories, (explained.confidence, other), None).as_share(explained)
        assert explained.steps[-1].result == pytest.approx(float(number), abs=0.0005)


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
        assert told[3] == ("everything" if len(row.kinds) == len(FileKind) else kinds)
        assert told[4] == ("yes" if row.write else "no")
    fields = sections("fields.md")["Fields"]
    assert [one for columns in COLUMNS.values() for one in columns if f"`{one}`" not in fields] == []
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
