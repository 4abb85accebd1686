"""Make installs that need no Python: a folder that runs by itself, a Debian package of it, and the proof of both.

    bundle      build/bundle-venv holds what the program needs and PyInstaller; dist/intentscope is what comes of it
    deb         dist/intentscope_VERSION_ARCH.deb, made from that folder
    acceptance  installs the package in a bare Debian, types a query into its window, and removes it again

Standard library only, like develop.py, which calls this. Everything is made below build/ and dist/.
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
    """The bundle cannot be made; the message is a sentence with what to do."""


def bundle() -> Path:
    """Build the folder; it is asked for its version and for one answer before it counts as built."""
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
    """Whether there is a bundle, and none of what goes into it has changed since it was made."""
    if not (BUNDLE / LICENCES).is_file():
        return False
    made = (BUNDLE / LICENCES).stat().st_mtime
    folders = [path for name in ("app", "db", "resources", "packaging") for path in (PROJECT / name).rglob("*")]
    sources = [PROJECT / "pyproject.toml", locking.LOCK, *(path for path in folders if path.suffix != ".pyc")]
    return all(path.stat().st_mtime <= made for path in sources if path.is_file())


def make_environment() -> None:
    """An environment of the program's own needs and PyInstaller, made anew when one of the lists has changed."""
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
    # The program itself is taken from its sources; the installed copy only lends its metadata.
    STAMP.write_text(key, encoding="utf-8")


def licences() -> str:
    """The licences of everything in the environment, as its packages state them."""
    script = PACKAGING / "licences.py"
    done = subprocess.run([str(PYTHON), str(script)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BundleError(f"The licences could not be listed:\n{done.stderr}")
    return done.stdout


def try_out() -> None:
    """Ask the bundle for its version and, on a profile of its own, for an answer; BundleError if it gives none."""
    profile = BUILD / "bundle-profile"
    shutil.rmtree(profile, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "INTENTSCOPE"))}
    for words in (["--version"], ["--profile", str(profile), "import", "--seed"], [*_asked(profile)]):
        done = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, env=environment, check=False)
        if done.returncode:
            raise BundleError(f"The bundle does not run ({' '.join(words)}):\n{done.stdout}{done.stderr}")
    if '"activated"' not in done.stdout:
        raise BundleError(f"The bundle answers wrongly:\n{done.stdout}{done.stderr}")


def _asked(profile: Path) -> list[str]:
    return ["--profile", str(profile), "inspect", "run a postgres query", "--json"]


def size_of(made: Path) -> int:
    """Bytes of a file, or of all files in a folder, links not counted."""
    if made.is_file():
        return made.stat().st_size
    return sum(path.stat().st_size for path in made.rglob("*") if path.is_file() and not path.is_symlink())


def version() -> str:
    """The version that pyproject.toml names."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def call(command: Sequence[str]) -> None:
    """Run a command with its words on stderr; BundleError if it fails."""
    done = subprocess.run(command, stdout=sys.stderr, cwd=PROJECT, check=False)
    if done.returncode:
        raise BundleError(f"This failed with {done.returncode}: {' '.join(command)}")


def say(sentence: str) -> None:
    """A sentence about the work, out of the way of what is printed."""
    print(sentence, file=sys.stderr, flush=True)
