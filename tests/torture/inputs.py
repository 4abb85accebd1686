"""Hostile inputs: every file, pattern, setting and query is read, or refused with a message.

No input may crash or block the program: each attempt is measured in CPU seconds.
"""

import asyncio
import gzip
import io
import json
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from time import process_time

from app.adapters.formats.records import FileKind
from app.adapters.formats.table import format_of
from app.adapters.formats.toml_tables import read_pack
from app.adapters.profile import SettingsFiles
from app.adapters.store.library import SqlLibrary
from app.bootstrap import make_workbench, settings_sources
from app.detect.keywords import KeywordRules
from app.detect.patterns import rule_fault
from app.domain.errors import FormatError
from app.domain.intent import Rule
from app.domain.library import Line, Memory, Problem
from app.settings.model import Choices, SettingsError, described, layer
from tests.sample_files import SAMPLES
from tests.scripts import PROJECT
from tests.torture.attempts import NO_ENCODER, Attempt, Round, expect, words_of
from tests.unit.adapters.formats.test_format_refusals import SPICES, mutated

MOST_SECONDS = 10.0
"""Maximum CPU time for one input in seconds; the machine may be busy."""

OTHERS = [sample.text.encode() for sample in SAMPLES.values()]
SHIPPED = sorted((PROJECT / "resources" / "rules").glob("*.toml"))


def timed(work: Callable[[], str]) -> str:
    """Return the result of the work; fails if it takes too long."""
    begun = process_time()
    outcome = work()
    took = process_time() - begun
    expect(took < MOST_SECONDS, f"it took {took:.1f} s of the processor")
    return outcome


# ------------------------------------------------------------------------------------------------------------ files


def read(file: Path, name: str, kind: FileKind | None) -> str:
    try:
        row = format_of(file, name)
        found = list(row.read(file, kind or row.detect_kind(file)))
    except FormatError as refused:
        expect(str(refused).endswith("."), f"no sentence: {refused}")
        return "refused"
    expect(all(isinstance(one, (Line, Problem)) for one in found), "neither a thing nor a problem")
    bad = [one.sentence for one in found if isinstance(one, Problem) and not one.sentence.endswith((".", "?"))]
    expect(not bad, f"no sentence: {bad[:1]}")
    return "problems" if any(isinstance(one, Problem) for one in found) else "read"


def mutations(name: str, round_: Round) -> str:
    """A real file of a format after random changes."""
    sample, chance = SAMPLES[name], round_.chance
    file = round_.shared / sample.name
    file.write_bytes(mutated(sample.text.encode(), OTHERS, chance))
    kind = chance.choice((None, sample.kind, *FileKind))
    return timed(partial(read, file, chance.choice((name, "auto")), kind))


def hard(chance: Random) -> dict[str, bytes]:
    """Make files that are deep, huge, compressed, or contain invalid characters."""
    depth, many = chance.choice((500, 5_000, 100_000)), chance.choice((1_000, 50_000))
    laughs = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as stream:
        stream.write(b"0" * 5_000_000)
    return {
        "deep.json": b"[" * depth + b"]" * depth,
        "deep.jsonl": b'{"text":' * depth + b"1" + b"}" * depth,
        "deep.yaml": b"a: " + b"[" * depth,
        "deep.toml": b"a = " + b"[" * depth,
        "dotted.toml": b".".join([b"a"] * min(depth, 5_000)) + b" = 1\n",
        "keys.toml": b"".join(f"k{n} = {n}\n".encode() for n in range(many)),
        "laughs.yaml": f"{laughs}routes: *a39\n".encode(),
        "merges.yaml": b"a: &a {x: 1}\n" + b"b:\n  <<: [" + b"*a, " * many + b"*a]\n",
        "numbers.json": b"[" + b"9" * min(many, 5_000) + b"]",
        "nul.csv": b"text,intent\n" + b"\0" * many + b",x\n",
        "wide.csv": b"text" + b",a" * many + b"\nq" + b",1" * many + b"\n",
        "quote.csv": b'text,intent\n"' + b"x\n" * many,
        "surrogates.jsonl": b'{"text": "\\ud800\\udfff \\udc00", "intent": "\\ud83d"}\n' * 50,
        "wide.jsonl": b'{"text": "' + b"x" * (many * 40) + b'"}\n',
        "lines.jsonl": b"{}\n" * many,
        "bomb.jsonl": packed.getvalue(),
        "bomb.json.gz": packed.getvalue(),
        "utf16.csv": "text,intent\nhow,x\n".encode("utf-16"),
        "empty.toml": b"",
        "questions.txt": b"Q: a\n" * many,
    }


def hard_file(round_: Round) -> str:
    """One of these files, read as its own and as each kind."""
    files = hard(round_.chance)
    name = round_.chance.choice(sorted(files))
    file = round_.folder / name
    file.write_bytes(files[name])
    return timed(partial(read, file, "auto", round_.chance.choice((None, *FileKind))))


# ------------------------------------------------------------------------------------------------- rules and settings


def rule_pack(round_: Round) -> str:
    """A shipped rule pack after random changes; a valid one must compile or give a reason."""
    file = round_.shared / "pack.toml"
    file.write_bytes(mutated(round_.chance.choice(SHIPPED).read_bytes(), OTHERS, round_.chance))

    def work() -> str:
        try:
            rules = read_pack(file)
        except FormatError:
            return "refused"
        KeywordRules([rule for rule in rules if rule_fault(rule) is None]).detect("how do I build it", "evidence")
        return "read"

    return timed(work)


def pattern(chance: Random, depth: int = 3) -> str:
    """Generate a pattern: letters, classes, alternatives and modest repetitions, nested."""
    if depth == 0:
        return chance.choice(("a", "b", ".", r"\w", "[ab]", "bcc", r"\s", "ä", "(?:)"))
    inner = "".join(pattern(chance, depth - 1) for _ in range(chance.randint(1, 2)))
    low = chance.randrange(3)
    return chance.choice(
        (inner, f"(?:{inner})*", f"(?:{inner})?", f"(?:{inner}|{pattern(chance, depth - 1)})", f"(?:{inner})+",
         f"(?:{inner}){{{low},{low + chance.randrange(6)}}}")
    )  # fmt: skip


def patterns(round_: Round) -> str:
    """Five rules of random patterns on a long text."""
    chance = round_.chance
    rules = [Rule(f"r{n}", "howto", pattern(chance), "torture", n) for n in range(5)]
    good = [rule for rule in rules if rule_fault(rule) is None]
    text = "".join(chance.choice(("a ", "b", "bcc ", "ä", ". ")) for _ in range(2_000))
    timed(lambda: str(KeywordRules(good).detect(text, "evidence")))
    return "all searched" if len(good) == len(rules) else "some refused"


SETTINGS = sorted(described())
VALUES = (
    *(
        "",
        "1",
        "-1",
        "0.5",
        "1e999",
        "nan",
        "true",
        "null",
        "x" * 5_000,
        "\0",
        "\ud800",
        "[1]",
        "{}",
        "a.b",
        "../../etc",
    ),
    *("http://127.0.0.1:1", "http://[", "file:///etc/passwd", "9" * 400, "١٢", "-0", "\u202e", "recommended"),
)


def pairs(round_: Round) -> str:
    """Settings by `--set` and by the environment."""
    chance = round_.chance

    def key() -> str:
        known = chance.choice(SETTINGS)
        return chance.choice((known, known, known, f"{known}.x", known.upper(), known.split(".")[0], "", "a" * 3_000))

    said = tuple(f"{key()}={chance.choice(VALUES)}" for _ in range(chance.randint(1, 3)))
    names = {f"INTENTSCOPE_{key().upper().replace('.', '__')}": chance.choice(VALUES) for _ in range(2)}
    choices = Choices(profile=round_.folder, pairs=chance.choice((said, (), ("=",), ("x",))))

    def work() -> str:
        try:
            layer(settings_sources(choices, chance.choice((names, {}))))
        except SettingsError as refused:
            expect(str(refused).strip(), "refused without a word")
            return "refused"
        return "taken"

    return timed(work)


def settings_file(round_: Round) -> str:
    """A settings file after random changes."""
    chance = round_.chance
    lines = [f"{key} = {chance.choice(('1', '0.5', 'true', json.dumps('x')))}" for key in chance.sample(SETTINGS, 5)]
    file = round_.folder / "settings.toml"
    file.write_bytes(mutated("\n".join(lines).encode(), [*OTHERS, *SPICES], chance))

    def work() -> str:
        said = SettingsFiles(Choices(profile=round_.folder, settings=file)).read()
        return "refused" if said.fault else "taken"

    return timed(work)


# -------------------------------------------------------------------------------------------------- queries and outputs

ODD = (
    "\0",
    "\ud800",
    "\u202e",
    "\x1b[2J",
    "\U000e0041",
    "a\u0301" * 50,
    "🏳️‍🌈",
    "שלום",
    "\n\t ",
    "<b>x</b>",
    "' OR 1=1 --",
)


def queries(round_: Round) -> str:
    """Texts of up to a megabyte, or with invalid characters, on an open workbench."""
    chance = round_.chance

    async def ask() -> None:
        bench = make_workbench(Choices(profile=round_.shared / "asked", pairs=NO_ENCODER))
        await bench.open(encoder=False, llm=False, watch=False)
        try:
            if not bench.library.counts().get("memories"):
                await bench.curator.teach(Memory(("how do I build it",), response="make"))
            for _ in range(5):
                text = "".join(chance.choice((*ODD, "build ", "how ")) for _ in range(chance.choice((1, 3, 200))))
                text *= chance.choice((1, 1, 1_000_000 // len(text)))
                found = await bench.settle(text)
                expect(found.query is not None, "no answer")
        finally:
            await bench.close()

    def work() -> str:
        asyncio.run(ask())
        return "answered"

    return timed(work)


COMMANDS = (
    ("detect", "--stdin"),
    ("export", "--kind", "rules"),
    ("export", "--kind", "rules", "--json"),
    ("doctor", "--json"),
)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


def streams(round_: Round) -> str:
    """Commands whose output is closed, full or interrupted, stopped at some moment."""
    chance, profile = round_.chance, round_.shared / "streams"
    command = words_of(*chance.choice(COMMANDS), "--profile", str(profile))
    how = chance.choice(("closed pipe", "full", "closed", "signal"))
    full = os.open("/dev/full", os.O_WRONLY)
    started = subprocess.Popen(
        command,
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=full if how == "full" else subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=partial(os.close, 1) if how == "closed" else None,  # noqa: PLW1509 - nothing else runs here
    )
    os.close(full)
    with started:
        try:
            if how == "closed pipe" and started.stdout is not None:
                started.stdout.close()
                started.stdout = None
            if how == "signal":
                try:
                    started.wait(chance.uniform(0.0, 1.5))
                except subprocess.TimeoutExpired:
                    started.send_signal(chance.choice(SIGNALS))
            _, errors = started.communicate(b"how do I build it\n" * 2_000, timeout=60)
        finally:
            started.kill()
    early = how == "signal" and (started.returncode < 0 or b"KeyboardInterrupt" in errors[-200:])
    expect(early or b"Traceback" not in errors, f"{how}: {errors.decode()[-800:]}")
    expect(started.returncode in {0, 1, 2, 130} or early, f"{how}: exit code {started.returncode}")
    SqlLibrary.open(profile).close()
    return how


def peak_memory(_: Round) -> str:
    """Check the peak memory of all attempts above."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    expect(peak < 1_500, f"{peak} MB")
    return "bounded"


ATTEMPTS = [
    *(Attempt("input", f"a file with accidents: {name}", partial(mutations, name)) for name in SAMPLES),
    Attempt("input", "files that are deep, huge, packed or no text", hard_file, 20),
    Attempt("input", "a pack of rules with accidents", rule_pack, 4),
    Attempt("input", "random patterns at a long text", patterns, 10),
    Attempt("input", "settings by option and environment", pairs, 2),
    Attempt("input", "a settings file with accidents", settings_file, 2),
    Attempt("input", "queries of a megabyte and of no text", queries, 200),
    Attempt("input", "outputs that are closed or full, and signals", streams, 200),
    Attempt("input", "the memory that all of this took", peak_memory, 1_000_000_000),
]
