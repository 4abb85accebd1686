"""What is found out about this program and the packages it is built with, when a person asks; slow, off the window."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import qVersion

from app.display.system.help_pages import Facts, Package, about_markdown, licence_markdown, licences_markdown

if TYPE_CHECKING:
    from app.gui.kit.page import CoreState

OURS = "intentscope"
LICENCE, REPORT = "licence:", "do:report"
"""Links that lead to the licence of a package, and to a report."""

BUNDLED = Path(sys.executable).parent / "LICENCES.txt"
"""In a bundle, all licences lie in one file beside the program."""

FONTS = {
    "Inter": (Package("Inter", "4.1", "OFL-1.1"), "Inter-OFL.txt"),
    "JetBrains-Mono": (Package("JetBrains-Mono", "2.242", "OFL-1.1"), "JetBrainsMono-OFL.txt"),
}
"""The fonts that lie in resources, each with the file of its licence."""

_ROOT = Path(__file__).resolve().parents[4]
_NAME = re.compile(r"[\w.-]+")
_TEXTS = ("licen", "copying", "notice", "authors")
_RULE = "=" * 100


def about_page(core_state: CoreState | None, profile: Path | None) -> str:
    """The page About, in Markdown."""
    facts = Facts(
        version(OURS),
        platform.python_version(),
        qVersion(),
        "" if profile is None else str(profile),
        "" if core_state is None else core_state.status.encoder,
        None if core_state is None else core_state.status.counts,
    )
    return about_markdown(facts, REPORT)


def licences_page(bundled: Path = BUNDLED) -> str:
    """The table of licences, in Markdown: from the bundle's file, else from what is installed here."""
    found = listed(bundled.read_text("utf-8")) if bundled.is_file() else installed()
    return licences_markdown(found, LICENCE)


def licence_page(name: str, bundled: Path = BUNDLED) -> str:
    """The licence texts of one package, in Markdown."""
    if name.casefold() == OURS:
        return licence_markdown(name, [(_ROOT / "LICENSE").read_text("utf-8").strip()])
    if name in FONTS:
        return licence_markdown(name, [(_ROOT / "resources" / "fonts" / FONTS[name][1]).read_text("utf-8").strip()])
    if bundled.is_file():
        return licence_markdown(name, texts_in(bundled.read_text("utf-8"), name))
    try:
        return licence_markdown(name, texts_of(distribution(name)))
    except PackageNotFoundError:
        return licence_markdown(name, [])


# ---- in a bundle


def listed(text: str) -> list[Package]:
    """The table at the top of a bundle's file: name, version, licence, in columns of 44 and 14 signs."""
    table = text.split("\n\n")[1] if text.count("\n\n") else ""
    return [Package(row[:44].strip(), row[44:58].strip(), row[58:].strip()) for row in table.splitlines()]


def texts_in(text: str, name: str) -> list[str]:
    """The texts of one package in a bundle's file, each below its name between two rules."""
    parts = text.split(f"\n{_RULE}\n")[1:]
    heads, bodies = parts[::2], parts[1::2]
    return [body.strip() for head, body in zip(heads, bodies, strict=False) if head.split(" ")[0] == name]


# ---- in an environment


def installed() -> list[Package]:
    """Everything that the program needs, and what that needs, as far as it is installed here."""
    found: dict[str, Distribution] = {}
    waiting = [OURS]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue  # for another system, or an extra that is not wanted here
        waiting += [_needed(line) for line in found[name].requires or () if "extra ==" not in line]
    packages = {name: Package(one.name, one.version, stated(one)) for name, one in found.items()}
    packages |= {name.lower(): font for name, (font, _) in FONTS.items()}
    return [one for _, one in sorted(packages.items())]


def _needed(line: str) -> str:
    name = _NAME.match(line)
    return re.sub(r"[-_.]+", "-", name.group()).lower() if name else ""


def stated(package: Distribution) -> str:
    """What a package says of its licence: an expression, a classifier, or its first line."""
    metadata = package.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classes = [c.split(" :: ")[-1] for c in metadata.get_all("Classifier") or () if c.startswith("License ::")]
    if classes:
        return ", ".join(classes)
    lines = metadata["License"].strip().splitlines() if "License" in metadata else []
    return lines[0][:100] if lines else "not stated"


def texts_of(package: Distribution) -> list[str]:
    """The texts of the licence files that a package brings."""
    files = [one for one in package.files or () if ".dist-info" in str(one) and one.name.lower().startswith(_TEXTS)]
    return [one.read_text(encoding="utf-8").strip() for one in files if Path(str(one.locate())).is_file()]
