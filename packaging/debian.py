"""Build a Debian package of the bundle, and test it in a minimal Debian."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from bundling import (
    BUILD,
    BUNDLE,
    DIST,
    LICENCES,
    PACKAGING,
    PYTHON,
    BundleError,
    bundle,
    call,
    is_current,
    say,
    size_of,
    version,
)
from system_packages import QT_LIBRARIES

LINUX = PACKAGING / "linux"
TREE = BUILD / "deb"
ROOT = BUILD / "acceptance"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
"""Widths of the icons, in pixels."""

RENAMED = {"libglib2.0-0": "libglib2.0-0 | libglib2.0-0t64"}
"""Packages that have another name in newer Debian releases."""
NEEDS = ("libc6 (>= 2.36)", *(RENAMED.get(name, name) for name in QT_LIBRARIES.values()))
"""Dependencies: the C library and the libraries that Qt loads."""

CONTROL = """\
Package: intentscope
Version: {version}
Architecture: {architecture}
Maintainer: The Intentscope developers <developers@intentscope.invalid>
Installed-Size: {kilobytes}
Depends: {needs}
Recommends: gnome-keyring | kwalletmanager
Section: devel
Priority: optional
Description: workbench for intent detection of AI assistants
 Type a query and see, live, what a hybrid intent detector makes of it, and
 why: which cues speak for which intent, which memories and powers match and
 by which score, and how long each step took. Needs no Python and no network.
"""

DRAW = """\
import sys
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
app = QGuiApplication([])
renderer = QSvgRenderer(sys.argv[1])
for size, name in zip(sys.argv[2::2], sys.argv[3::2]):
    image = QImage(int(size), int(size), QImage.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    assert image.save(name), name
"""
"""Script that draws the icon in several sizes with the bundled Qt."""


def deb() -> Path:
    """Package the folder dist/intentscope and return the package's path."""
    if not BUNDLE.is_dir():
        raise BundleError("The bundle is missing; build it with `develop.py bundle`.")
    shutil.rmtree(TREE, ignore_errors=True)
    _place_program()
    _place_icons()
    _place_documents()
    package = DIST / f"intentscope_{version()}_{architecture()}.deb"
    _write_control()
    call(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z19", "--build", str(TREE), str(package)])
    return package


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    done = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _place_program() -> None:
    shutil.copytree(BUNDLE, TREE / "usr/lib/intentscope", symlinks=True)
    _make(TREE / "usr/bin")
    (TREE / "usr/bin/intentscope").symlink_to("../lib/intentscope/intentscope")
    for source, target in (
        ("intentscope.desktop", "applications/intentscope.desktop"),
        ("org.intentscope.Intentscope.metainfo.xml", "metainfo/org.intentscope.Intentscope.metainfo.xml"),
        ("intentscope.xml", "mime/packages/intentscope.xml"),
    ):
        place = TREE / "usr/share" / target
        _make(place.parent)
        shutil.copyfile(LINUX / source, place)
    for path in TREE.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def _place_icons() -> None:
    icons = TREE / "usr/share/icons/hicolor"
    _make(icons / "scalable/apps")
    shutil.copyfile(LINUX / "intentscope.svg", icons / "scalable/apps/intentscope.svg")
    words = []
    for size in SIZES:
        _make(icons / f"{size}x{size}/apps")
        words += [str(size), str(icons / f"{size}x{size}/apps/intentscope.png")]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [str(PYTHON), "-c", DRAW, str(LINUX / "intentscope.svg"), *words]
    if subprocess.run(command, env=environment, check=False).returncode:
        raise BundleError("The icons could not be drawn.")


def _place_documents() -> None:
    for source, target in (
        (LINUX / "intentscope.1", "man/man1/intentscope.1.gz"),
        (PACKAGING / "CHANGELOG.md", "doc/intentscope/changelog.gz"),
    ):
        place = TREE / "usr/share" / target
        _make(place.parent)
        place.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))
    copyright_ = TREE / "usr/share/doc/intentscope/copyright"
    shutil.copyfile(BUNDLE / LICENCES, copyright_)


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def _write_control() -> None:
    _make(TREE / "DEBIAN")
    values = {"version": version(), "architecture": architecture(), "needs": ", ".join(NEEDS)}
    text = CONTROL.format(kilobytes=size_of(TREE) // 1024, **values)
    (TREE / "DEBIAN/control").write_text(text, encoding="utf-8")
    for folder in (TREE, TREE / "DEBIAN"):
        folder.chmod(0o755)


# ---------------------------------------------------------------------------------------------------------- acceptance

VISIT = """\
set -eu
export HOME=/home/visitor DISPLAY=:77
Xvfb :77 -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 & screen=$!
sleep 1
intentscope gui >/tmp/window.log 2>&1 & window=$!
for turn in $(seq 120); do
  found=$(xdotool search --onlyvisible --pid $window 2>/dev/null | tail -1) && [ -n "$found" ] && break
  sleep 0.25
done
[ -n "$found" ] || { echo "no window"; cat /tmp/window.log; exit 1; }
xdotool windowfocus "$found" windowsize "$found" 1280 800 windowmove "$found" 0 0
sleep 4
xdotool type --delay 40 "why does the build keep failing on my mac"
sleep 4
import -window root /tmp/window.png
xdotool key ctrl+q
for turn in $(seq 40); do kill -0 $window 2>/dev/null || break; sleep 0.25; done
if kill -0 $window 2>/dev/null; then echo "the window did not close"; exit 1; fi
wait $window && echo "closed with 0"
kill $screen
if grep -q Traceback /tmp/window.log; then cat /tmp/window.log; exit 1; fi
"""
"""Script that opens the window, types a query, takes a screenshot and quits."""

LOOKING = ("xvfb", "xdotool", "imagemagick")
"""Packages that type into the window and take its screenshot."""
BUILDERS = {"debootstrap": "debootstrap", "dpkg-deb": "dpkg", "objdump": "binutils"}
"""Programs that build the package and the minimal Debian, with their Debian packages."""


def plan() -> list[str]:
    """Return the steps that `acceptance` will take on this machine, a sentence each."""
    lacking = [package for program, package in BUILDERS.items() if not shutil.which(program)]
    steps = [f"installs into this system, with apt-get: {' '.join(lacking)}"] if lacking else []
    if not is_current():
        steps.append(
            f"builds {BUNDLE}, with packages from the locks, requirements.lock and packaging/locks, in {BUILD}"
        )
    if not (ROOT / "etc/debian_version").is_file():
        steps.append(f"creates a minimal Debian in {ROOT}, with debootstrap (some 300 MB)")
    steps.append(f"installs into that Debian: the package with all that it depends on, and {' '.join(LOOKING)}")
    return steps


def acceptance() -> Path:
    """Install, use and remove the package in a minimal Debian; return the window's screenshot.

    Raises BundleError at the first failure. Needs root, debootstrap and Debian's archive; the program itself runs
    without a network.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        raise BundleError("This needs root on Debian or a derived system; nothing was built or installed.")
    say("This" + "".join(f"\n- {step}" for step in plan()))
    lacking = [package for program, package in BUILDERS.items() if not shutil.which(program)]
    if lacking:
        call(["apt-get", "update"])
        call(["apt-get", "install", "--yes", "--no-install-recommends", *lacking])
    if not is_current():
        bundle()
    package = deb()
    _make_root()
    shutil.copyfile(package, ROOT / "tmp/intentscope.deb")
    inside("apt-get", "install", "--yes", "--no-install-recommends", "/tmp/intentscope.deb")
    if inside("which", "python3", may_fail=True) == 0:
        raise BundleError("The minimal Debian has a python3, so the test would not show that the package needs none.")
    # A profile of an earlier run must not be used.
    shutil.rmtree(ROOT / "home/visitor", ignore_errors=True)
    inside("userdel", "visitor", may_fail=True)
    inside("useradd", "--create-home", "visitor")
    # Installed after the package, so that they do not provide its dependencies.
    inside("apt-get", "install", "--yes", "--no-install-recommends", *LOOKING)
    (ROOT / "tmp/visit.sh").write_text(VISIT, encoding="utf-8")
    offline("su", "visitor", "-c", "intentscope --version && intentscope import --seed && intentscope doctor")
    offline("su", "visitor", "-c", "sh /tmp/visit.sh")
    picture = DIST / "acceptance.png"
    shutil.copyfile(ROOT / "tmp/window.png", picture)
    inside("apt-get", "purge", "--yes", "intentscope")
    left = [path for path in _files() if "intentscope" in path and "/home/" not in path and "/tmp/" not in path]
    if left:
        raise BundleError(f"These were left behind: {left}")
    say("Installed, used and removed.")
    return picture


def _make_root() -> None:
    if not (ROOT / "etc/debian_version").is_file():
        say("Creating a minimal Debian; this takes a minute or two.")
        call(["debootstrap", "--variant=minbase", "bookworm", str(ROOT), *_mirror()])
    for name in ("resolv.conf", "hosts", "apt/sources.list", "apt/apt.conf.d", "apt/sources.list.d"):
        source, target = Path("/etc", name), ROOT / "etc" / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
        elif source.is_file():
            shutil.copyfile(source, target)
    inside("apt-get", "update")


def _mirror() -> list[str]:
    """Return the archive that this machine uses, or an empty list if none is found."""
    for file in (Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))):
        for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
            words = line.split()
            if words[:1] == ["URIs:"]:
                return [words[1]]
            if words[:1] == ["deb"]:
                return [next(word for word in words[1:] if "://" in word)]
    return []


def _files() -> set[str]:
    return {str(path) for path in ROOT.rglob("*")}


def inside(*command: str, may_fail: bool = False) -> int:
    """Run a command in the minimal Debian and return its exit code."""
    done = subprocess.run(
        ["chroot", str(ROOT), *command],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"},
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode and not may_fail:
        raise BundleError(
            f"This failed in the minimal Debian with {done.returncode}: {textwrap.shorten(str(command), 200)}"
        )
    return done.returncode


def offline(*command: str) -> None:
    """Run a command in the minimal Debian with the loopback network only."""
    words = [
        "unshare",
        "--net",
        "sh",
        "-c",
        'ip link set lo up 2>/dev/null; exec chroot "$0" "$@"',
        str(ROOT),
        *command,
    ]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    if subprocess.run(words, env=environment, stdout=sys.stderr, check=False).returncode:
        raise BundleError(f"This failed in the minimal Debian: {textwrap.shorten(str(command), 200)}")
