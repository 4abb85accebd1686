"""Tests of the house rules: layers, imports, names, and forbidden content of files."""

import ast
import gc
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SOURCES = ("app", "db")
SUFFIXES = ("Manager", "Helper", "Helpers", "Util", "Utils", "Base", "Impl", "Handler", "Data", "Info")
"""Words that say nothing about the purpose of a class."""
BROAD_EXCEPTS = 4
"""Number of allowed broad excepts.

They are in the deadline, the worker, the application, and a guarded server's thread.
"""
PLAIN_MODULES = {
    "__future__", "abc", "bisect", "collections", "dataclasses", "enum", "functools", "itertools", "math", "re",
    "shlex", "string", "types", "typing", "typing_extensions", "unicodedata", "urllib", "app",
}  # fmt: skip
"""Modules that domain types and ports may import at run time."""
ONE_DOORWAY = ("re2", "onnxruntime", "platformdirs", "keyring", "yaml")
NAMELESS = {
    "app/gui/bridge/jobs.py",  # forwards the payload of any event
    "app/gui/bridge/engine_thread.py",  # settings, and the state
}
"""Modules whose signals name their payload in comments.

The class would load the engine and delay the window.
"""
PAINTERS = {"app/gui/review/history_page.py", "app/gui/shell/palette.py", "app/gui/system/help_text.py"}
"""Delegates and a button with special cells; nothing else outside kit and scope paints."""
SKIPPED_FOLDERS = {".git", ".venv", "build", "dist", "__pycache__"}


@cache
def modules(*folders: str) -> tuple[Path, ...]:
    return tuple(sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), path)


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module: most rules check every node."""
    return tuple(ast.walk(tree(path)))


@cache
def taken_in(path: Path) -> frozenset[str]:
    """Return the modules imported at run time."""
    return frozenset(imported(tree(path)))


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> Iterator[None]:
    """Keep millions of nodes for the rules of this file without collection, then free them."""
    gc.disable()
    yield
    for kept in (tree, nodes, taken_in):
        kept.cache_clear()
    gc.enable()


def told(path: Path, what: object = "") -> str:
    return f"{path.relative_to(PROJECT).as_posix()}: {what}"


def imported(node: ast.AST) -> Iterator[str]:
    """Yield the top-level names of packages imported at run time."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (name.name.partition(".")[0] for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield (child.module or "").partition(".")[0]
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(child, ast.expr):
            yield from imported(child)


def is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in kinds)


def files_of_ours() -> list[Path]:
    """Yield every file that is, or could be, in the repository; without git, every source file."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        listed = ""
    names = [Path(name) for name in listed.split("\0") if name] or [
        path.relative_to(PROJECT) for path in PROJECT.rglob("*") if not SKIPPED_FOLDERS.intersection(path.parts)
    ]
    return [PROJECT / name for name in names if (PROJECT / name).is_file()]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def never_run(module: ast.Module, *, is_collected: bool) -> Iterator[str]:
    """Yield functions of a test module that cannot be called, by line.

    These are functions named as tests where pytest does not look, and inner functions that their function never
    names. Decorated functions and methods are not reported.
    """
    yield from _lost_tests(module, is_collected=is_collected)
    for outer in _statements(module, is_deep=True):
        if not isinstance(outer, Function):
            continue
        inner = [node for node in _statements(outer) if isinstance(node, Function) and not node.decorator_list]
        for function in inner:
            own = {id(node) for node in ast.walk(function)}
            names = (node.id for node in ast.walk(outer) if isinstance(node, ast.Name) and id(node) not in own)
            if function.name not in names:
                yield f"{function.lineno} {function.name}() in {outer.name}()"


def _lost_tests(module: ast.Module, *, is_collected: bool) -> Iterator[str]:
    looked_at: list[ast.AST] = [module] if is_collected else []
    looked_at += [node for node in module.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    seen = {id(node) for place in looked_at for node in ast.iter_child_nodes(place)}
    for node in _statements(module, is_deep=True):
        if isinstance(node, Function) and node.name.startswith("test_") and id(node) not in seen:
            yield f"{node.lineno} {node.name}()"


def _statements(outer: ast.AST, *, is_deep: bool = False) -> Iterator[ast.AST]:
    """Yield the statements of a function, without those of inner functions and classes unless `is_deep`."""
    for node in ast.iter_child_nodes(outer):
        if isinstance(node, ast.expr):
            continue
        yield node
        if is_deep or not isinstance(node, Function | ast.ClassDef):
            yield from _statements(node, is_deep=is_deep)


def test_that_no_test_is_written_and_never_run() -> None:
    lost = []
    for path in modules("tests"):
        is_collected = path.stem.startswith("test_")
        lost += [told(path, line) for line in never_run(tree(path), is_collected=is_collected)]
    assert not lost


def test_that_a_function_nobody_calls_is_found() -> None:
    lines = (
        "def test_one():",
        "    async def work(): ...",
        "    def again(): again()",
        "    def used(): ...",
        "    @signal.connect",
        "    def heard(): ...",
        "    class Fake:",
        "        def method(self): ...",
        "    if used:",
        "        def test_two(): ...",
        "    run(used)",
    )
    found = list(never_run(ast.parse("\n".join(lines)), is_collected=True))
    assert found == [
        "10 test_two()",
        "2 work() in test_one()",
        "3 again() in test_one()",
        "10 test_two() in test_one()",
    ]
    assert list(never_run(ast.parse("def test_three(): ..."), is_collected=False)) == ["1 test_three()"]


def test_that_every_import_contract_is_kept() -> None:
    command = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run([sys.executable, "-c", command], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_that_every_module_opens_with_a_sentence() -> None:
    openings = {path: (ast.get_docstring(tree(path)) or "").partition("\n\n")[0] for path in modules(*SOURCES)}
    assert not [told(path) for path, text in openings.items() if not text[:1].strip()], "There is no docstring."
    ends = (".", "?", "!", ":")
    assert not [told(path, text) for path, text in openings.items() if not text.rstrip().endswith(ends)]


def test_that_no_part_has_more_lines_than_its_budget() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    budgets = project["tool"]["intentscope"]["lines"]
    packages = {f"app/{path.parent.name}" for path in (PROJECT / "app").glob("*/__init__.py")}
    assert set(budgets) == packages | {"db", "packaging", "tests"}
    lines = {part: sum(path.read_bytes().count(b"\n") for path in modules(part)) for part in budgets}
    assert {part: count for part, count in lines.items() if count > budgets[part]} == {}


def test_that_names_say_what_a_thing_is_for() -> None:
    empty = []
    for path in modules(*SOURCES, "tests", "packaging"):
        names = [node.name for node in _statements(tree(path), is_deep=True) if isinstance(node, ast.ClassDef)]
        empty += [told(path, name) for name in (*names, path.stem.title()) if name.endswith(SUFFIXES)]
    assert not empty


def test_that_broad_excepts_stand_in_four_places_at_most() -> None:
    places = [
        f"{path.relative_to(PROJECT)}:{node.lineno}"
        for path in modules(*SOURCES)
        for node in (*_statements(tree(path), is_deep=True), *called(path, "suppress"))
        if (isinstance(node, ast.ExceptHandler) and is_broad(node))
        or (isinstance(node, ast.Call) and re.fullmatch(r".*suppress\((Base)?Exception\)", ast.unparse(node)))
    ]
    assert len(places) <= BROAD_EXCEPTS, places


def test_that_nouns_and_ports_are_plain_python() -> None:
    others = {path: taken_in(path) - PLAIN_MODULES for path in modules("app/domain", "app/ports")}
    assert not [told(path, names) for path, names in others.items() if names]


def test_that_a_big_library_has_one_doorway() -> None:
    doorways = [(library, path) for path in modules(*SOURCES) for library in taken_in(path)]
    for library in ONE_DOORWAY:
        found = [told(path) for name, path in doorways if name == library]
        assert len(found) <= 1, (library, found)


def test_that_only_the_stores_read_databases() -> None:
    store = {"db", "sqlalchemy", "alembic", "sqlite3", "psycopg", "pgvector", "qdrant_client", "neo4j", "graphiti_core"}
    readers = [path for path in modules("app") if store.intersection(taken_in(path))]
    folders = [PROJECT / "app" / "adapters" / name for name in ("store", "datastores")]
    assert not [told(path) for path in readers if not any(path.is_relative_to(folder) for folder in folders)]


def called(path: Path, *names: str) -> list[ast.Call]:
    """Return the calls of functions or methods of these names."""
    calls = (node for node in nodes(path) if isinstance(node, ast.Call))
    return [call for call in calls if not {getattr(call.func, key, "") for key in ("id", "attr")}.isdisjoint(names)]


def test_that_every_signal_names_the_class_of_its_payload() -> None:
    found = [(path, call) for path in modules("app/gui") for call in called(path, "Signal")]
    assert found
    nameless = {path.relative_to(PROJECT).as_posix() for path, call in found if "object" in map(ast.unparse, call.args)}
    assert nameless == NAMELESS


def test_that_kit_and_scope_paint_and_pages_write() -> None:
    painted = {
        path.relative_to(PROJECT).as_posix()
        for path in modules("app")
        if {"kit", "scope"}.isdisjoint(path.parts)
        if any(isinstance(node, ast.Name) and node.id in ("QPainter", "RowDelegate") for node in nodes(path))
    }
    assert painted == PAINTERS


def test_that_there_is_one_style_sheet() -> None:
    sheet = PROJECT / "app" / "gui" / "kit" / "theme.py"
    assert not [
        told(path, call.lineno) for path in modules("app") for call in called(path, "setStyleSheet") if path != sheet
    ]


def test_that_the_style_sheet_knows_every_role_that_a_widget_takes() -> None:
    rules = set(
        re.findall(r'\[(\w+)="([\w]+)"\]', (PROJECT / "resources" / "theme" / "window.qss").read_text(encoding="utf-8"))
    )
    takers = [(path, call) for path in modules("app/gui") for call in called(path, "styled", "Said")]
    taken = {
        (key.arg, key.value.value): told(path, f"{call.lineno} {key.arg}={key.value.value!r}")
        for path, call in takers
        for key in call.keywords
        if key.arg and isinstance(key.value, ast.Constant)
    }
    assert taken
    offs = {("edge", "true"), ("dense", "false")}
    assert not [where for pair, where in taken.items() if pair not in rules | offs]


def test_that_no_file_names_a_place_on_one_machine() -> None:
    # Assembled here, so that this file does not contain them either. The shipped data are other people's texts.
    place = re.compile(rb"(?<![\w./~-])/(" + b"|".join((b"work", b"root", b"opt/wheels", b"opt/pypi")) + rb")(/|\b)")
    found = []
    for path in files_of_ours():
        if path.is_relative_to(PROJECT / "resources" / "datasets"):
            continue
        found += [told(path, match.group()) for match in place.finditer(path.read_bytes())]
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
