"""What the system below the Python environment has to have: looked for, installed where we may, else named.

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
"""What PySide6's own libraries load from a Linux system, and the Debian package of each."""
TEST_PROGRAMS = {
    "Xvfb": "xvfb",
    "xauth": "xauth",
    "dbus-run-session": "dbus",
    "/usr/libexec/at-spi2-registryd": "at-spi2-core",
}
"""What tests of a real window need on Linux, and the Debian package of each."""
TEST_LIBRARIES = {"libgomp.so.1": "libgomp1"}
"""What the server under Graphiti loads."""


class SetUpError(Exception):
    """The set-up cannot go on; the message is a sentence for the user, with what to do."""


def say(sentence: str) -> None:
    """A sentence about the set-up, out of the way of what the program prints."""
    print(sentence, file=sys.stderr, flush=True)


def python_version() -> str:
    """The part of the version that an environment is bound to: `3.11`."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def missing_libraries() -> dict[str, str]:
    """What Qt needs and this Linux lacks, with the Debian package of each; elsewhere nothing."""
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
    """What the tests' virtual screen and servers need and this Linux lacks, with the Debian package of each."""
    if not sys.platform.startswith("linux"):
        return {}
    programs = {program: package for program, package in TEST_PROGRAMS.items() if not shutil.which(program)}
    return programs | _unloaded(TEST_LIBRARIES)


def provide_system_packages(missing: dict[str, str]) -> bool:
    """Install what is missing where we may, else say how; False if something is still missing afterwards.

    That is no reason to stop: Qt may need less here (on Wayland, say), and it speaks up itself if not.
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
    say(f"That failed; apt-get says above why. Once it is mended, give the command again, or: {' '.join(command)}")
    return False


def apt_get(*words: str) -> bool:
    """Run apt-get without questions; whether it went well."""
    done = subprocess.run(
        ["apt-get", "-o", "DPkg::Lock::Timeout=120", *words],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    return done.returncode == 0


def provide_venv_module() -> None:
    """Debian keeps in a package of its own what makes environments."""
    import importlib.util

    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        return
    package = f"python{python_version()}-venv"
    if not provide_system_packages({"Python's ensurepip module": package}):
        raise SetUpError(f"Without it no Python environment can be made. On Debian and Ubuntu it is in {package}.")
