"""The house rules that a machine can check: floors, doorways, names, and what must stand in no file."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SOURCES = ("app", "db")
SUFFIXES = ("Manager", "Helper", "Helpers", "Util", "Utils", "Base", "Impl", "Handler", "Data", "Info")
"""Words that say nothing about what a class is for."""
BROAD_EXCEPTS = 3
"""The deadline, the worker, the application."""
PLAIN_MODULES = {
    "__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "itertools", "math", "re",
    "string", "types", "typing", "typing_extensions", "unicodedata", "app",
}  # fmt: skip
"""All that the nouns and the ports may import when they run."""
ONE_DOORWAY = ("re2", "onnxruntime", "platformdirs", "keyring", "yaml")
SKIPPED_FOLDERS = {".git", ".venv", "build", "dist", "__pycache__"}


@cache
def modules(*folders: str) -> tuple[Path, ...]:
    return tuple(sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), path)


def named(paths: tuple[Path, ...]) -> list[object]:
    return [pytest.param(path, id=path.relative_to(PROJECT).as_posix()) for path in paths]


def imported(node: ast.AST) -> Iterator[str]:
    """The top-level names of the packages that are imported when the code runs."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (name.name.partition(".")[0] for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield (child.module or "").partition(".")[0]
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        else:
            yield from imported(child)


def is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in kinds)


def files_of_ours() -> list[Path]:
    """Every file that is, or could be, in the repository; without git, every file that no tool made."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        listed = ""
    names = [Path(name) for name in listed.split("\0") if name] or [
        path.relative_to(PROJECT) for path in PROJECT.rglob("*") if not SKIPPED_FOLDERS.intersection(path.parts)
    ]
    return [PROJECT / name for name in names if (PROJECT / name).is_file()]


def test_that_every_import_contract_is_kept() -> None:
    command = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run([sys.executable, "-c", command], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", named(modules(*SOURCES)))
def test_that_a_module_opens_with_a_sentence(path: Path) -> None:
    opening = (ast.get_docstring(tree(path)) or "").partition("\n\n")[0]
    assert opening[:1].strip(), "There is no docstring."
    assert opening.rstrip().endswith((".", "?", "!", ":")), opening


@pytest.mark.parametrize("path", named(modules(*SOURCES, "tests", "packaging")))
def test_that_names_say_what_a_thing_is_for(path: Path) -> None:
    classes = [node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)]
    assert not [name for name in classes if name.endswith(SUFFIXES)]
    assert not path.stem.title().endswith(SUFFIXES)


def test_that_broad_excepts_stand_in_three_places_at_most() -> None:
    places = [
        f"{path.relative_to(PROJECT)}:{node.lineno}"
        for path in modules(*SOURCES)
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.ExceptHandler) and is_broad(node))
        or (isinstance(node, ast.Call) and re.fullmatch(r".*suppress\((Base)?Exception\)", ast.unparse(node)))
    ]
    assert len(places) <= BROAD_EXCEPTS, places


@pytest.mark.parametrize("path", named((*modules("app/domain"), *sorted((PROJECT / "app").glob("*ports.py")))))
def test_that_nouns_and_ports_are_plain_python(path: Path) -> None:
    assert set(imported(tree(path))) <= PLAIN_MODULES


@pytest.mark.parametrize("library", ONE_DOORWAY)
def test_that_a_big_library_has_one_doorway(library: str) -> None:
    doorways = [path for path in modules(*SOURCES) if library in imported(tree(path))]
    assert len(doorways) <= 1, doorways


def test_that_only_adapters_named_sql_read_the_store() -> None:
    store = {"db", "sqlalchemy", "alembic", "sqlite3", "psycopg", "pgvector"}
    readers = [path for path in modules("app") if store.intersection(imported(tree(path)))]
    assert not [path for path in readers if path.parent.name != "adapters" or not path.stem.startswith("sql_")]


def test_that_no_file_names_a_place_on_one_machine() -> None:
    # Put together here, so that this file does not name them either. The shipped data are other people's words.
    place = re.compile(r"(?<![\w./~-])/(" + "|".join(("work", "root", "opt/wheels", "opt/pypi")) + r")(/|\b)")
    found = []
    for path in files_of_ours():
        if path.is_relative_to(PROJECT / "resources" / "datasets"):
            continue
        text = path.read_bytes().decode(errors="replace")
        found += [f"{path.relative_to(PROJECT)}: {match.group()}" for match in place.finditer(text)]
    assert not found


def test_that_no_list_of_packages_names_an_index() -> None:
    packaging = PROJECT / "packaging"
    lists = [PROJECT / "requirements.lock", *packaging.glob("*.txt"), *packaging.glob("locks/*.txt")]
    assert len(lists) > 5
    named = re.compile(r"://|^\s*--(?!hash)", re.MULTILINE)
    assert not [path.name for path in lists if named.search(path.read_text(encoding="utf-8"))]


def test_that_a_news_fragment_says_what_kind_of_news_it_is() -> None:
    fragments = {path.name for path in (PROJECT / "packaging" / "news.d").iterdir()} - {"README.md"}
    assert not [name for name in fragments if not re.fullmatch(r"[a-z0-9-]+\.(added|changed|fixed|removed)\.md", name)]


def test_that_the_folder_packaging_does_not_hide_the_library_of_that_name() -> None:
    assert not (PROJECT / "packaging" / "__init__.py").exists()
