"""Running powers in words: state, server details, and the approval request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.display import numbers
from app.domain.journal import Revision
from app.domain.language import percents, plural, quantity
from app.domain.library import Power
from app.domain.running import PowerRun, RunState, ValueFrom, approval_text, quoted, shown, steers

STATES: Mapping[RunState, tuple[str, str, str]] = {
    RunState.STOPPED: ("\N{WHITE CIRCLE}", "Stopped", "text_2"),
    RunState.STARTING: ("\N{CIRCLE WITH LEFT HALF BLACK}", "Starting", "warning"),
    RunState.RUNNING: ("\N{BLACK CIRCLE}", "Running", "success"),
    RunState.RESTARTING: ("\N{CIRCLE WITH RIGHT HALF BLACK}", "Restarting", "warning"),
    RunState.FAILED: ("\N{MULTIPLICATION X}", "Failed", "danger"),
}
"""Glyph, word and colour of each state."""

ON = (RunState.STARTING, RunState.RUNNING, RunState.RESTARTING)
_SPELT = frozenset("\n\t")
_MOST_STEPS = 40
_MOST_NAMES = 6


def state_word(run: PowerRun | None) -> str:
    """Return glyph and word: "● Running"."""
    return " ".join(STATES[RunState.STOPPED if run is None else run.state][:2])


def state_token(run: PowerRun | None) -> str:
    return STATES[RunState.STOPPED if run is None else run.state][2]


def is_on(run: PowerRun | None) -> bool:
    """Check if the server runs or starts."""
    return run is not None and run.state in ON


def running_words(count: int) -> str:
    """Return the number of running powers: "2 powers run"; "" for none."""
    return plural(count, "{n} power runs", "{n} powers run") if count else ""


def escaped_text(text: str, most: int = 20_000) -> str:
    """Escape control and unprintable characters of untrusted text, up to `most` characters."""
    spelt = "".join(
        sign if sign.isprintable() or sign in _SPELT else sign.encode("unicode_escape").decode()
        for sign in text[:most].replace("\r\n", "\n")
    )
    if len(text) <= most:
        return spelt
    return f"{spelt}\n… " + f"{numbers.count(len(text) - most)} more characters"


def memory_text(size: int | None) -> str:
    """Format bytes: "84.2 MB"."""
    if size is None:
        return numbers.ABSENT
    return f"{size / 1000000:,.1f} MB"


def duration_text(seconds: float) -> str:
    """Format a duration: "3 min 12 s"."""
    whole = max(0, int(seconds))
    hours, minutes = whole // 3600, whole % 3600 // 60
    if hours:
        return f"{numbers.count(hours)} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"


def turns_left(run: PowerRun, idle_turns: int) -> str:
    """Return the number of unused queries until the server is stopped."""
    if not idle_turns:
        return "never stopped for being idle"
    left = max(0, idle_turns - run.idle_turns)
    return plural(left, "{n} query left until it is stopped", "{n} queries left until it is stopped")


def facts(run: PowerRun | None, seconds: float, idle_turns: int) -> tuple[tuple[str, str], ...]:
    """Return properties of a server that has run for `seconds`: name and value; () if it does not run."""
    if run is None or run.state is not RunState.RUNNING:
        return ()
    absent = numbers.ABSENT
    percent = absent if run.cpu_percent is None else percents(run.cpu_percent / 100)
    started = absent if run.started_ms is None else f"{numbers.milliseconds(run.started_ms)} ms"
    return (
        ("Server", shown(run.server, 120) or absent),
        ("Protocol", f"MCP {shown(run.protocol, 40) or absent}"),
        ("Runs for", duration_text(seconds)),
        ("Started in", started),
        ("Memory", memory_text(run.memory_bytes)),
        ("Processor", percent),
        ("Calls", numbers.count(run.calls)),
        ("Restarts", numbers.count(run.restarts)),
        ("Idle", turns_left(run, idle_turns)),
    )


def sentence(run: PowerRun | None, power: Power) -> str:
    """Return the sentence below the state: an error and its remedy, or what starting does."""
    if run is not None and run.state is RunState.FAILED:
        after = "See the log, fix its command or requirements, and start it again."
        return f"{shown(run.sentence, 1_000)} {after}".strip()
    if run is not None and run.sentence:
        return shown(run.sentence, 1_000)
    if is_on(run):
        return "Waiting for its tools." if run and run.state is not RunState.RUNNING else ""
    if power.key is None:
        return "Save the power first, then start it here."
    if power.is_text:
        return "It has no server: its steering text is delivered when it is activated."
    if not approval_text(power.transport):
        return "It has neither a command nor an address: give it one under “How it is reached”."
    if power.paused:
        return "It is paused: resume it, then start it here."
    return ""


@dataclass(frozen=True, slots=True)
class ApprovalPrompt:
    """Approval request: the exact text, its origin, and the text approved before."""

    power: str
    text: str
    is_address: bool
    origin: str
    before: str = ""
    values: Mapping[str, ValueFrom] = field(default_factory=dict)
    only_approves: bool = False
    is_again: bool = False
    """True if the approved text now runs another program."""
    said: str = ""
    """Text to display; approval is bound to `text`."""

    @property
    def title(self) -> str:
        if self.only_approves:
            return f"Approve “{shown(self.power, 80)}”"
        return f"Start “{shown(self.power, 80)}”"

    @property
    def question(self) -> str:
        """Consequence of approving."""
        if self.is_again:
            lead = "It was approved before, but now runs another program or script, or with other values."
        elif self.before:
            lead = "It was approved before, but has changed since."
        else:
            lead = "Not approved yet."
        if self.is_address:
            return lead + " " + "Intentscope connects to this address and passes calls on to it:"
        covered = "Scripts that it names are covered, in up to 16 folders, not modules, packages or imports"
        return f"{lead} Intentscope runs this command with your rights. {covered}:"

    @property
    def variables(self) -> str:
        """Lines on the variables or headers and the source of each value, own ones first."""
        ranks = (ValueFrom.OWN, ValueFrom.NOWHERE, ValueFrom.STORED)
        said = {
            ValueFrom.OWN: "no value stored, so it gets yours",
            ValueFrom.NOWHERE: "no value stored, and none in your environment yet",
            ValueFrom.STORED: "value stored",
        }
        if self.is_address:
            said[ValueFrom.NOWHERE] = "no value stored, so it is not sent"
        found = sorted(self.values.items(), key=lambda each: (ranks.index(each[1]), each[0]))
        return "\n".join(f"{quoted(name)}: {said[source]}" for name, source in found)

    @property
    def warning(self) -> str:
        """Warning on influences on the program, and on values taken from the user; "" for none."""
        return self._gets_own if self.is_address else " ".join(filter(None, (self._steered, self._gets_own)))

    @property
    def _steered(self) -> str:
        names = sorted(name for name in self.values if steers(name))
        if not names:
            return ""
        listed = ", ".join(map(quoted, names[:_MOST_NAMES])) + (", …" if len(names) > _MOST_NAMES else "")
        return (
            f"Whatever the command says, {listed} can make it run or load something else. Cancel "
            "if you do not know why."
        )

    @property
    def _gets_own(self) -> str:
        asked = (ValueFrom.OWN,) if self.is_address else (ValueFrom.OWN, ValueFrom.NOWHERE)
        count = sum(source in asked for source in self.values.values())
        if not count:
            return ""
        return f"It asks for {quantity(count, 'variable')} of your own environment. Cancel if you do not know why."

    @property
    def verb(self) -> str:
        if self.only_approves:
            return "Approve this address" if self.is_address else "Approve this command"
        return "Connect to this address" if self.is_address else "Start this command"


def approval_prompt(
    power: Power,
    text: str,
    revisions: Sequence[Revision],
    values: Mapping[str, ValueFrom] | None = None,
    *,
    only_approves: bool = False,
    is_again: bool = False,
) -> ApprovalPrompt:
    """Make the approval request, from the power's revisions (newest first) and variables."""
    return ApprovalPrompt(
        power.name,
        text,
        bool(power.transport.url and not power.transport.command),
        _origin(power, revisions),
        _before(power, revisions),
        values or {},
        only_approves,
        is_again,
        text,
    )


def _origin(power: Power, revisions: Sequence[Revision]) -> str:
    """Return the origin of the command or address: the last step that changed it."""
    for revision in revisions[:_MOST_STEPS]:
        before, after = revision.before, revision.after
        if not isinstance(after, Power) or after.transport != power.transport:
            break
        if isinstance(before, Power) and before.transport == after.transport:
            continue
        source, at = shown(revision.step.source, 120), revision.step.at
        if revision.step.author:
            author = shown(revision.step.author, 120)
            return f"It came from {author}, who shares this library ({at} UTC)."
        if revision.step.source == "window" and revision.step.verb in ("added", "edited"):
            return f"It was typed in the window ({at} UTC)."
        if revision.step.source == "seed":
            return f"It came with the sample library ({at} UTC)."
        verb = shown(revision.step.verb, 40)
        return f"It came from {source} ({verb}, {at} UTC)."
    return "It is not known where it came from."


def _before(power: Power, revisions: Sequence[Revision]) -> str:
    """Return the text approved before, if it differs; "" if unknown."""
    now = approval_text(power.transport)
    for revision in revisions[:_MOST_STEPS]:
        before = revision.before
        if isinstance(before, Power) and before.approved and approval_text(before.transport) != now:
            return approval_text(before.transport)
    return ""
