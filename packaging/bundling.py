"""Build a folder that runs without Python, and a Debian package of it.

    bundle      builds dist/intentscope with PyInstaller from the environment build/bundle-venv
    deb         builds dist/intentscope_VERSION_ARCH.deb from that folder
    acceptance  installs the package in a minimal Debian, types a query into its window, and removes it

Standard library only, like develop.py, which calls this. Everything is written to build/ and dist/.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import locking

PROJECT = Path(__file__).resolve().parent.parent
PACKAGING = PROJECT / "packaging"
BUILD = PROJECT / "build"
DIST = PROJECT / "dist"
VENV = BUILD / "bundle-venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BUNDLE = DIST / "intentscope"
PROGRAM = BUNDLE / ("intentscope.exe" if os.name == "nt" else "intentscope")
LICENCES = "LICENCES.txt"
STAMP = VENV / "made-from"


class BundleError(Exception):
    """Raised if the bundle cannot be built; the message tells what to do."""


def bundle() -> Path:
    """Build the folder, check its version and one answer, and return its path."""
    make_environment()
    for folder in (BUNDLE, BUILD / "pyinstaller"):
        shutil.rmtree(folder, ignore_errors=True)
    command = [str(PYTHON), "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"]
    places = ["--distpath", str(DIST), "--workpath", str(BUILD / "pyinstaller")]
    call([*command, *places, str(PACKAGING / "intentscope.spec")])
    (BUNDLE / LICENCES).write_text(licences(), encoding="utf-8")
    try_out()
    return BUNDLE


def is_current() -> bool:
    """Check that a bundle exists and is newer than all its sources."""
    if not (BUNDLE / LICENCES).is_file():
        return False
    made = (BUNDLE / LICENCES).stat().st_mtime
    folders = [path for name in ("app", "db", "resources", "packaging") for path in (PROJECT / name).rglob("*")]
    sources = [PROJECT / "pyproject.toml", locking.LOCK, *(path for path in folders if path.suffix != ".pyc")]
    return all(path.stat().st_mtime <= made for path in sources if path.is_file())


def make_environment() -> None:
    """Create an environment with the program's packages and PyInstaller, again if a lock changed."""
    parts = (locking.CORE, locking.BUILD, "bundle", "postgres")
    lists = [PROJECT / "pyproject.toml", *map(locking.file_of, parts)]
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in lists)).hexdigest()
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == key:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    say("Making a clean environment for the bundle; this takes a minute or more.")
    call([sys.executable, "-m", "venv", str(VENV)])
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    call([*pip, *locking.HASHED, *locking.requirements(parts)])
    call([*pip, "--no-deps", "--no-build-isolation", "--no-index", str(PROJECT)])
    # PyInstaller takes the program from its sources; the installed copy has the metadata.
    STAMP.write_text(key, encoding="utf-8")


def licences() -> str:
    """Return the licences of all packages in the environment."""
    script = PACKAGING / "licences.py"
    done = subprocess.run([str(PYTHON), str(script)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BundleError(f"The licences could not be listed:\n{done.stderr}")
    return done.stdout


def try_out() -> None:
    """Run the bundle in a fresh profile; raise BundleError if version or answer is missing."""
    profile = BUILD / "bundle-profile"
    shutil.rmtree(profile, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "INTENTSCOPE"))}
    answer, own = "", ["--profile", str(profile)]
    for words in (["--version"], [*own, "import", "--seed"], [*own, "inspect", "run a postgres query", "--json"]):
        done = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            raise BundleError(f"The bundle does not run ({' '.join(words)}):\n{done.stdout}{done.stderr}")
        answer = done.stdout
    if '"activated"' not in answer:
        raise BundleError(f"The bundle answers wrongly:\n{answer}")


def size_of(made: Path) -> int:
    """Return the size of a file or folder in bytes, without symbolic links."""
    if made.is_file():
        return made.stat().st_size
    return sum(path.stat().st_size for path in made.rglob("*") if path.is_file() and not path.is_symlink())


def version() -> str:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def call(command: Sequence[str]) -> None:
    """Run a command with its output on stderr; raise BundleError if it fails."""
    done = subprocess.run(command, stdout=sys.stderr, cwd=PROJECT, check=False)
    if done.returncode:
        raise BundleError(f"This failed with {done.returncode}: {' '.join(command)}")


def say(sentence: str) -> None:
    """Print a progress message on stderr."""
    print(sentence, file=sys.stderr, flush=True)
