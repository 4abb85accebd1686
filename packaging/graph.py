"""Draw the imports between the parts of the program.

    python packaging/graph.py           draw resources/help/architecture.svg
    python packaging/graph.py --check   exit 1 if the drawing is out of date

Runs in the environment of the tests (grimp comes with import-linter). The layers are those of the import contracts in
pyproject.toml. Parts and imports are compared exactly, counts within a tenth.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PICTURE = PROJECT / "resources" / "help" / "architecture.svg"
CONTRACT = "layers"

RUNS = {"__main__": "entry point"}
"""Adjacent layers of single modules, drawn as one part: name of the highest, and of the part."""

SENTENCES = {
    "entry point": "command line, window or one command",
    "gui": "all Qt code",
    "surfaces": "command line, MCP, HTTP, prompt hook",
    "adapters": "everything external",
    "display": "texts, rows, bins and documents",
    "services": "the operations of a user",
    "detect": "keywords, merge, tiers, route",
    "evaluation": "metrics, comparisons, sweeps",
    "scoring": "similarity of two texts",
    "ports": "protocols of the adapters",
    "settings": "validated settings and their sources",
    "domain": "frozen values and errors",
    "files": "safe writing of files",
    "logs": "log lines without typed texts",
    "db": "database schema and migrations",
}

NEAR, LEAST = 0.1, 5
"""Tolerances of counts: a share, and a number of modules or imports."""

# Colours of the light theme; the window replaces them by those of its theme.
SURFACE, SUNKEN, INK, FAINT, LINE, ACCENT = "#FFFFFF", "#E8EBF0", "#1A1D23", "#565E6C", "#DCE0E6", "#4A45C8"
NAMESPACE, FONTS = "http://www.w3.org/2000/svg", "Inter, sans-serif"
LEFT, TOP, ROW, CELL, PAD = 428, 92, 32, 42, 16


@dataclass(frozen=True)
class Graph:
    """Parts from the highest layer down, with numbers of modules and of imports between parts."""

    parts: tuple[str, ...]
    floors: tuple[int, ...]
    modules: Mapping[str, int]
    imports: Mapping[str, Mapping[str, int]]


def floors() -> list[list[str]]:
    """Return the layers of app in the import contract, from the highest down."""
    contracts = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (
        contract["layers"]
        for contract in contracts
        if contract["type"] == CONTRACT and contract["containers"] == ["app"]
    )
    return [re.split(r"\s*[|:]\s*", layer) for layer in layers]


def graph() -> Graph:
    """Return the graph of the program."""
    import grimp

    rows, part_of = _parts()
    built = grimp.build_graph("app", "db", cache_dir=None, exclude_type_checking_imports=False)
    modules: Counter[str] = Counter()
    imports: dict[str, Counter[str]] = {part: Counter() for part, _ in rows}
    for module in built.modules:
        part = _part(module, part_of)
        if part is None:
            continue
        modules[part] += not _is_empty(module)
        for other in built.find_modules_directly_imported_by(module):
            target = _part(other, part_of)
            if target not in (None, part):
                imports[part][target] += 1
    names = tuple(part for part, _ in rows)
    found = {part: {other: imports[part][other] for other in names if imports[part][other]} for part in names}
    return Graph(names, tuple(floor for _, floor in rows), {part: modules[part] for part in names}, found)


def _parts() -> tuple[list[tuple[str, int]], dict[str, str]]:
    """Return the parts with their layers, and the part of each member of app."""
    rows: list[tuple[str, int]] = []
    part_of: dict[str, str] = {}
    was_lone = False
    for members in floors():
        is_lone = all((PROJECT / "app" / f"{member}.py").is_file() for member in members)
        if is_lone and was_lone:
            part_of |= dict.fromkeys(members, rows[-1][0])
        else:
            names = [RUNS.get(members[0], members[0])] if is_lone else members
            floor = rows[-1][1] + 1 if rows else 0
            rows += [(name, floor) for name in names]
            part_of |= dict.fromkeys(members, names[0]) if is_lone else {member: member for member in members}
        was_lone = is_lone
    return [*rows, ("db", rows[-1][1] + 1)], part_of


def _part(module: str, part_of: Mapping[str, str]) -> str | None:
    root, _, rest = module.partition(".")
    return "db" if root == "db" else part_of.get(rest.partition(".")[0])


def _is_empty(module: str) -> bool:
    """Check that a module is a package without code."""
    path = PROJECT.joinpath(*module.split("."), "__init__.py")
    return path.is_file() and len(ast.parse(path.read_text(encoding="utf-8")).body) <= 1


# ---- drawing


def svg(found: Graph) -> str:
    """Return the SVG: a row and a column per part; the lower left is empty if all imports go down."""
    wide, high = LEFT + len(found.parts) * CELL + PAD, TOP + len(found.parts) * ROW + 44
    most = max(count for row in found.imports.values() for count in row.values())
    lines = [
        f'<svg xmlns="{NAMESPACE}" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" font-family="{FONTS}">',
        f"<desc>{escape(json.dumps(asdict(found)), quote=False)}</desc>",
        f'<rect width="{wide}" height="{high}" fill="{SURFACE}"/>',
        _text(PAD, 30, "What imports what", 15, weight=700),
        _text(PAD, 50, "Rows import columns; the numbers count imports.", 12, FAINT),
        _text(LEFT - 14, TOP - 12, "modules", 11, FAINT, "end"),
    ]
    for place, part in enumerate(found.parts):
        lines += _row(found, place, part, most)
    foot = "All imports go downwards, so the lower left is empty."
    lines += [_text(PAD, high - 16, foot, 12, FAINT), "</svg>", ""]
    return "\n".join(lines)


def _row(found: Graph, place: int, part: str, most: int) -> list[str]:
    y = TOP + place * ROW
    middle = y + ROW / 2 + 4
    begins = place == 0 or found.floors[place] != found.floors[place - 1]
    lines = [
        *([f'<line x1="{PAD}" y1="{y}" x2="{LEFT + len(found.parts) * CELL}" y2="{y}" stroke="{LINE}"/>'] * begins),
        _text(PAD, middle, part, 13, weight=700),
        _text(PAD + 108, middle, SENTENCES.get(part, ""), 11, FAINT),
        _text(LEFT - 14, middle, str(found.modules[part]), 12, INK, "end"),
        _column_head(place, part),
    ]
    for column, other in enumerate(found.parts):
        x = LEFT + column * CELL
        box = f'x="{x + 2}" y="{y + 3}" width="{CELL - 4}" height="{ROW - 6}" rx="4"'
        if column == place:
            lines.append(f'<rect {box} fill="{SUNKEN}"/>')
        elif count := found.imports[part].get(other):
            strength = 0.12 + 0.38 * (count / most) ** 0.5
            lines.append(f'<rect {box} fill="{ACCENT}" fill-opacity="{strength:.2f}"/>')
            lines.append(_text(x + CELL / 2, middle, str(count), 12, INK, "middle"))
    return lines


def _column_head(place: int, part: str) -> str:
    x, y = LEFT + place * CELL + CELL / 2, TOP - 10
    word = part.removeprefix("front ")
    return f'<g transform="rotate(-38 {x} {y})">{_text(x - 4, y, word, 11, FAINT)}</g>'


def _text(x: float, y: float, words: str, size: int, fill: str = INK, anchor: str = "start", weight: int = 400) -> str:
    where = f'x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{fill}"'
    return f"<text {where}>{escape(words)}</text>"


# ---- comparing


def drawn(text: str) -> Graph:
    """Read the graph of a drawing; raise ValueError if this script did not draw it."""
    told = re.search(r"<desc>(.*?)</desc>", text, re.DOTALL)
    if told is None:
        raise ValueError("The drawing does not say what it shows.")
    fields = json.loads(told[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    return Graph(tuple(fields["parts"]), tuple(fields["floors"]), fields["modules"], fields["imports"])


def differences(now: Graph, before: Graph) -> list[str]:
    """Return the differences of two graphs as sentences."""
    if now.parts != before.parts or now.floors != before.floors:
        return [f"The parts are {', '.join(now.parts)}; the drawing shows {', '.join(before.parts)}."]
    told = [
        f"{part} has {now.modules[part]} modules, in the drawing {before.modules[part]}."
        for part in now.parts
        if not _is_near(now.modules[part], before.modules[part])
    ]
    for part in now.parts:
        for other in now.parts:
            count, was = now.imports[part].get(other, 0), before.imports[part].get(other, 0)
            if bool(count) != bool(was) or not _is_near(count, was):
                told.append(f"{part} imports {other} {count} times, in the drawing {was}.")
    return told


def _is_near(count: int, was: int) -> bool:
    return abs(count - was) <= max(LEAST, NEAR * was)


def main(words: list[str]) -> int:
    """Write the drawing, or compare it."""
    sys.path.insert(0, str(PROJECT))
    if words == ["--check"]:
        told = differences(graph(), drawn(PICTURE.read_text(encoding="utf-8")))
        print(*told, sep="\n")
        return int(bool(told))
    PICTURE.write_text(svg(graph()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
