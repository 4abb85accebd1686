"""Tests of the scripts for set-up, drawings, tables, weights and the list of changes, and exact locks."""

import contextlib
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import astuple, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.adapters.formats.table import FORMATS, WRITTEN
from app.scoring.learned import logit
from app.scoring.learned.defaults import described, for_few_powers
from tests.scripts import PROJECT, script
from tests.unit.scoring.learned.test_model import questions
from tests.waiting import PATIENCE

HEAD = "# Changes\n\nWhat is new in each release, latest first.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "README.md": "How to write news.",
        "looks.added.md": "The window has\ndark colours.\n",
        "tables.added.md": f"Tables sort. {'They also wrap words. ' * 8}",
        "typing.fixed.md": "Typing never waits.\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


# ---- the desktop

TYPES = {
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".json": "application/json",
    ".toml": "application/toml",
    ".csv": "text/csv",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".tsv": "text/tab-separated-values",
}
"""MIME types of files by their endings."""


def test_that_a_file_manager_offers_the_window_for_every_format_that_it_writes() -> None:
    linux = PROJECT / "packaging" / "linux"
    lines = (linux / "intentscope.desktop").read_text("utf-8").splitlines()
    offered = next(line for line in lines if line.startswith("MimeType=")).removeprefix("MimeType=").split(";")
    endings = {ending for name in WRITTEN for ending in FORMATS[name].endings}
    assert {TYPES[ending] for ending in endings} <= set(offered)
    told = (linux / "intentscope.xml").read_text("utf-8")
    assert '<mime-type type="application/x-ndjson">' in told, "few desktops know it by themselves"


# ---- news


def test_that_every_fragment_of_news_is_one_to_three_sentences_for_users() -> None:
    news = script("news")
    assert {path.name: faults for path in news.fragments() if (faults := news.faults(path))} == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Looks.added.md", "It is dark."),
        ("looks.new.md", "It is dark."),
        ("looks.added.md", "It is dark"),
        ("looks.added.md", "One. Two. Three. Four."),
        ("looks.added.md", "# Looks\nIt is dark."),
        ("looks.added.md", "- It is dark."),
        ("looks.added.md", "It is dark.\n\nIt is light."),
        ("looks.added.md", "Now `gui/theme.py` is dark."),
        ("looks.added.md", "Now app/gui is dark."),
    ],
)
def test_that_what_is_no_news_for_users_is_told(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert len(script("news").faults(path)) >= 1


def test_that_a_draft_lists_the_kinds_in_order_and_changes_nothing(folder: Path) -> None:
    news = script("news")
    draft = news.gathered(news.fragments(folder), "Unreleased", None)
    assert draft.splitlines()[:5] == ["## Unreleased", "", "### Added", "", "- The window has dark colours."]
    assert draft.index("### Added") < draft.index("Tables sort.") < draft.index("### Fixed")
    assert "### Changed" not in draft
    assert max(map(len, draft.splitlines())) <= 120
    assert len(list(folder.iterdir())) == 4


def test_that_a_release_moves_the_fragments_above_the_older_ones(folder: Path) -> None:
    news = script("news")
    changes = folder / "changes"
    changes.write_text(f"{HEAD}\n## 0.1.0 (2026-01-02)\n\n### Fixed\n\n- Something.\n", "utf-8")
    news.release("0.2.0", date(2026, 3, 4), folder, changes)
    written = changes.read_text("utf-8")
    assert written.startswith(f"{HEAD}\n## 0.2.0 (2026-03-04)\n\n### Added\n\n- The window has dark colours.\n")
    assert written.endswith("- Typing never waits.\n\n## 0.1.0 (2026-01-02)\n\n### Fixed\n\n- Something.\n")
    assert [path.name for path in folder.glob("*.md")] == ["README.md"]


def test_that_the_first_release_needs_no_older_one() -> None:
    assert script("news").joined(HEAD, "## 0.1.0\n\n- All of it.\n") == f"{HEAD}\n## 0.1.0\n\n- All of it.\n"


# ---- the drawing of the imports


def test_that_the_drawing_of_the_imports_is_up_to_date() -> None:
    graph = script("graph")
    drawn = graph.drawn(graph.PICTURE.read_text("utf-8"))
    assert graph.differences(graph.graph(), drawn) == [], "Run: python packaging/graph.py"


def test_that_a_drawing_tells_what_it_shows() -> None:
    graph = script("graph")
    shown = graph.Graph(("gui", "domain"), (0, 1), {"gui": 3, "domain": 2}, {"gui": {"domain": 4}, "domain": {}})
    assert graph.drawn(graph.svg(shown)) == shown
    assert graph.svg(shown).count(">4</text>") == 1


def test_that_a_drawing_bears_a_few_more_modules_but_no_other_imports() -> None:
    graph = script("graph")

    def shown(modules: int, imports: dict[str, int]) -> object:
        return graph.Graph(("gui", "domain"), (0, 1), {"gui": modules, "domain": 2}, {"gui": imports, "domain": {}})

    before = shown(100, {"domain": 50})
    assert graph.differences(shown(109, {"domain": 46}), before) == []
    assert len(graph.differences(shown(120, {"domain": 50}), before)) == 1
    assert len(graph.differences(shown(100, {}), before)) == 1
    assert len(graph.differences(graph.Graph(("gui",), (0,), {"gui": 100}, {"gui": {}}), before)) == 1


def test_that_every_part_of_the_drawing_says_what_stands_there() -> None:
    graph = script("graph")
    assert set(graph.drawn(graph.PICTURE.read_text("utf-8")).parts) == set(graph.SENTENCES)
    assert PROJECT == graph.PROJECT


def test_that_imports_only_ever_point_downwards() -> None:
    shown = script("graph").graph()
    place = {part: n for n, part in enumerate(shown.parts)}
    assert [(part, other) for part in shown.parts for other in shown.imports[part] if place[other] <= place[part]] == []


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    return script("weights")


def test_that_none_takes_part_among_the_first_answers(weights: ModuleType) -> None:
    asked, usual = questions(60), described(100, has_paragraphs=False)
    nothing, something = (np.array(astuple(replace(usual, none=none))) for none in (1e9, -1e9))
    serves = asked.right < asked.candidates.shape[1]
    assert weights.right(asked, nothing) == pytest.approx(asked.weights[~serves].sum() / asked.weights.sum())
    first = (asked.candidates @ usual.candidate).argmax(axis=1)
    assert weights.right(asked, something) == pytest.approx(
        asked.weights[serves & (first == asked.right)].sum() / asked.weights.sum()
    )


def test_that_factors_for_few_powers_lower_the_loss_of_their_libraries(weights: ModuleType) -> None:
    asked, many = questions(60), described(100, has_paragraphs=False)
    library = weights.Library("ours", (1.0,), asked, many)
    factors = weights.fitted_factors([{"ours": [library], "tools": [library]}])
    unchanged, changed = (np.array(astuple(one)) for one in (many, for_few_powers(many, 1.0, factors)))
    assert logit.loss(asked, changed, changed, 0.0) < logit.loss(asked, unchanged, unchanged, 0.0) - 0.01
    assert for_few_powers(many, 0.0, factors) == many


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "packaging").mkdir()
    for name in ("develop.py", "environment.py", "system_packages.py"):
        shutil.copy(PROJECT / "packaging" / name, tmp_path / "packaging")
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(PROJECT / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("words", [["run", "--help"], ["run", "--", "inspect", "-h"], ["test", "--help"]])
def test_that_help_installs_nothing(checkout: Path, words: list[str]) -> None:
    command = [sys.executable, "-E", "-s", "-B", str(checkout / "packaging" / "develop.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("Set up Intentscope in its source folder")
    assert "nothing was installed for this help" in done.stdout
    assert sorted(path.name for path in checkout.iterdir()) == ["packaging", "pyproject.toml", "requirements.lock"]


def test_that_an_extra_that_is_gone_hinders_no_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    environment, installed = script("environment"), []
    monkeypatch.setattr(environment, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(environment, "is_usable", lambda: True)
    monkeypatch.setattr(environment, "pip", lambda words, _: installed.extend(words))
    environment.STAMP.write_text("old\ndev of-another-version\nhere\n", "utf-8")
    environment.install("new", frozenset({"postgres"}), 0)
    assert environment.read_stamp()[:2] == ("new", {"dev", "postgres"})
    assert str(script("locking").file_of("postgres")) in installed


# ---- the locks

HASHED = re.compile(r"[\w.-]+==\S+(?: ; [^\\\n]+?)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\\n|$))+")


def locks() -> list[Path]:
    lists = [PROJECT / "packaging" / "test-models.txt"]
    return [script("locking").LOCK, *sorted(script("locking").LOCKS.glob("*.txt")), *lists]


@pytest.mark.parametrize("path", locks(), ids=lambda path: str(path.name))
def test_that_every_locked_package_has_an_exact_version_and_a_hash(path: Path) -> None:
    found = script("locking").blocks(path.read_text("utf-8"))
    assert found
    assert [block for block in found if not HASHED.fullmatch(block)] == []


def locked(part: str) -> list[Requirement]:
    found = script("locking").blocks(script("locking").file_of(part).read_text("utf-8"))
    entries = [Requirement(block.partition("\\")[0]) for block in found]
    return [entry for entry in entries if entry.marker is None or entry.marker.evaluate()]


def test_that_the_locks_meet_what_the_project_asks_for() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    asked = {"build": project["build-system"]["requires"], "intentscope": project["project"]["dependencies"]}
    asked |= project["project"]["optional-dependencies"] | project["dependency-groups"]
    for part, words in asked.items():
        versions = {
            canonicalize_name(one.name): str(one.specifier)[2:] for one in [*locked("intentscope"), *locked(part)]
        }
        wanted = [Requirement(word) for word in words]
        here = [one for one in wanted if one.marker is None or one.marker.evaluate()]
        assert [str(one) for one in here if not one.specifier.contains(versions[canonicalize_name(one.name)])] == []


@pytest.mark.parametrize("part", ["intentscope", "build", "dev", "sentence-transformers"])
def test_that_a_lock_is_complete_so_that_nothing_need_be_looked_for(part: str) -> None:
    kept = {canonicalize_name(one.name) for one in [*locked("intentscope"), *locked(part)]}
    lacking = set()
    for name in kept:
        with contextlib.suppress(PackageNotFoundError):  # packages of another system, or for building
            needed = [Requirement(word) for word in requires(name) or ()]
            named = [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
            lacking |= {(name, canonicalize_name(one)) for one in named} - {(name, one) for one in kept}
    assert lacking == set()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the usual torch is the one for the CPU")
def test_that_torch_for_the_cpu_is_locked_for_every_python_on_linux() -> None:
    text = script("locking").file_of("sentence-transformers").read_text("utf-8")
    (usual,) = (block for block in script("locking").blocks(text) if "+cpu ; sys_platform == 'linux'" in block)
    assert usual.count("sha256:") >= 8, "3.11 to 3.14, on x86_64 and aarch64"
    assert script("locking").torch_version(text).endswith("+cpu")


def test_that_a_package_that_was_changed_is_refused_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "changed-1.0-py3-none-any.whl"
    wheel.write_bytes(b"not what was tested")
    lock = tmp_path / "lock.txt"
    lock.write_text(f"changed==1.0 \\\n    --hash=sha256:{'0' * 64}\n", "utf-8")
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    environment = script("environment")
    words = [*script("locking").HASHED, "--no-index", "--find-links", str(tmp_path), "--requirement", str(lock)]
    with (
        lock.open() as turn,
        pytest.raises(environment.SetUpError, match="A package was refused because its file is not the one"),
    ):
        environment.pip([*words, "--target", str(tmp_path / "there")], turn.fileno(), Path(sys.executable))
    assert not (tmp_path / "there").exists()


def test_that_the_audit_asks_of_every_version_whatever_system_it_is_for() -> None:
    ours = "one==1 ; sys_platform == 'win32' \\\n    --hash=sha256:a\none==2 \\\n    --hash=sha256:b\n"
    extra = "# words\none==2 \\\n    --hash=sha256:b\ntorch==3+cpu ; x \\\n    --hash=sha256:c\n"
    assert script("locking").without_conditions([ours, extra]) == [
        "one==1 \\\n    --hash=sha256:a\ntorch==3 \\\n    --hash=sha256:c\n",
        "one==2 \\\n    --hash=sha256:b\n",
    ]


def test_that_an_audit_without_an_answer_is_no_clean_one(tmp_path: Path) -> None:
    locking = script("locking")
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\necho 'requests.exceptions.ConnectionError: Failed to resolve' >&2\nexit 1\n", "utf-8")
    silent.chmod(0o755)
    with pytest.raises(locking.LockError, match=r"were not audited: the OSV service does not answer\. Connect"):
        locking.audit(silent)


# ---- verification of an installation


def test_that_an_acceptance_says_what_it_will_install_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(PROJECT / "packaging"))
    debian = script("debian")
    done: list[str] = []
    for name, value in {"ROOT": tmp_path, "is_current": lambda: False, "bundle": lambda: done.append("bundle")}.items():
        monkeypatch.setattr(debian, name, value)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(debian.shutil, "which", lambda name: None if name == "debootstrap" else f"/bin/{name}")

    def call(command: list[str]) -> None:
        assert "debootstrap" in capsys.readouterr().err or done, "it is said before anything is installed"
        done.append(" ".join(command))

    def deb() -> Path:
        raise debian.BundleError("far enough")

    monkeypatch.setattr(debian, "call", call)
    monkeypatch.setattr(debian, "deb", deb)
    with pytest.raises(debian.BundleError, match="far enough"):
        debian.acceptance()
    install = "apt-get install --yes --no-install-recommends debootstrap"
    assert done == ["apt-get update", install, "bundle"]
    assert debian.plan()[-1].endswith("xvfb xdotool imagemagick")
