"""The Python environment beside the sources: made, filled from the locks and kept up to date, by one process at a time.

Standard library only, like develop.py, which calls this.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from system_packages import SetUpError, provide_venv_module, python_version, say

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PROJECT_FILE = PROJECT / "pyproject.toml"
LOCK = PROJECT / "requirements.lock"
LOCKS = PROJECT / "packaging" / "locks"
TEST_MODELS = PROJECT / "packaging" / "test-models.txt"

WITH_TEST_MODELS = "test-models"
"""Stands among the extras for TEST_MODELS; the project itself has no extra of that name."""

ENCODERS = "sentence-transformers"
"""The extra that needs torch."""
STORES = ("postgres", "stores-qdrant", "stores-neo4j", "stores-graphiti", "stores-redis")
"""The extras that servers are asked with, which the tests do."""
EXTRAS = (ENCODERS, *STORES)
"""Those of the project's extras that its users may want."""
STAMP = VENV / "develop.stamp"
"""What the environment was made from, and the extras in it; written last, so an interrupted set-up has none."""
LOCK_FILE = VENV / "develop.lock"
"""Locked while one process sets up; a second one waits."""
UNFINISHED = "unfinished"

SIGNS_OF_NO_NETWORK = (
    "ConnectTimeoutError",
    "Failed to establish a new connection",
    "NameResolutionError",
    "Network is unreachable",
    "NewConnectionError",
    "ProxyError",
    "ReadTimeoutError",
    "Temporary failure in name resolution",
    "getaddrinfo failed",
)
SIGN_OF_ANOTHER_FILE = "DO NOT MATCH THE HASHES"


def set_up(extras: frozenset[str]) -> None:
    """Bring the environment up to date with the project's files; at once when it is."""
    key = environment_key()
    if is_ready(key, extras):
        return
    if VENV.exists() and not VENV.is_dir():
        raise SetUpError(f"{VENV} is in the way: the environment goes into a folder of that name.")
    with one_at_a_time() as descriptor:
        if not is_ready(key, extras):
            install(key, extras, descriptor)


def environment_key() -> str:
    """A digest of all that decides what is installed: this Python, the folder, and what the project files ask for."""
    import tomllib

    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    # Settings of linters and tests change often, and change nothing that is installed.
    asked = repr([project["build-system"], project["project"], project["tool"].get("hatch")])
    lists = (LOCK, *sorted(LOCKS.glob("*.txt")), TEST_MODELS)
    parts = [python_version(), str(PROJECT), asked, *(path.read_text(encoding="utf-8") for path in lists)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp() -> tuple[str, frozenset[str], str]:
    """Key, extras and folder of the environment that is there; an empty key if its making was never finished."""
    try:
        key, extras, folder = STAMP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "", frozenset(), ""
    return key, frozenset(extras.split()), folder


def is_ready(key: str, extras: frozenset[str]) -> bool:
    """Whether the environment was made from the same things, and holds these extras."""
    made_from, held, _ = read_stamp()
    return made_from == key and extras <= held and PYTHON.exists()


def install(key: str, extras: frozenset[str], descriptor: int) -> None:
    """Make the environment if need be, and install into it. `descriptor` is that of the held lock."""
    import locking

    # What another version had for an extra may be none of this one's.
    before = {extra for extra in read_stamp()[1] if extra == WITH_TEST_MODELS or locking.file_of(extra).exists()}
    wanted = before | extras
    usable = is_usable()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    if not usable:
        make_environment()
    say("Installing the Python packages that Intentscope needs; the first time this takes a minute or more.")
    parts = [locking.CORE, locking.BUILD, *sorted(wanted - {WITH_TEST_MODELS})]
    try:
        where = torch_for_the_cpu() if ENCODERS in wanted else []
        pip([*locking.HASHED, *locking.requirements(parts), *where], descriptor)
        # The project itself is these sources, which have no hash; what builds it was installed just now.
        pip(["--no-deps", "--no-build-isolation", "--no-index", "--editable", "."], descriptor)
        if WITH_TEST_MODELS in wanted:
            pip([*locking.HASHED, "--requirement", str(TEST_MODELS)], descriptor)
    except SetUpError:
        STAMP.unlink()  # pip has put back what it changed, so the environment itself is whole
        raise
    fresh = STAMP.with_suffix(".new")
    fresh.write_text("\n".join((key, " ".join(sorted(wanted)), str(PROJECT))) + "\n", encoding="utf-8")
    fresh.replace(STAMP)
    say("Set up.")


def torch_for_the_cpu() -> list[str]:
    """On Linux, where the usual index has only torch with CUDA: pip's option for the index that has it without."""
    if not sys.platform.startswith("linux"):
        return []
    import locking

    version = locking.torch_version(locking.file_of(ENCODERS).read_text(encoding="utf-8"))
    options = ["--quiet", "--disable-pip-version-check", "--dry-run", "--no-deps", "--ignore-installed"]
    command = [str(PYTHON), "-I", "-m", "pip", "install", *options, f"torch=={version}"]
    environment = {"PIP_RETRIES": "2", **os.environ, "PIP_USER": "0"}
    asked = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, check=False)
    return ["--extra-index-url", locking.CPU_ONLY] if asked.returncode else []


def is_usable() -> bool:
    """Whether the environment that is there can be installed into, rather than made anew."""
    if not PYTHON.exists() or (STAMP.exists() and read_stamp()[2] != str(PROJECT)):
        return False
    question = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([str(PYTHON), "-I", "-c", question], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() == python_version()


def make_environment() -> None:
    """An empty environment in .venv, whatever was there before."""
    ours = {STAMP, LOCK_FILE}
    for path in VENV.iterdir():
        if path not in ours:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make_venv(VENV)


def make_venv(folder: Path) -> None:
    """An environment of this Python in a folder."""
    provide_venv_module()
    say(f"Making a Python {python_version()} environment in {folder}.")
    # Started from inside an environment, sys.executable would tie the new one to that.
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [base, "-I", "-m", "venv", str(folder)], stdout=sys.stderr, stdin=subprocess.DEVNULL, check=False
    )
    if made.returncode:
        raise SetUpError(f"The Python environment in {folder} could not be made; the reason stands above.")


def pip(arguments: list[str], descriptor: int, python: Path = PYTHON) -> None:
    """pip install, its words to stderr. The child keeps the lock, should this process be killed before it."""
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [str(python), "-I", "-m", "pip", "install", *options, *arguments]
    # Two retries: without a network, pip's five keep a person waiting for a minute.
    environment = {"PIP_RETRIES": "2", **os.environ, "PIP_USER": "0"}
    keep = () if os.name == "nt" else (descriptor,)
    unreachable = differs = False
    with subprocess.Popen(
        command,
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=keep,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            unreachable |= any(sign in line for sign in SIGNS_OF_NO_NETWORK)
            differs |= SIGN_OF_ANOTHER_FILE in line
            if not line.startswith(("Looking in ", "Requirement already satisfied")):
                sys.stderr.write(line)
    if process.returncode and differs:
        raise SetUpError(
            "A package was refused: its file is not the one that was tested, and pip says above which. "
            "Nothing was installed. Unless you changed the lock yourself, somebody changed the package: do not install "
            "it by hand, and tell the developers."
        )
    if process.returncode and unreachable:
        raise SetUpError(
            "The Python packages cannot be fetched: there is no network, or the package index does not answer. "
            "Connect, then give the same command again."
        )
    if process.returncode:
        raise SetUpError("The Python packages could not be installed; pip says above why.")


@contextlib.contextmanager
def one_at_a_time() -> Iterator[int]:
    """Hold the lock of the environment; its file descriptor."""
    VENV.mkdir(exist_ok=True)
    with LOCK_FILE.open("a") as file:
        has_said = False
        while not take_lock(file.fileno()):
            if not has_said:
                say("Another set-up of the same folder is under way; waiting for it.")
                has_said = True
            time.sleep(0.2)
        yield file.fileno()


def take_lock(descriptor: int) -> bool:
    """Lock the file for this process until it is closed; False if another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
