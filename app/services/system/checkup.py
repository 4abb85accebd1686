"""Checks of a profile (library, rules, disk, encoder, vectors) and for a newer version."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass

from app.domain.errors import EncoderError, StoreError
from app.domain.history import HistoryFilter
from app.domain.journal import ItemKind
from app.domain.language import plural
from app.ports.store import Library
from app.services.core import Core
from app.services.engine.index_loader import damage_sentence
from app.services.engine.llm_requests import half_set
from app.services.engine.typing_priority import chunks
from app.services.evaluation.contest import contest_sentence, evidence_sentence, joined_sentence, replacement_sentence
from app.services.evaluation.refits import fit_sentence, fit_words
from app.services.status import EncoderState

COUNTED = {
    **{kind.plural: (f"{{n}} {kind}", f"{{n}} {kind.plural}") for kind in ItemKind},
    "triggers": ("{n} trigger of memories", "{n} triggers of memories"),
    "embeddings": (
        "{n} stored vector (those of the shipped route examples too)",
        "{n} stored vectors (those of the shipped route examples too)",
    ),
}
"""Counted kinds, in words."""


QUERIES_AT_ONCE = 2_000
"""Batch size of reading queries."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check: its subject, a verdict, and a sentence."""

    what: str
    fine: bool
    sentence: str


def check_up(workbench: Core) -> list[Finding]:
    """Check an open, ready workbench: library, rules, settings, encoder, vectors."""
    status = workbench.status()
    counts = ", ".join(
        plural(count, *COUNTED[what]) if what in COUNTED else f"{count:,} {what}"
        for what, count in workbench.library.counts().items()
    )
    faults = status.faults
    findings = [
        Finding("library", "store" not in faults, faults.get("store", f"open: {counts}")),
        _disk(workbench),
        *([Finding("rows", False, damage)] if (damage := _damage(workbench.library)) else []),
        Finding("rules", "rules" not in faults, faults.get("rules", _rules(workbench))),
        Finding("settings", "settings" not in faults, faults.get("settings", f"valid, preset {status.preset}")),
    ]
    if (fault := workbench.library.secrets_fault()) and fault != workbench.library.secrets_place():
        findings.append(Finding("secrets", False, fault))
    told = [status.notes[part] for part in ("settings", "environment") if part in status.notes]
    findings += [Finding("settings", True, sentence) for sentence in told]
    findings.append(Finding("encoder", "encoder" not in faults, faults.get("encoder", _encoder(workbench))))
    if status.encoder_state is EncoderState.READY:
        findings += [_vectors(workbench), _one_query(workbench)]
    if words := fit_sentence(status.fit) or fit_words(status.fit):
        findings.append(Finding("learned", True, words))
    learned = workbench.settings.learned
    contests = [(power, contest) for power in (False, True) if (contest := learned.contest(power=power)) is not None]
    findings += [Finding("learned", True, contest_sentence(contest, power=power)) for power, contest in contests]
    findings += [Finding("llm", True, sentence) for sentence in half_set(workbench.settings)]
    told = [evidence_sentence(learned), *(joined_sentence(learned, power=power) for power in (False, True))]
    findings += [Finding("learned", True, sentence) for sentence in told if sentence]
    if stands_in := replacement_sentence(workbench.settings):
        findings.append(Finding("learned", True, stands_in))
    return findings


def _rules(workbench: Core) -> str:
    """Return the number of enabled rules by purpose."""
    rules = workbench.engine.rules
    routes = sum(rule.enabled for rule in rules.of_routes)
    return f"{len(rules) + routes} are on: {len(rules)} name types, {routes} name routes"


def _disk(workbench: Core) -> Finding:
    """Check that the disk is writable, which opening and reading a library does not show."""
    try:
        return Finding("disk", True, workbench.room())
    except StoreError as error:
        return Finding("disk", False, str(error))


def _damage(library: Library) -> str:
    """Return the unreadable rows, including those of runs and queries; "" for none."""
    try:
        library.run_records()
        keys = library.find_queries(HistoryFilter())
        for some in chunks(keys, QUERIES_AT_ONCE):
            library.queries_by_key(some)
    except StoreError as error:
        return str(error)
    return damage_sentence(library)


def _encoder(workbench: Core) -> str:
    """Return the current encoder, and the origin of its vectors."""
    encoder, name = workbench.engine.encoder, workbench.status().encoder
    if encoder is None:
        return f"{name} is not loaded"
    return f"{name} is ready: {encoder.provenance.revision}, {encoder.provenance.dimension} numbers a vector"


def _vectors(workbench: Core) -> Finding:
    """Count the vectors. Missing ones are no fault: they are computed on demand."""
    index = workbench.engine.index
    have, of = index.embedded(), len(index)
    later = "" if have == of else "; the others get theirs from the next question, or while the window is open"
    return Finding(
        "vectors", True, f"{have:,} of {of:,} triggers of memories and powers in use have their vector{later}"
    )


def _one_query(workbench: Core) -> Finding:
    encoder = workbench.engine.encoder
    assert encoder is not None, "only asked when the encoder is ready"
    begun = time.perf_counter()
    try:
        encoder.encode(["how do I rotate a page"])
    except EncoderError as error:
        return Finding("query", False, str(error))
    took = (time.perf_counter() - begun) * 1000
    return Finding("query", True, f"one query is encoded in {took:.1f} ms")


# ---- Check for a newer version, at most once a day

DAY_SECONDS = 86_400.0
_VERSION = re.compile(r"\d{1,9}(\.\d{1,9}){0,3}")


@dataclass(frozen=True, slots=True)
class VersionCheck:
    """Last answer of an update address: time in seconds since 1970, and version ("": none)."""

    url: str
    at: float
    version: str = ""

    def text(self) -> str:
        """Return the stored form."""
        return json.dumps({"url": self.url, "at": self.at, "version": self.version})


def stored_version_check(text: str) -> VersionCheck | None:
    """Parse the stored form; None if it is damaged."""
    try:
        found = json.loads(text)
        return VersionCheck(str(found["url"]), float(found["at"]), str(found["version"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def is_due(before: VersionCheck | None, url: str, now: float) -> bool:
    """Check if the address is due: a new one, a day has passed, or the clock was set back."""
    return before is None or before.url != url or not 0.0 <= now - before.at < DAY_SECONDS


def newer(version: str, than: str) -> str:
    """Return the version if it is valid and newer, otherwise ""."""
    if not _VERSION.fullmatch(version) or (ours := _VERSION.match(than)) is None:
        return ""
    return version if _parts(version) > _parts(ours.group()) else ""


def _parts(version: str) -> tuple[int, ...]:
    parts = [int(part) for part in version.split(".")]
    return tuple(parts + [0] * (4 - len(parts)))
