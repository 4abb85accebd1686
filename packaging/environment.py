"""Create the Python environment .venv, install the locked packages and keep it up to date.

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
"""Name for TEST_MODELS among the extras; the project has no such extra."""

ENCODERS = "sentence-transformers"
"""Extra that needs torch."""
STORES = ("postgres", "stores-qdrant", "stores-neo4j", "stores-graphiti", "stores-redis")
"""Extras with clients of data stores; the tests need all of them."""
EXTRAS = (ENCODERS, *STORES)
"""Extras that `run --with` accepts."""
STAMP = VENV / "develop.stamp"
"""File with the environment's key, extras and folder, written last, when the set-up is complete."""
LOCK_FILE = VENV / "develop.lock"
"""File that is locked during a set-up; a second process waits for it."""
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
    """Update the environment to the project's files; return at once if it is current."""
    key = environment_key()
    if is_ready(key, extras):
        return
    if VENV.exists() and not VENV.is_dir():
        raise SetUpError(f"{VENV} is not a folder, but the Python environment must be installed there. Move it away.")
    with one_at_a_time() as descriptor:
        if not is_ready(key, extras):
            install(key, extras, descriptor)


def environment_key() -> str:
    """Return a digest of the Python version, the folder, and the requirements in the project's files."""
    import tomllib

    project = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))
    # Settings of linters and tests do not change what is installed.
    asked = repr([project["build-system"], project["project"], project["tool"].get("hatch")])
    lists = (LOCK, *sorted(LOCKS.glob("*.txt")), TEST_MODELS)
    parts = [python_version(), str(PROJECT), asked, *(path.read_text(encoding="utf-8") for path in lists)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp() -> tuple[str, frozenset[str], str]:
    """Return key, extras and folder of the environment; the key is empty if the set-up is incomplete."""
    try:
        key, extras, folder = STAMP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return "", frozenset(), ""
    return key, frozenset(extras.split()), folder


def is_ready(key: str, extras: frozenset[str]) -> bool:
    """Check that the environment has this key and includes these extras."""
    made_from, held, _ = read_stamp()
    return made_from == key and extras <= held and PYTHON.exists()


def install(key: str, extras: frozenset[str], descriptor: int) -> None:
    """Create the environment if needed, and install into it. `descriptor` is that of the held lock."""
    import locking

    # An older version may have had an extra that no longer exists.
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
        # The project itself has no hash; its build backend was installed by the line above.
        pip(["--no-deps", "--no-build-isolation", "--no-index", "--editable", "."], descriptor)
        if WITH_TEST_MODELS in wanted:
            pip([*locking.HASHED, "--requirement", str(TEST_MODELS)], descriptor)
    except SetUpError:
        STAMP.unlink()  # pip has undone its changes, so the environment is usable
        raise
    fresh = STAMP.with_suffix(".new")
    fresh.write_text("\n".join((key, " ".join(sorted(wanted)), str(PROJECT))) + "\n", encoding="utf-8")
    fresh.replace(STAMP)
    say("Set up.")


def torch_for_the_cpu() -> list[str]:
    """Return pip's options for an index with torch without CUDA, if Linux needs one."""
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
    """Check that the environment works, is in this folder and has this Python version."""
    if not PYTHON.exists() or (STAMP.exists() and read_stamp()[2] != str(PROJECT)):
        return False
    question = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([str(PYTHON), "-I", "-c", question], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return answer.returncode == 0 and answer.stdout.strip() == python_version()


def make_environment() -> None:
    """Replace the content of .venv by an empty environment."""
    ours = {STAMP, LOCK_FILE}
    for path in VENV.iterdir():
        if path not in ours:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make_venv(VENV)


def make_venv(folder: Path) -> None:
    """Create an environment of this Python in a folder."""
    provide_venv_module()
    say(f"Making a Python {python_version()} environment in {folder}.")
    # If this runs in an environment, sys.executable would link the new one to it.
    base = getattr(sys, "_base_executable", None) or sys.executable
    made = subprocess.run(
        [base, "-I", "-m", "venv", str(folder)], stdout=sys.stderr, stdin=subprocess.DEVNULL, check=False
    )
    if made.returncode:
        raise SetUpError(f"The Python environment in {folder} could not be created; see the reason above.")


def pip(arguments: list[str], descriptor: int, python: Path = PYTHON) -> None:
    """Run pip install with its output on stderr; pip inherits the lock."""
    options = ["--no-input", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [str(python), "-I", "-m", "pip", "install", *options, *arguments]
    # Without a network, pip's default of five retries takes a minute.
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
            "A package was refused because its file is not the one that was tested; pip names it above. "
            "Nothing was installed. Unless you changed the lock file, somebody changed the package: do not install "
            "it by hand, and tell the developers."
        )
    if process.returncode and unreachable:
        raise SetUpError(
            "The Python packages cannot be downloaded: the network is down, or the package index does not answer. "
            "Connect, then run the same command again."
        )
    if process.returncode:
        raise SetUpError("The Python packages could not be installed; see pip's message above.")


@contextlib.contextmanager
def one_at_a_time() -> Iterator[int]:
    """Hold the lock of the environment and yield its file descriptor."""
    VENV.mkdir(exist_ok=True)
    with LOCK_FILE.open("a") as file:
        has_said = False
        while not take_lock(file.fileno()):
            if not has_said:
                say("Another set-up of this folder is running; waiting for it.")
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
