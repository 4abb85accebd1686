"""Log of a server's latest messages, secrets masked, and the reason of its end."""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from app.domain.running import WireMessage, shown

MOST_LINES, MOST_OF_LINE = 200, 1_000
MOST_CHARACTERS = 400
MOST_FOLLOWING, MOST_BRACKETED = 4, 12
"""Maximum number of further lines of an error, and of a document."""

COLORS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?)")
"""Colours and titles that a program sends to a terminal."""

PREFIX = re.compile(r"^(?:npm (?:error|ERR!)|[\s|+×╰╭│├─▶>\u2716✗\u274c*]+)\s*")
"""Prefix of a line: npm's name, box lines, list marks."""

NOISE = re.compile(
    r"""
    at\s.+ | \.{3}\s\d+\s(?:more|common).* | File\s".*",\sline\s\d+.* | \[Previous\sline\srepeated.* | [~^\s]+
    | (?:node:|file:|/|[A-Z]:\\)\S*:\d+ | (?:During\shandling|The\sabove\sexception).* | .*Traceback\s\(most\srecent.*
    | (?:Node\.js|Bun|Deno)\s+v?\d.* | Emitted\s'error'\sevent.* | throw\s.* | triggerUncaught.* | Use\s`node\s--trace.*
    | A\scomplete\slog\sof\sthis\srun.* | (?:.*[/\\]_logs[/\\].*) | Note\sthat\syou\scan\salso\sinstall.*
    | (?:code|errno|syscall|path|spawnargs|requireStack|digest)(?::\s.*|\s\S+)
    | (?:for|see)\s(?:further|more)\s(?:information|details).* | (?:Run|Try|See|Use)\s['"`].*help.* | note:.*
    | (?:hint|help|usage|info):.* | (?:npm\s)?(?:warn(?:ing)?|notice)\b.* | \(.*\)\s\w*Warning:.* | \(Use\s`.*
    | goroutine\s\d+.* | exit\sstatus\s\d+ | main\.main\(\) | stack\sbacktrace:.* | \d+:\s+0x.* | -{2,}.*
    | Stack\strace: | \#\d+\s.* | thrown\sin\s.* | from\s/.*:\d+.* | [\[\](){},;'"]+ | \d{3} | (?:<\w+>|\w+)\s?=>.*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Lines without a reason: stack frames, versions, log paths, hints."""

NAMED = re.compile(
    r"""
    (?:^|[\s:\]\[(>"])(?:[A-Za-z_$][\w.$]*)?(?:Error|Exception|Panic)(?:\s?[\[(][\w.\s]+[\])])?:
    | ^(?:[\w.-]+:\s)?(?:panic|fatal(?:\serror)?|error|caused\sby)(?:\[\w+\])?:\s | \bpanicked\sat\b
    | ^[45]\d\d\s[A-Z][\w\s]+\s-\s
    """,
    re.VERBOSE,
)
"""Line that names an error: "Error: …", "ValueError: …", "panic: …", "404 Not Found"."""

LIKELY = re.compile(
    r"""
    \b(?:error|err|exception|fatal|panic|cannot|can't|could\s?n[o']t|couldn't|unable|fail(?:ed|ure|s)?|denied|refused
    |required|missing|invalid|not\s(?:found|set|installed|recogni[sz]ed|supported|allowed|a\sdirectory)|no\s(?:such|matching)
    |must\s(?:be|set|provide)|unauthori[sz]ed|forbidden|unknown|unsupported|undefined|expired|in\suse|no\ssolution
    |E[A-Z]{4,12})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
CALM = re.compile(
    r"^[\W\d_T:Z,.+-]*(?:INFO|DEBUG|TRACE|NOTICE|WARN(?:ING)?)\b|\"level\"\s*:\s*\"(?:info|debug)\"", re.IGNORECASE
)
"""Log line without an error."""


def reason_in(output: str) -> str:
    """Return the lines with the reason of the end, joined, or the last useful line, or ""."""
    rows = [line.rstrip()[:MOST_OF_LINE] for line in COLORS.sub("", output).splitlines()[-MOST_LINES:] if line.strip()]
    bare = [PREFIX.sub("", row) or row.strip() for row in rows]
    useful = [at for at, text in enumerate(bare) if NOISE.fullmatch(text) is None]
    if not useful:
        return shown(rows[-1].strip(), MOST_CHARACTERS) if rows else ""
    named = [at for at in useful if NAMED.search(bare[at]) and not CALM.search(bare[at])]
    likely = [at for at in useful if LIKELY.search(bare[at]) and not CALM.search(bare[at])]
    chosen = _cause(named, bare) if named else likely[-2:] or useful[-1:]
    lines: list[int] = []
    for at in chosen:
        lines += [at, *_following(at, bare, set(useful))]
    if not named and CALM.search(bare[useful[-1]]) is None:
        lines.append(useful[-1])
    return shown(" ".join(dict.fromkeys(bare[at] for at in lines)), MOST_CHARACTERS)


def _cause(named: list[int], bare: list[str]) -> list[int]:
    """Return the last named error with its cause, if stated."""
    last = named[-1]
    is_cause = re.match(r"(?:\[cause\]|caused by)", bare[last], re.IGNORECASE) is not None
    return named[-2:] if is_cause else [last]


def _following(at: int, bare: list[str], useful: set[int]) -> list[int]:
    """Return the lines that belong to an error: until noise, or the end of its brackets."""
    is_open = bare[at].endswith(("[", "{"))
    most = MOST_BRACKETED if is_open else MOST_FOLLOWING
    found: list[int] = []
    for after in range(at + 1, min(at + 1 + most, len(bare))):
        is_bracket = is_open and not bare[after].strip("[]{}(),;")
        if CALM.search(bare[after]) or not (is_bracket or after in useful):
            break
        found.append(after)
    return found


KEPT = 200
"""Maximum number of stored messages."""

KEPT_CHARACTERS = 4_000
"""Maximum number of characters per message."""

STDERR_CHARACTERS = 64_000
"""Maximum number of characters of the standard error."""

READ_CHARACTERS = 8_000
"""Number of characters of an output searched for a reason."""

SHORTEST = 4
"""Minimum length of a masked value; shorter ones such as "on" occur everywhere."""

MASK = "•••"

TOKENS = re.compile(
    r"""
    (?P<before>"(?:[a-z_-]{0,40}(?:api_?-?key|token|secret|password|passwd|authorization|credential)[a-z_-]{0,40})"
       \s{0,4}:\s{0,4}")[^"\\]{1,4000}
    | (?P<scheme>\b(?:bearer|basic)\s)[a-z0-9._~+/=-]{8,4000}
    | (?P<user>://)[^\s/@"']{1,400}(?=@)
    | \b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abposr]|npm|hf|pypi|shpat|whsec)[-_][a-z0-9_-]{12,400}
    | \bgithub_pat_[a-z0-9_]{20,400}
    | \b(?:akia|asia)[a-z0-9]{16}\b
    | \beyj[a-z0-9_-]{8,2000}\.[a-z0-9_-]{4,4000}(?:\.[a-z0-9_-]{0,2000})?
    | (?<=[?&])(?P<name>(?:api_?key|key|token|access_token|auth|secret)=)[^&\s"']{4,400}
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Patterns of tokens: known prefixes, JSON fields, query parameters, users in addresses."""


class WireLog:
    """Messages and standard error of one server, times in ms, without values of `secrets`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        plain = {value for value in secrets if len(value) >= SHORTEST}
        escaped = {json.dumps(value, ensure_ascii=ascii_)[1:-1] for value in plain for ascii_ in (True, False)}
        self._secrets = sorted(plain | escaped, key=len, reverse=True)
        self._longest = max(map(len, self._secrets), default=0)
        self._began = time.monotonic()
        self._kept: deque[tuple[WireMessage, int]] = deque(maxlen=KEPT)
        self._stderr = self._printed = ""

    def note(self, text: str, *, sent: bool) -> None:
        # A secret at the cut must be complete until it is masked.
        kept = text[: KEPT_CHARACTERS + self._longest]
        self._kept.append((WireMessage((time.monotonic() - self._began) * 1000, sent, kept), len(text)))

    def note_stderr(self, text: str) -> None:
        self._stderr = (self._stderr + text)[-(STDERR_CHARACTERS + self._longest) :]

    def masked(self, text: str) -> str:
        """Mask the secrets and anything that looks like one."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return TOKENS.sub(_mask, text)

    def exchanges(self) -> tuple[WireMessage, ...]:
        """Return the stored messages, oldest first, masked on access. Thread-safe."""
        kept_now = tuple(self._kept)  # a copy: another thread may add one meanwhile
        return tuple(replace(kept, text=self._shown(kept.text, length)) for kept, length in kept_now)

    def _shown(self, text: str, length: int) -> str:
        cut = f"… ({length:,} characters)" if length > KEPT_CHARACTERS else ""
        return f"{self.masked(text)[:KEPT_CHARACTERS]}{cut}"

    def stderr(self) -> str:
        return self.masked(self._stderr)[-STDERR_CHARACTERS:]

    def note_printed(self, text: str) -> None:
        """Store a line of the standard output that is no message."""
        self._printed = f"{self._printed}{text}\n"[-(READ_CHARACTERS + self._longest) :]

    def last_line(self) -> str:
        """Return the last non-blank line of the standard error; "" if none."""
        output = COLORS.sub("", self.stderr()[-READ_CHARACTERS:])
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""

    def reason(self) -> str:
        """Return the lines of both outputs with the reason of the end; "" if none."""
        return reason_in(f"{self.masked(self._printed)[-READ_CHARACTERS:]}\n{self.stderr()[-READ_CHARACTERS:]}")


def _mask(found: re.Match[str]) -> str:
    kept = [found.group(name) for name in ("before", "scheme", "user", "name") if found.group(name)]
    return f"{kept[0] if kept else ''}{MASK}"
