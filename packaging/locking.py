"""Write and audit the lock files, which list every package file that may be installed.

    requirements.lock                           packages of the program
    packaging/locks/build.txt                   the build backend, hatchling
    packaging/locks/dev.txt, postgres.txt, ...  additional packages of each extra
    packaging/locks/bundle.txt, tools.txt       the same for the dependency groups in pyproject.toml

Each has exact versions with the hashes of all wheels of that release, so one lock serves every Python and system. They
are complete, so pip installs them without resolving dependencies (`HASHED`). Standard library only, like develop.py,
which calls this; uv and pip-audit are installed from tools.txt.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
PROJECT_FILE = PROJECT / "pyproject.toml"
LOCK = PROJECT / "requirements.lock"
LOCKS = PROJECT / "packaging" / "locks"
TOOLS = PROJECT / "build" / "tools-venv"

CORE, BUILD, ENCODERS = "intentscope", "build", "sentence-transformers"
HASHED = ("--no-deps", "--require-hashes", "--only-binary", ":all:")
"""Options of pip for a lock: only the listed files, each checked against its hash."""

CPU_ONLY = "https://download.pytorch.org/whl/cpu"
"""Index with torch builds without CUDA, which takes several GB."""
GRAPHICS_CARDS = re.compile(r"nvidia-|cuda-|triton")
"""Packages that torch for the CPU does not need."""
NO_TORCH = "torch for the CPU could not be looked up, so its hashes in {lock} would not be those of torch {version}."
TORCH = """\
# torch for the CPU: on Linux from a separate index, elsewhere from the usual one. If that index does not answer and the
# version is unchanged, `lock` keeps the hashes for Linux.
"""

HEADS = {
    CORE: "What Intentscope itself needs",
    BUILD: "What installs Intentscope into an environment",
    "bundle": "What builds a bundle, and is no part of it",
    "tools": "What makes and audits the locks",
}
HEAD = """\
# {what}: versions as tested, and the hashes of their wheels for Python 3.11 and later on Linux, macOS and Windows.
# Installed by packaging/develop.py, or by: pip install --no-deps --require-hashes --only-binary :all: --requirement ...
# Made by `python3 packaging/develop.py lock`; change pyproject.toml and not this.

"""
SIGNS_OF_NO_SERVICE = ("ConnectionError", "ConnectTimeout", "Failed to resolve", "ReadTimeout", "ProxyError")


class LockError(Exception):
    """Raised if the locks cannot be written or audited; the message tells what to do."""


def file_of(part: str) -> Path:
    """Return the lock file of the program, an extra or a group."""
    return LOCK if part == CORE else LOCKS / f"{part}.txt"


def requirements(parts: Iterable[str]) -> list[str]:
    """Return pip's arguments for the locks of these parts."""
    return [word for part in parts for word in ("--requirement", str(file_of(part)))]


def blocks(text: str) -> list[str]:
    """Return the entries of a lock: a requirement with its hashes each."""
    return [block.strip() for block in re.split(r"\n(?=[\w-])", re.sub(r"(?m)^#.*\n?", "", text)) if block.strip()]


def name_of(block: str) -> str:
    """Return the package name of an entry."""
    return block.partition("==")[0].strip()


def torch_version(text: str) -> str:
    """Return the version of torch for the CPU in a lock; "" if there is none."""
    found = re.search(r"(?m)^torch==(\S+\+cpu)", text)
    return found[1] if found else ""


# ---------------------------------------------------------------------------------------------------------- write


def make(tools: Path, upgrade: bool) -> list[Path]:
    """Write every lock from pyproject.toml; keep locked versions unless `upgrade`. Return the files."""
    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    inputs = {
        CORE: [str(PROJECT_FILE)],
        BUILD: ["-"],
        **{extra: [str(PROJECT_FILE), "--extra", extra] for extra in project["project"]["optional-dependencies"]},
        **{group: [str(PROJECT_FILE), "--group", group] for group in project["dependency-groups"]},
    }
    built_by = "\n".join(project["build-system"]["requires"])
    old = {part: file_of(part).read_text(encoding="utf-8") if file_of(part).is_file() else "" for part in inputs}
    with tempfile.TemporaryDirectory() as folder:
        everything = Path(folder, "all.txt")
        if not upgrade:
            kept = dict.fromkeys(b for text in old.values() for b in blocks(text) if "+cpu" not in b)
            everything.write_text("\n".join(kept) + "\n", encoding="utf-8")
        words = [word for arguments in inputs.values() for word in arguments if word not in ("-", str(PROJECT_FILE))]
        compile_ = _compiler(tools)
        compile_([str(PROJECT_FILE), "-", *words, "--output-file", str(everything)], built_by)
        chosen: dict[str, list[str]] = {}
        for block in blocks(everything.read_text(encoding="utf-8")):
            if not GRAPHICS_CARDS.match(name_of(block)):
                chosen.setdefault(name_of(block), []).append(block)
        names = {
            part: {name_of(b) for b in blocks(compile_([*arguments, "--constraint", str(everything)], built_by))}
            for part, arguments in inputs.items()
        }
    chosen["torch"] = _torch_for_each_system(chosen["torch"], old[ENCODERS], compile_)
    for part, needed in names.items():
        mine = needed if part in (CORE, BUILD) else needed - names[CORE]
        text = HEAD.format(what=HEADS.get(part, f"What the extra {part} needs beyond requirements.lock"))
        text += "".join(f"{block}\n" for name in sorted(mine & chosen.keys()) for block in chosen[name])
        LOCKS.mkdir(exist_ok=True)
        file_of(part).write_text(text, encoding="utf-8")
    return [file_of(part) for part in inputs]


Compile = Callable[[Sequence[str], str], str]


def _compiler(tools: Path) -> Compile:
    """Return a function that calls uv with arguments and stdin, and returns the text of a lock."""
    options = ["--universal", "--python-version", "3.11", "--generate-hashes", "--only-binary", ":all:", "--quiet"]
    silence = ["--no-header", "--no-annotate", "--no-emit-index-url"]
    index = os.environ.get("PIP_INDEX_URL")
    environment = {**os.environ, **({"UV_DEFAULT_INDEX": index} if index else {})}

    def compile_(arguments: Sequence[str], given: str) -> str:
        command = [str(tools), "-m", "uv", "pip", "compile", *options, *silence, *arguments]
        done = subprocess.run(
            command, input=given, env=environment, cwd=PROJECT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise LockError(f"The locks could not be written and are unchanged; uv's message:\n{done.stderr.strip()}")
        return done.stdout

    return compile_


def _torch_for_each_system(usual: Sequence[str], old: str, compile_: Compile) -> list[str]:
    """Return torch's entries: builds without CUDA for Linux, the usual ones elsewhere."""
    version = re.sub(r"^torch==([\w.]+).*", r"\1", usual[0], flags=re.DOTALL)
    elsewhere = re.sub(r"^(torch==[\w.]+)[^\\]*", r"\1 ; sys_platform != 'linux' ", usual[0])
    on_linux = [block for block in blocks(old) if block.startswith(f"torch=={version}+cpu ")]
    try:
        told = compile_(["-", "--no-deps", "--index", CPU_ONLY], f"torch=={version}+cpu")
        on_linux = [re.sub(r"^(torch==\S+)", r"\1 ; sys_platform == 'linux'", block) for block in blocks(told)]
    except LockError:
        if not on_linux:
            raise LockError(NO_TORCH.format(lock=file_of(ENCODERS), version=version)) from None
    return [f"{TORCH}{on_linux[0]}", elsewhere]


# -------------------------------------------------------------------------------------------------------------- audit


def without_conditions(texts: Iterable[str]) -> list[str]:
    """Return lists that together have every locked version, each package once per list, without markers."""
    lists: list[dict[str, str]] = []
    for block in dict.fromkeys(block for text in texts for block in blocks(text)):
        pin, _, hashes = block.partition("\\")
        name, _, version = pin.partition(";")[0].replace("+cpu", "").strip().partition("==")
        if any(f"{name}=={version} " in kept.get(name, "") for kept in lists):
            continue
        place = next((kept for kept in lists if name not in kept), None)
        if place is None:
            lists.append(place := {})
        place[name] = f"{name}=={version} \\{hashes}"
    return ["\n".join(kept.values()) + "\n" for kept in lists]


def audit(tools: Path) -> int:
    """Ask the OSV service for vulnerabilities of all locked versions; return 1 if there are any.

    Raises LockError if the service does not answer.
    """
    texts = [path.read_text(encoding="utf-8") for path in (LOCK, *sorted(LOCKS.glob("*.txt")))]
    found = 0
    for number, text in enumerate(without_conditions(texts)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"locked-{number}.txt")
            path.write_text(text, encoding="utf-8")
            options = ["--strict", "--require-hashes", "--disable-pip", "--progress-spinner", "off"]
            service = ["--vulnerability-service", "osv", "--requirement", str(path)]
            command = [str(tools), "-m", "pip_audit", *options, *service]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode and any(sign in done.stderr for sign in SIGNS_OF_NO_SERVICE):
            raise LockError(
                "The locked versions were not audited: the OSV service does not answer. "
                "Connect, then run the same command again."
            )
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            raise LockError(f"The audit failed; pip-audit's message:\n{done.stderr.strip()[-2000:]}")
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        found |= done.returncode
    return found
