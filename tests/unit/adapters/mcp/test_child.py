"""Tests that the started file is the approved one, even if its name changes meanwhile."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.mcp.child import MOST_FOLDERS, begin, launch_of
from app.adapters.mcp.supervisor import MARK
from app.domain.library import Transport
from app.domain.running import Launch
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a link is run, and only compared before")


def script(path: Path, says: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "{says}" "$0" "$@"\n')
    path.chmod(0o755)
    return path


def lead(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def said(launch: Launch, *args: str) -> tuple[str, str]:
    async def work() -> tuple[str, str]:
        child = await begin(launch, args, {"PATH": os.environ["PATH"]})
        found = []
        for stream in (child.stdout, child.stderr):
            content = b""
            async for part in stream:
                content += part
            found.append(content.decode())
        await child.end()
        return found[0], found[1]

    return asyncio.run(work())


@pytest.mark.parametrize("link", ["link", "outer", "current/tool"])
def test_that_a_link_that_flips_after_the_check_changes_nothing(tmp_path: Path, link: str) -> None:
    good, evil = script(tmp_path / "good" / "tool", "good"), script(tmp_path / "evil" / "tool", "evil")
    lead(tmp_path / "link", good)
    lead(tmp_path / "outer", tmp_path / "link")
    lead(tmp_path / "current", good.parent)
    launch = launch_of(Transport(str(tmp_path / link)))
    lead(tmp_path / "link", evil)
    lead(tmp_path / "current", evil.parent)
    assert said(launch, "a b") == (f"good {good} a b\n", "")
    assert launch_of(Transport(str(tmp_path / link))) != launch, "the next start asks"


@pytest.mark.parametrize("at", [0, 20_000_000])
@pytest.mark.parametrize(
    "words",
    [
        ("{0}/serve.py",),
        ("-c", "cd '{0}';exec bash -c 'python serve.py `date`'"),
        ("-C", "{0}", "serve.py"),
        ("-lc", "X=1 {0}/serve.py&"),
    ],
)
def test_that_a_launch_differs_where_a_script_that_it_names_does(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, at: int, words: tuple[str, ...]
) -> None:
    tool, place = script(tmp_path / "bin" / "tool", "tool"), tmp_path_factory.mktemp("place")
    args = (*(word.format(place) for word in words), "other.sh", "--port", "80")
    file, transport = place / "serve.py", Transport("sh", args, {"HOME": str(tmp_path)})
    file.write_bytes(b"#" * 20_000_000 + b"\nstart()\n")
    before = launch_of(transport)
    assert [*before.scripts] == [str(file)]
    assert [*launch_of(Transport(str(tool))).scripts] == [str(tool)]
    with file.open("r+b") as stream:
        stream.seek(at)
        stream.write(b"\nother")
    changed = launch_of(transport)
    assert changed != before
    (tmp_path / "other.sh").write_text("echo here now")
    assert launch_of(transport).scripts.keys() - changed.scripts == {str(tmp_path / "other.sh")}


def test_that_a_command_of_many_folders_does_not_take_long(tmp_path: Path) -> None:
    for place in (folders := [tmp_path / str(number) for number in range(40)]):
        script(place / "serve.py", "one")
    launch = launch_of(Transport("sh", ("-c", "; cd ".join(map(str, folders)) + "; python serve.py")))
    assert len(launch.scripts) == MOST_FOLDERS - 1, "home is one of them"


def test_that_a_folder_that_became_a_link_is_refused(tmp_path: Path) -> None:
    good, evil = script(tmp_path / "good" / "tool", "good"), script(tmp_path / "evil" / "tool", "evil")
    launch = launch_of(Transport(str(good)))
    good.parent.rename(tmp_path / "moved")
    lead(tmp_path / "good", evil.parent)
    assert said(launch) == ("", f"{MARK}It leads to another program by now\n")


def test_that_a_program_is_told_its_own_name(tmp_path: Path) -> None:
    lead(tmp_path / "called-so", Path("/bin/sh"))
    launch = launch_of(Transport(str(tmp_path / "called-so")))
    assert launch.real == os.path.realpath("/bin/sh")
    assert said(launch, "-c", 'tr "\\0" "\\n" </proc/$$/cmdline | head -n1') == (f"{tmp_path}/called-so\n", "")


def test_that_a_python_of_an_environment_of_its_own_stays_in_it(tmp_path: Path) -> None:
    base = Path(os.path.realpath(sys.executable))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(base)
    (tmp_path / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    launch = launch_of(Transport(str(tmp_path / "bin" / "python")))
    code = "import sys; print(sys.prefix)"
    assert said(launch, "-c", code) == (f"{tmp_path}\n", "")
    plain = subprocess.run([launch.program, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert plain.stdout == f"{tmp_path}\n", "as from a shell"
