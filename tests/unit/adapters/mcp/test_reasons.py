"""Tests of the reason found in a dead server's output, which is not its last line."""

from __future__ import annotations

import pytest

from app.adapters.mcp.wire_log import reason_in

NODE_END = "    at file:///app/index.js:10:11\n\nNode.js v22.11.0\n"
NPM_END = "npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01-debug-0.log\n"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (
            f"    throw new Error('no');\n          ^\n\nError: API_KEY is required\n{NODE_END}",
            "Error: API_KEY is required",
        ),
        ("\x1b[31mError: API_KEY is required\x1b[0m\n\x1b[2mat x (y.js:1)\x1b[0m\n", "Error: API_KEY is required"),
        (
            f"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'\n{NODE_END}",
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'",
        ),
        (
            f"TypeError: fetch failed\n    at node:internal/x:1\n  [cause]: Error: connect ECONNREFUSED\n{NODE_END}",
            "TypeError: fetch failed [cause]: Error: connect ECONNREFUSED",
        ),
        (
            f'ZodError: [\n  {{\n    "message": "Required"\n  }}\n]\n{NODE_END}',
            'ZodError: [ { "message": "Required" } ]',
        ),
        (
            f"npm error code E404\nnpm error 404 Not Found - GET https://r/x\n{NPM_END}",
            "404 Not Found - GET https://r/x",
        ),
        (f"npm ERR! could not determine executable to run\n{NPM_END}", "could not determine executable to run"),
        (
            (
                "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'API_KEY'\n\n"
                "During handling of the above exception, another exception occurred:\n\n"
                'Traceback (most recent call last):\n  File "x.py", line 3, in <module>\nRuntimeError: set API_KEY\n'
            ),
            "RuntimeError: set API_KEY",
        ),
        (
            "x.ValidationError: 1 error for Settings\nkey\n  Field required\n    For further information visit\n",
            "x.ValidationError: 1 error for Settings key Field required",
        ),
        (
            "  | ExceptionGroup: unhandled (1 sub-exception)\n    | ValueError: key missing\n    +-------------\n",
            "ValueError: key missing",
        ),
        (
            "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because nosuch was not found\n",
            "No solution found when resolving tool dependencies: Because nosuch was not found",
        ),
        (
            "error: Failed to spawn: `x`\n  Caused by: No such file\n",
            "error: Failed to spawn: `x` Caused by: No such file",
        ),
        (
            "docker: Cannot connect to the Docker daemon.\n\nRun 'docker run --help' for more information\n",
            "docker: Cannot connect to the Docker daemon.",
        ),
        ("usage: s [-h]\ns.py: error: --key is required\n", "s.py: error: --key is required"),
        ("panic: no key\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n", "panic: no key"),
        ("[INFO] start\n[ERROR] Missing token\n[INFO] Shutting down\n", "[ERROR] Missing token"),
        ("sh: 1: foo: not found\n", "sh: 1: foo: not found"),
        ("loading\nout of luck\n", "out of luck"),
        ("Node.js v22.11.0\n", "Node.js v22.11.0"),
        ("\n \n", ""),
    ],
)
def test_that_the_line_that_says_why_is_found(output: str, reason: str) -> None:
    assert reason_in(output) == reason


def test_that_a_reason_is_short_and_in_one_line() -> None:
    reason = reason_in("Error: " + "x" * 5_000 + "\n" + "more\x1b[31m\n" * 100)
    assert len(reason) <= 400
    assert reason.isprintable()
