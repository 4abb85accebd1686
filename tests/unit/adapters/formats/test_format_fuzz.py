"""Fuzz tests of readers: damaged files give items, problems or an error, and always end.

INTENTSCOPE_FUZZ is the number of files per format (default 150), INTENTSCOPE_FUZZ_SEED selects them.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from app.adapters.formats.records import ItemKind
from app.adapters.formats.table import FORMATS, format_of
from app.domain.errors import FormatError
from app.domain.library import Line, Problem
from tests.sample_files import SAMPLES

TOLD = "INTENTSCOPE_FUZZ" in os.environ
TRIED = int(os.environ.get("INTENTSCOPE_FUZZ", "150"))
SEED = int(os.environ.get("INTENTSCOPE_FUZZ_SEED", "7"))

SPICES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b"'", b"{", b"}", b"[", b"]", b",", b":",
    b";", b"\t", b"\\", b"\\u0000", b"\\ud800", b"*a", b"&a ", b"<<: *a", b"!!python/object:os.system ", b"!x ",
    b"---\n", b"...\n", b"- ", b"? ", b"| ", b"> ", b"#", b"//", b"/*", b"*/", b"NaN", b"Infinity", b"-1e999",
    b"9" * 5000, b"null", b"true", b"~", b"Q:", b"A:", b"=1+1", b"\xe2\x80\xa8", b"\xc2\x85", b"[[memories]]\n",
    b"a.b.c.d = 1\n", b"1979-05-27", b"0x", b"\xed\xa0\x80", b"{" * 70, b"[" * 700, b" " * 300, b'"""', b"'''",
    b"%YAML 9.9\n", b"@", b"`", b"nlu:", b"routes:",
)  # fmt: skip


def mutated(content: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """Return the file after one to eight random changes."""
    for _ in range(chance.randint(1, 8)):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + chance.choice((1, 2, 5, 20, 200)))
        piece = content[start:end]
        content = chance.choice(
            (
                content[:start] + content[end:],
                content[:start] + chance.choice(SPICES) + content[start:],
                content[:start] + chance.choice(SPICES) + content[end:],
                content[:start] + chance.randbytes(end - start) + content[end:],
                content[:end] + piece * chance.choice((1, 2, 30)) + content[end:],
                content[:start] + chance.choice(others)[: chance.randrange(400)] + content[start:],
                content[:start],
                content.replace(b"\n", chance.choice((b"\r", b"\r\n", b"", b"\n "))),
                content.replace(b" ", b"", chance.randrange(9)),
            )
        )
    return content[:200_000]


@pytest.mark.parametrize("name", SAMPLES)
def test_that_no_mutation_does_harm(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sample = SAMPLES[name]
    chance = random.Random(f"{SEED} {name}")
    others = [other.text.encode() for other in SAMPLES.values()]
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    file = tmp_path / sample.name
    for number in range(TRIED):
        file.write_bytes(mutated(sample.text.encode(), others, chance))
        begun = time.monotonic()
        kind = chance.choice((sample.kind, sample.kind, *ItemKind))
        try:
            row = format_of(file, chance.choice((name, "auto")))
            kind = row.detect_kind(file) if number % 2 else kind
            found = list(row.read(file, kind))
        except FormatError as refused:
            outcomes["refused" if str(refused).endswith(".") else f"no sentence: {refused}"] += 1
        else:
            assert all(isinstance(one, (Line, Problem)) for one in found)
            assert all(one.sentence.endswith((".", "?")) for one in found if isinstance(one, Problem))
            outcomes["problems" if any(isinstance(one, Problem) for one in found) else "read"] += 1
        slowest = max(slowest, time.monotonic() - begun)
    assert slowest < 10
    assert "refused" in outcomes
    assert set(outcomes) <= {"refused", "problems", "read"}
    with capsys.disabled():
        if TOLD:
            print(f"\n{FORMATS[name].title}: {TRIED:,} files, {dict(outcomes)}, slowest {slowest * 1000:.0f} ms")
