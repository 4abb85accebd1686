"""Short run of the torture bench: some attempts of each kind, once, in a separate process."""

import subprocess
import sys

import pytest

from tests.scripts import PROJECT

FEW = 2
SECONDS = 300


@pytest.mark.skipif(sys.platform == "win32", reason="attackers here fork, mount and send signals")
def test_that_attempts_of_every_kind_are_withstood() -> None:
    words = ["--seed", "4", "--rounds", "1", "--few", str(FEW)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.torture", *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout[-8_000:] + done.stderr[-2_000:]
    for kind in ("kill", "disk", "models", "input", "wire", "powers", "llm", "places", "outside"):
        assert f"| {kind} |" in done.stdout


def test_that_a_broken_promise_is_told_with_the_way_to_see_it_again() -> None:
    from tests.torture.attempts import Attempt, FellError, Round, carry_out, fell, table

    def breaks(round_: Round) -> str:
        if round_.chance.random() < 0.5:
            raise FellError("half of it is gone")
        raise RecursionError("so deep")

    rows = carry_out([Attempt("disk", "what breaks", breaks), Attempt("disk", "what holds", lambda _: "held")], 7, 4)
    assert fell(rows)
    told = table(rows)
    assert "| disk | what breaks | 4 | FELL 4 |" in told
    assert "| disk | what holds | 4 | held 4 |" in told
    assert "half of it is gone" in told
    assert "RecursionError: so deep" in told
    assert 'python -m tests.torture disk --only "what breaks" --seed 7 --first 3' in told
