"""Find system libraries that are missing, and install them or print how to.

Standard library only, like develop.py, which calls this.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Libraries that PySide6 loads on Linux, with their Debian packages."""
TEST_PROGRAMS = {
    "Xvfb": "xvfb",
    "xauth": "xauth",
    "dbus-run-session": "dbus",
    "/usr/libexec/at-spi2-registryd": "at-spi2-core",
}
"""Programs that the tests of a real window need on Linux, with their Debian packages."""
TEST_LIBRARIES = {"libgomp.so.1": "libgomp1"}
"""Libraries that the server under Graphiti loads."""


class SetUpError(Exception):
    """Raised if the set-up cannot continue; the message tells the user what to do."""


def say(sentence: str) -> None:
    """Print a message of the set-up on stderr."""
    print(sentence, file=sys.stderr, flush=True)


def python_version() -> str:
    """Return major and minor version of this Python, such as `3.11`."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def missing_libraries() -> dict[str, str]:
    """Return Qt's libraries that are missing on Linux, with their Debian packages."""
    return _unloaded(QT_LIBRARIES)


def _unloaded(libraries: dict[str, str]) -> dict[str, str]:
    if not sys.platform.startswith("linux"):
        return {}
    import ctypes

    missing = {}
    for library, package in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            missing[library] = package
    return missing


def missing_test_programs() -> dict[str, str]:
    """Return programs and libraries of the tests that are missing on Linux, with their Debian packages."""
    if not sys.platform.startswith("linux"):
        return {}
    programs = {program: package for program, package in TEST_PROGRAMS.items() if not shutil.which(program)}
    return programs | _unloaded(TEST_LIBRARIES)


def provide_system_packages(missing: dict[str, str]) -> bool:
    """Install missing packages (root on Debian) or print the command; False if any is missing.

    The set-up continues then: Qt may need fewer (on Wayland, for instance), and reports a missing one itself.
    """
    if not missing:
        return True
    say(f"This system lacks {', '.join(missing)}.")
    packages = sorted(set(missing.values()))
    if not shutil.which("apt-get"):
        say(f"Install them with your system's package manager; Debian's packages are {' '.join(packages)}.")
        return False
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
    if os.name == "nt" or os.geteuid() != 0:
        say(f"Install them with: sudo {' '.join(command)}")
        return False
    say(f"Installing {' '.join(packages)}.")
    if apt_get("update") and apt_get(*command[1:]):
        return True
    say(f"That failed; see apt-get's message above. Then run this command again, or: {' '.join(command)}")
    return False


def apt_get(*words: str) -> bool:
    """Run apt-get without questions and return whether it succeeded."""
    done = subprocess.run(
        ["apt-get", "-o", "DPkg::Lock::Timeout=120", *words],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    return done.returncode == 0


def provide_venv_module() -> None:
    """Install the modules venv and ensurepip, which Debian has in a separate package."""
    import importlib.util

    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{python_version()}-venv"
    if not provide_system_packages({"Python's ensurepip module": package}):
        raise SetUpError(f"A Python environment needs it. On Debian and Ubuntu it is in {package}.")
