"""Extraction of the reason from a dead program's output."""

from __future__ import annotations

import re

from app.domain.running import shown

MOST_LINES, MOST_OF_LINE = 200, 1_000
MOST_CHARACTERS = 400
MOST_FOLLOWING, MOST_BRACKETED = 4, 12
"""Maximum number of further lines of an error, and of a document."""

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
    rows = [line.rstrip()[:MOST_OF_LINE] for line in output.splitlines()[-MOST_LINES:] if line.strip()]
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
