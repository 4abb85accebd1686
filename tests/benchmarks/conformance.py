"""Conformance of the server. Run: `python -m tests.benchmarks.conformance --suite FOLDER`.

FOLDER is where `npm install @modelcontextprotocol/conformance node@22` was called. The real server is started on a
profile with the sample library, and the official suite is run against it. Most of its scenarios call tools, prompts and
resources that only its own sample server has: those are named and left out. Exit code 1 if another one fails.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.bootstrap import make_assistant_workbench, make_clock
from app.settings.model import Choices
from app.surfaces.http import server
from app.surfaces.http.guard import Guard

TOKEN = "a token for one run"

OF_THE_SAMPLE_SERVER = re.compile(
    "tools-call-.*|elicitation-.*|prompts-get-.*|resources-read-.*|resources-templates-read|json-schema-.*"
    "|server-sse-polling"
)
"""Scenarios that call functions of the suite's own sample server.

The last one also calls its `test_reconnection` as a client of 2025-03-26, which must not get empty events: unit
tests of resumption cover that as a client of 2025-11-25.
"""

NOT_OFFERED = {"logging-set-level", "completion-complete", "resources-subscribe", "resources-unsubscribe"}
"""Scenarios of capabilities that the server does not declare."""

LISTED = re.compile(r"^ *- ([\w-]+) \[", re.MULTILINE)
RESULT = re.compile(r"^Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings", re.MULTILINE)


class OpenGuard(Guard):
    """Guard that adds the token, which the suite cannot send; all else is checked as always."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]}
        await super().__call__(scope, receive, send)


@asynccontextmanager
async def served(profile: Path) -> AsyncIterator[str]:
    """Run the server on a new profile with the sample library; yields its URL."""
    vars(server)["Guard"] = OpenGuard
    assistants = make_assistant_workbench(Choices(profile))
    async with assistants, server.serving(assistants, server.listen("127.0.0.1", 0), TOKEN, make_clock()) as url:
        await (await assistants.opened()).add_seed_library()
        yield url


async def told(*words: str | Path) -> str:
    """Return the output of a command."""
    asking = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, stderr=sys.stderr)
    return (await asking.communicate())[0].decode()


async def run(suite: Path, node: Path) -> int:
    """Run each scenario separately and print its result; return the exit code.

    The suite leaves its streams open, so one process is needed for each.
    """
    program = suite / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    every = LISTED.findall(await told(node, program, "list", "--server"))
    left_out = [name for name in every if OF_THE_SAMPLE_SERVER.fullmatch(name) or name in NOT_OFFERED]
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        async with served(Path(folder) / "profile") as url:
            for name in every:
                if name in left_out:
                    continue
                said = await told(node, program, "server", "--url", url, "--scenario", name)
                found = RESULT.search(said)
                print(f"{name}: {found[0] if found else 'no result'}")
                if found is not None and not int(found[3]):
                    passed += 1
                else:
                    print(said, file=sys.stderr)
    print(f"left out, of the suite's own server or not offered: {', '.join(left_out)}")
    print(f"{passed} of {len(every) - len(left_out)} scenarios that apply passed")
    return 0 if every and passed == len(every) - len(left_out) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--node", type=Path)
    options = parser.parse_args()
    node = options.node or options.suite / "node_modules" / ".bin" / "node"
    return asyncio.run(run(options.suite.resolve(), node.resolve()))


if __name__ == "__main__":
    sys.exit(main())
