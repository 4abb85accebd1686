"""Print the licences of all packages in this environment: name, version, licence and its text."""

from __future__ import annotations

from importlib.metadata import Distribution, distributions
from pathlib import Path

BUILDERS = {
    *("pip", "setuptools", "wheel", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "packaging"),
    *("hatchling", "pathspec", "pluggy", "tomlkit", "trove-classifiers", "macholib", "pefile"),
}
"""Packages that build the bundle and are not in it."""
FONTS = {"Inter": ("4.1", "Inter-OFL.txt"), "JetBrains-Mono": ("2.242", "JetBrainsMono-OFL.txt")}
"""Fonts in resources, with version and licence file (SIL Open Font License)."""
FOLDER = Path(__file__).resolve().parent.parent / "resources" / "fonts"
ENCODER = FOLDER.parent / "encoders" / "intentscope-minilm" / "README.md"
"""Provenance of the encoder, with the licences and attributions of its training texts."""
RULE = "=" * 100


def stated(package: Distribution) -> str:
    """Return the licence that a package states: an expression, classifiers or a first line."""
    words = package.metadata
    if "License-Expression" in words:
        return words["License-Expression"]
    classes = [c.split(" :: ")[-1] for c in words.get_all("Classifier") or () if c.startswith("License ::")]
    if classes:
        return ", ".join(classes)
    told = words["License"].strip() if "License" in words else ""
    return told.splitlines()[0][:100] if told else "not stated"


def texts(package: Distribution) -> list[str]:
    """Return the texts of a package's licence files."""
    names = ("licen", "copying", "notice", "authors")
    files = [file for file in package.files or () if ".dist-info" in str(file) and file.name.lower().startswith(names)]
    return [file.read_text(encoding="utf-8").strip() for file in files if Path(str(file.locate())).is_file()]


def main() -> None:
    """Print a table, then the texts."""
    found = {package.metadata["Name"].lower(): package for package in distributions()}
    kept = [found[name] for name in sorted(found) if name not in BUILDERS]
    print("Intentscope and what it is built with\n")
    print(f"{'Python':44}{'':14}Python-2.0")
    for package in kept:
        print(f"{package.metadata['Name']:44}{package.version:14}{stated(package)}")
    for font, (version, _) in FONTS.items():
        print(f"{font:44}{version:14}OFL-1.1")
    print(
        "\nQt 6 (PySide6, shiboken6) is used under the LGPL 3; its libraries are separate files in the bundle"
        "\nand may be replaced. The sentence encoder intentscope-minilm was trained from"
        "\nall-MiniLM-L6-v2 (Apache-2.0); its training texts are listed at the end."
    )
    for package in kept:
        for text in texts(package):
            print(f"\n{RULE}\n{package.metadata['Name']} {package.version}\n{RULE}\n{text}")
    for font, (version, file) in FONTS.items():
        print(f"\n{RULE}\n{font} {version}\n{RULE}\n{(FOLDER / file).read_text(encoding='utf-8').strip()}")
    print(f"\n{RULE}\nintentscope-minilm\n{RULE}\n{ENCODER.read_text(encoding='utf-8').strip()}")


if __name__ == "__main__":
    main()
