"""Trigger index: all triggers of enabled memories and powers, for one query per key press.

There are three numberings. A **row** is one trigger; each column (app.scoring.columns.exact) holds one value per
row. A **slot** is one candidate, a memory or a power, with one or more rows. A **group** has one centroid: all
memories of one label, or one candidate. Rows and slots are appended and, when their answer is changed or removed,
blanked in place; when a quarter of all rows is blank, the index is rebuilt.

`score` is lazy. Each column returns a `ColumnAnswer` (app.scoring.columns.column): upper bounds of all rows,
and exact scores of requested rows. `rank` (app.scoring.index.ranking) works in rounds:

1. combine the bounds of all slots into a bound on each confidence;
2. score exactly the leaders of the previous query and the slots with the largest bounds; the last of the best so
   far sets the threshold;
3. take all slots whose bound reaches it, replace their fuzzy bounds by exact scores, and score exactly those that
   still reach it; repeat until no bound does.

The order affects only the speed; the result equals scoring everything, ties in slot order. Columns and combinations
must keep two invariants, which tests/unit/scoring checks on random edits: no bound lies more than SLACK below its
score, and the combination of bounds is a bound (`cascade`, which is not monotone, has its own `bound`). Bounds and
their cost:

- exact: a dictionary look-up of the scores themselves;
- fuzzy (`fuzzy` and `characters` of app.scoring.columns): shared characters, and exact scores of earlier key
  presses; a few microseconds per typed character, where an exact score takes 65 ns per row;
- token overlap: postings with the scores themselves, cached for equal tokens;
- semantic (app.scoring.columns.semantic): an int8 product and its largest error, 2 ms at 100,000 instead of 10 in
  float32;
- centroid: a float32 product with the means of groups of several vectors; the others use their row's;
- bm25: postings with the scores themselves, summed on demand and cached;
- description: an int8 product with the means of powers' paragraphs; a power of one uses its rows';
- regression: one product with all labels, the scores themselves.

Up to about 10,000 triggers half of the time is call overhead, and the rest shows the ten best: there, fewer calls
matter more than fewer bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.domain.library import Answer, Kind, Memory, Power
from app.scoring.columns.bm25 import Bm25Column, Frequencies
from app.scoring.columns.centroids import Centroids
from app.scoring.columns.column import ColumnAnswer, Known
from app.scoring.columns.descriptions import Descriptions
from app.scoring.columns.exact import Column, ExactColumn, KeywordHit, Keywords, TokenColumn, keyword_score
from app.scoring.columns.fuzzy import FuzzyColumn
from app.scoring.columns.regression import Reading, Regression, RegressionColumn, RegressionScores, unlikely_groups
from app.scoring.columns.semantic import SemanticColumn
from app.scoring.cues import CueKind
from app.scoring.index.layout import (
    AnswerKey,
    LabelThresholds,
    Lapsed,
    Lapses,
    Layout,
    OwnMeans,
    Slots,
    are_scored_equally,
    group_of,
    key_of,
    utc_now,
)
from app.scoring.index.scores import KEYWORD, Leaders, Parts, Quick, Scores, Timed
from app.scoring.negation import ENDING_NOUNS, ENDINGS, ENDS_A_THING, Negation, negation_of
from app.scoring.text import QueryVector, ScoredText, without_punctuation

BLANK_SHARE = 0.25
"""Share of blank rows at which the index is rebuilt."""

FEW_ROWS = 1_000
"""Minimum number of rows for a rebuild."""

MANY_ROWS = 2_000
"""Number of triggers from which on a rebuild runs in steps; at 100,000 it takes a second."""

NEARER, NEARER_OF_FEW, BESIDE = 0.1, 0.5, 0.2
"""Differences of cosines for a sentence instead of the whole query, or of a longer one.

NEARER_OF_FEW is divided by the number of sentences: two or three are often one request, as in "I am in Kyoto and need a
lawyer. Any recommendations?". tests/benchmarks/mails.py measures all of these.
"""

NEARER_ALONE, ALONE = 0.02, 0.25
"""The first of these where all other sentences are ALONE farther from any trigger."""

LAID_OUT_AT_ONCE = 256
"""Number of answers, and half the number of vectors, per step: a few milliseconds."""

MOST_NEGATED = 2_000
"""Maximum number of triggers with a word for the word to find negated triggers."""

_MILD = (CueKind.OPPOSITE, CueKind.STATE)

COUNTED_AT_ONCE = 2_048
"""Number of answers counted per step: a few milliseconds."""


@dataclass(slots=True)
class Candidate:
    """Live slot: its answer, its rows in trigger order, and its centroid's group."""

    answer: Answer
    rows: range
    group: int


class TriggerIndex:
    """Columns over all triggers; `dimension` is the length of vectors."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._turns = 0  # number of times that an answer was added, removed or changed
        self.changes = 0
        """Number of changes of triggers, their vectors or their validity."""
        self.changes_of_responses = 0
        self._clear()

    def _clear(self) -> None:
        self.exact = ExactColumn()
        self.fuzzy = FuzzyColumn()
        self.token_overlap = TokenColumn()
        self.bm25 = Bm25Column()
        self.semantic = SemanticColumn(self._dimension)
        self.centroids = Centroids(self._dimension)
        self._descriptions = Descriptions(self._dimension)
        self.regression: RegressionColumn | None = None
        self._regressions: Mapping[bool, Regression] = {}
        self.keywords = Keywords()
        self._texts: list[str] = []
        self._slots: list[Candidate | None] = []
        self._by_key: dict[AnswerKey, int] = {}
        self.thresholds = LabelThresholds()
        self.lapses = Lapses()
        self._lapsed: tuple[Layout, str, Lapsed | None] | None = None
        """Layout, and until when which of its memories are not valid."""
        self._whole: TriggerIndex | None = None
        self._means: tuple[Layout, int, OwnMeans] | None = None
        self._nearest: tuple[int, dict[bytes, float]] = 0, {}
        self._last_negated: tuple[Layout, Negation, list[int]] | None = None
        self.reads: Callable[[str], str] = str
        """Corrects the spelling of a query before its negations are looked for."""
        self._lie = Slots()
        self._blank_rows = 0
        self._layout: Layout | None = None
        self._leaders: Leaders = {}
        self.digest = 0
        """Digest of the live answers, independent of their order; valid in this process only."""
        self.changes += 1

    @property
    def changes_of_taught(self) -> int:
        """Number of changes of what a fit is made of: triggers, vectors and responses."""
        return self.changes + self.changes_of_responses

    def __len__(self) -> int:
        """Return the number of live triggers."""
        return len(self._texts) - self._blank_rows

    @property
    def is_sparse(self) -> bool:
        """True if a rebuild would pay off."""
        return self._blank_rows > max(FEW_ROWS, BLANK_SHARE * len(self._texts))

    @property
    def candidates(self) -> int:
        """Number of live answers."""
        return len(self._by_key)

    def candidate(self, slot: int) -> Candidate:
        """Return the live candidate at a slot; raises LookupError if it is gone."""
        candidate = self._slots[slot]
        if candidate is None:
            raise LookupError(f"slot {slot} is blank")
        return candidate

    def answers(self) -> dict[AnswerKey, Answer]:
        """Return every live answer by its key."""
        return {key: self.candidate(slot).answer for key, slot in self._by_key.items()}

    def answer(self, key: AnswerKey) -> Answer | None:
        """Return the live answer of a key, None without one."""
        slot = self._by_key.get(key)
        return None if slot is None else self.candidate(slot).answer

    def text(self, row: int) -> str:
        return self._texts[row]

    def texts(self) -> list[str]:
        """Return the texts of all rows, including blank ones."""
        return self._texts.copy()

    def put(self, answers: Iterable[Answer]) -> None:
        """Add answers, replacing those of the same key; paused ones are only removed."""
        latest = {key_of(answer): answer for answer in answers}
        if not latest:
            return
        self._turns += 1
        self.changes += 1
        for key in latest:
            self.remove(key)
        added = [answer for answer in latest.values() if not answer.paused]
        triggers = [answer.triggers or (answer.name,) for answer in added]
        texts = [text for own in triggers for text in own]
        row = len(self._texts)
        self._texts += texts
        for column in self._by_row:
            column.append(texts)
        first = len(self._slots)
        for answer, own in zip(added, triggers, strict=True):
            self._place(answer, range(row, row + len(own)))
            row += len(own)
        groups = [self.candidate(slot).group for slot in range(first, len(self._slots))]
        powers = {slot: answer for slot, answer in enumerate(added, first) if isinstance(answer, Power)}
        responses = [_response_digest(answer) for answer in added]
        self._lie.append([len(own) for own in triggers], groups, powers, responses)
        self._layout = None
        if self.is_sparse and len(self) <= MANY_ROWS:
            for _ in self.laying_out():
                pass

    def widening(self, answers: Iterable[Answer]) -> Iterator[None]:
        """Reserve space for answers to be added, in small steps; queries work as before.

        Without it the wide arrays are copied at once when full: a third of a second at 100,000 rows.
        """
        rows = groups = 0
        for place, answer in enumerate(answers, 1):
            if not self._takes_its_place(answer):
                rows, groups = rows + (len(answer.triggers) or 1), groups + 1
            if place % COUNTED_AT_ONCE == 0:
                yield
        yield from self.semantic.widening(rows)
        yield from self.centroids.widening(groups)

    def restate(self, answers: Iterable[Answer]) -> list[Answer]:
        """Replace answers in place if their scores are equal; return the others, for `put`."""
        others: list[Answer] = []
        for answer in answers:
            if not self._takes_its_place(answer):
                others.append(answer)
                continue
            candidate = self.candidate(slot := self._by_key[key_of(answer)])
            if isinstance(answer, Power):
                self._lie.restate(slot, answer)
                self._layout = None
            elif isinstance(before := candidate.answer, Memory) and before.namespace != answer.namespace:
                self._layout = None  # namespaces are cached by layout
            if self.thresholds.restate(candidate.answer, answer):
                self._layout = None  # and so are thresholds
            if self._lie.restate_response(slot, _response_digest(answer)):
                self._layout = None
                self.changes_of_responses += 1
            self._lapsed = None
            self.changes += self.lapses.put(answer)
            candidate.answer = answer
            self._turns += 1
        return others

    def _takes_its_place(self, answer: Answer) -> bool:
        """Return whether a version with the same scores is in the index."""
        slot = self._by_key.get(key_of(answer))
        return slot is not None and are_scored_equally(self.candidate(slot).answer, answer)

    def laying_out(self) -> Iterator[None]:
        """Rebuild the index without blank rows in small steps.

        Queries work as before until the last step. Vectors may change meanwhile; if answers change, the rebuild is
        abandoned.
        """
        fresh, before, turns = TriggerIndex(self._dimension), self.answers(), self._turns
        fresh.reads = self.reads
        rows = np.array([row for slot in self._by_key.values() for row in self.candidate(slot).rows], np.intp)
        for start in range(0, len(before), LAID_OUT_AT_ONCE):
            fresh.put(islice(before.values(), start, start + LAID_OUT_AT_ONCE))
            yield
        column = self.semantic
        while self._turns == turns:
            if column is not self.semantic:
                column = self.semantic
                fresh.forget_vectors(self._dimension)
            lacking = np.flatnonzero(column.known[rows] & ~fresh.semantic.known)[: 2 * LAID_OUT_AT_ONCE].tolist()
            if not lacking:
                fresh.learn(self._regressions)
                counts = {"changes": self.changes + 1, "changes_of_responses": self.changes_of_responses}
                vars(self).update(vars(fresh), **counts)
                return
            fresh.semantic.embed(lacking, column.vectors[rows[lacking]])
            fresh._touch(lacking)
            fresh.refresh()
            yield

    def unembedded(self) -> list[str]:
        """Return the distinct texts of live rows without a vector, in row order."""
        missing = np.flatnonzero(self._lie.live_rows & ~self.semantic.known)
        return list(dict.fromkeys(self._texts[row] for row in missing.tolist()))

    def holds(self, text: str) -> bool:
        """Return whether a live row has this text."""
        return any(self._lie.live_rows[row] for row in self.exact.rows(text))

    def embedded(self) -> int:
        """Return the number of live triggers with a vector."""
        return int(self.semantic.known.sum())

    def embed(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Set the vectors of live rows by text."""
        self.changes += 1
        rows = [row for text in vectors for row in self.exact.rows(text)]
        if rows:
            self.semantic.embed(rows, np.stack([vectors[self._texts[row]] for row in rows]))
            self._touch(rows)

    def refresh(self) -> None:
        """Compute the means that the next query would otherwise compute."""
        self.centroids.refresh(self.semantic)
        self._descriptions.refresh(self.semantic, len(self.centroids))

    def rows_by_key(self) -> NDArray[np.intp]:
        """Return the live rows in the order of a new index: memories by key, then powers.

        Raises LookupError if another thread changes the index meanwhile.
        """
        slots = (self.candidate(slot).rows for _, slot in sorted(self._by_key.copy().items()))
        return np.array(list(chain.from_iterable(slots)), np.intp)

    def column_builder(self, arrays: Mapping[str, NDArray[Any]]) -> Callable[[], tuple[SemanticColumn, Centroids]]:
        """Return a function for any thread that builds the input of `adopt` from cached arrays.

        `arrays` are from `SemanticColumn.kept`, in row order; raises KeyError if incomplete. The result applies
        only if `changes` is unchanged.
        """
        semantic, texts = SemanticColumn(self._dimension), self.texts()
        rows = np.flatnonzero(self._lie.live_rows)
        over = partial(self.centroids.over, len(self.centroids), rows, self._lie.group_of_each(rows))

        def make() -> tuple[SemanticColumn, Centroids]:
            semantic.append(texts)
            semantic.adopt(arrays)
            return semantic, over(semantic)

        return make

    def adopt(self, semantic: SemanticColumn, centroids: Centroids) -> None:
        """Adopt the columns built by `column_builder`."""
        self.semantic, self.centroids = semantic, centroids
        self._descriptions.forget(self._dimension)
        self.refresh()
        self.changes += 1
        self._layout = None

    def forget_vectors(self, dimension: int | None = None) -> None:
        """Remove every vector, as when the encoder changes; new ones have this length."""
        self.changes += 1
        self._dimension = self._dimension if dimension is None else dimension
        self.semantic = SemanticColumn(self._dimension)
        self.semantic.append(self._texts)
        self.centroids.forget(self._dimension)
        self._descriptions.forget(self._dimension)
        self.learn({})
        self._layout = None

    def same_but_punctuation(self, bare: str) -> list[Answer]:
        """Return the answers with a trigger of this text, ignoring case and punctuation."""
        slots = dict.fromkeys(self._lie.of(self.exact.rows_but_punctuation(bare)))
        return [self.candidate(slot).answer for slot in slots]

    def holders(self, rows: Sequence[int]) -> list[Answer | None]:
        """Return the live answer of each of these rows; None for a blank one."""
        found = (self._slots[slot] for slot in self._lie.of(rows))
        return [None if candidate is None else candidate.answer for candidate in found]

    def score(self, query: ScoredText, *, name_counts: bool = False) -> Scores:
        """Score every live trigger and candidate."""
        layout = self.layout()
        spent: dict[str, float] = {}
        columns = (
            ("exact", self.exact),
            ("fuzzy", self.fuzzy),
            ("token_overlap", self.token_overlap),
            ("bm25", self.bm25),
        )
        asked: dict[str, ColumnAnswer] = {}
        for name, column in columns:
            with Timed(spent, name):
                asked[name] = column.ask(query)
        by_group: dict[str, ColumnAnswer] = {}
        if query.vector is not None:
            with Timed(spent, "semantic"):
                asked["semantic"] = semantic = self.semantic.ask(query)
            by_group = self._ask_groups(query, semantic, spent)
        with Timed(spent, KEYWORD):
            hits = self.keywords.hits(query, name_counts=name_counts)
        quick = Quick(Parts(layout, asked, by_group, self._keyword_scores(layout, hits), spent), self._leaders)
        means = None if query.vector is None else self._own_means(layout)
        return Scores(query, layout, *quick.every(), hits, quick, _readings(by_group), self.lapsed(), means)

    def read(
        self, text: str, vectors: QueryVector, beside: TriggerIndex | None = None, without: Iterable[AnswerKey] = ()
    ) -> ScoredText:
        """Return a query with the vectors of a sentence that is NEARER to a trigger, or unchanged.

        Among those about as near, the longest is read: a request rather than "Thanks!". Triggers `beside` count, too,
        but not those of answers `without`.
        """
        sentence, own = "", vectors
        if vectors.sentences:
            every = [each.scored for each in (own, *own.sentences.values())]
            whole, *nearest = map(max, self.nearest(every), (beside or self).nearest(every, without))
            second, first = sorted([0.0, *nearest])[-2:]
            needed = NEARER_ALONE if first - second >= ALONE else max(NEARER, NEARER_OF_FEW / len(nearest))
            least = max(whole + needed, first - BESIDE)
            near = [one for one, score in zip(own.sentences, nearest, strict=True) if score > least]
            sentence = max(near, key=len, default="")
            own = own.sentences.get(sentence, own)
        return ScoredText(text, own.scored, own.learned, vectors, sentence)

    def nearest(self, vectors: Sequence[NDArray[np.float32]], without: Iterable[AnswerKey] = ()) -> list[float]:
        """Return the highest cosine of each vector to a trigger; those of the last vectors are kept."""
        if apart := [row for key in without if key in self._by_key for row in self.candidate(self._by_key[key]).rows]:
            return [*map(float, self.semantic.nearest(np.stack(vectors), apart))]
        known = self._nearest[1] if self._nearest[0] == self.changes else {}
        every = {one.tobytes(): one for one in vectors}
        if missing := {key: one for key, one in every.items() if key not in known}:
            known |= zip(missing, self.semantic.nearest(np.stack([*missing.values()])).tolist(), strict=True)
        self._nearest = self.changes, {key: known[key] for key in every}
        return [known[one.tobytes()] for one in vectors]

    def with_meaning(self, scores: Scores, vectors: QueryVector) -> Scores:
        """Add semantic, centroid and regression scores.

        Raises LookupError if the index has changed since.
        """
        if scores.layout is not self._layout or scores.quick is None:
            raise LookupError("the index has changed since these scores were made")
        query = self.read(scores.query.text, vectors)
        spent = scores.quick.parts.spent
        with Timed(spent, "semantic"):
            semantic = self.semantic.ask(query)
        by_group = self._ask_groups(query, semantic, spent)
        quick = scores.quick.with_meaning(semantic, by_group)
        readings = _readings(by_group)
        means = self._own_means(scores.layout)
        return Scores(query, scores.layout, *quick.every(), scores.hits, quick, readings, scores.lapsed, means)

    def _own_means(self, layout: Layout) -> OwnMeans:
        """Return the means of live slots; those found stay until triggers or vectors change."""
        known = self._means
        if known is None or known[0] is not layout or known[1] != self.changes:
            known = self._means = layout, self.changes, OwnMeans(layout, self.semantic)
        return known[2]

    def lapsed(self) -> Lapsed | None:
        """Return the memories that are not valid now; None if all are valid."""
        if not self.lapses.most:
            return None
        layout, now = self.layout(), utc_now()
        if self._lapsed is None or self._lapsed[0] is not layout or not now < self._lapsed[1]:
            answers = [self.candidate(slot).answer for slot in layout.slots.tolist()]
            slots = np.array([self.lapses.of(answer, now) is not None for answer in answers], np.bool_)
            apart = np.flatnonzero(slots & ~np.isin(layout.groups, layout.groups[~slots]))
            found = Lapsed(slots, apart, frozenset(group_of(answers[place]) for place in apart.tolist()))
            self._lapsed = layout, self.lapses.next_change(now), found if slots.any() else None
        return self._lapsed[2]

    def lapsed_labels(self) -> frozenset[Hashable]:
        """Return the labels without a valid memory; of the whole index if this is a part of one."""
        lapsed = (self._whole or self).lapsed()
        return frozenset() if lapsed is None else lapsed.labels

    def _ask_groups(
        self, query: ScoredText, semantic: ColumnAnswer, spent: dict[str, float]
    ) -> dict[str, ColumnAnswer]:
        """Score groups; with the regression if there is one and its vector is given."""
        with Timed(spent, "centroid"):
            asked: dict[str, ColumnAnswer] = {"centroid": self.centroids.ask(query, self.semantic, semantic)}
        if self._descriptions and query.vector is not None:
            own = query, self.semantic, semantic
            with Timed(spent, "description"):
                asked["description"] = self._descriptions.ask(*own, len(self.centroids))
        if self.regression is not None and query.learned is not None:
            with Timed(spent, "regression"):
                if len(self.regression) < len(self.centroids):
                    self.regression.follow(self.centroids.names(len(self.regression)))
                rows = self.exact.rows_but_punctuation(query.bare)
                groups = self._lie.groups_of(rows) if len(rows) else (), self._opposed_groups(query.text)
                asked["regression"] = self.regression.ask(query.learned, query.words, *groups, self.lapsed_labels())
        elif self.regression is None and (opposed := self._opposed_groups(query.text)):
            asked["regression"] = unlikely_groups(len(self.centroids), opposed)
        return asked

    def _opposed_groups(self, text: str) -> list[int]:
        """Return the groups that a text does not ask for.

        If it asks for nothing else, that is all powers but those taught to do so: a similar one must not start instead.
        """
        if not (denied := self._negation(text).denied):
            return []
        rows = self._negated_rows(text)
        same = self._lie.groups_of(self.exact.rows_but_punctuation(without_punctuation(text)))
        found = [group for group in self._lie.groups_of(rows) if group not in same] if rows else []
        refused = self._refused(text, found) if any(part.kind not in _MILD for part in denied) else ()
        return sorted({*found, *refused}.difference(same))

    def _refused(self, text: str, negated: Sequence[int]) -> Iterable[int]:
        """Return the groups that a text refuses, whether or not a trigger asks for the same.

        These are all powers if nothing else is asked for and a known action or one of `negated` is refused; else those
        that only words of the refused parts speak for, if the others speak for another power. All memories, too, if
        nothing else is asked for and actions are refused, one of them of `negated`.
        """
        negation, layout = self._negation(text), self.layout()
        every, powers = (set(one.tolist()) for one in (layout.groups, layout.groups[layout.power_places]))
        is_all, parts = not negation.others, negation.refused or negation.quoted
        is_known = bool(parts) and all(negation.is_known(p, map(self.text, self._rows_of([p.action]))) for p in parts)
        refused = powers if is_known or (is_all and not powers.isdisjoint(negated)) else set[int]()
        refused = refused | (every - powers if is_all and negated and negation.refused else set())
        if not refused:
            return ()
        against = self._rows_by_group(stem for part in negation.denied for stem in part.stems)
        taught = {group for group, rows in against.items() if negation.is_taught(map(self.text, rows))}
        if any(part.kind is CueKind.OFF for part in negation.denied):
            nouns = self._rows_by_group(ENDING_NOUNS).items()
            taught |= self._rows_by_group(ENDINGS).keys()
            taught |= {group for group, rows in nouns if any(map(ENDS_A_THING.search, map(self.text, rows)))}
        if is_all:
            return refused - taught
        meant = powers & self._rows_by_group(negation.others).keys()
        is_apart = bool(meant or negation.quoted) and not negation.refers
        return (powers & against.keys()) - taught - meant if is_apart else ()

    def _negation(self, text: str) -> Negation:
        return negation_of(self.reads(text))

    def _rows_of(self, stems: Iterable[str]) -> list[int]:
        """Return the rows with a word of one of these stems; none of a word with many rows."""
        return sorted({row for one in map(self.bm25.rows_like, stems) if len(one) <= MOST_NEGATED for row in one})

    def _rows_by_group(self, stems: Iterable[str]) -> dict[int, list[int]]:
        """Return the rows with a word of one of these stems, by group."""
        rows, found = self._rows_of(stems), dict[int, list[int]]()
        for row, group in zip(rows, self._lie.group_of_each(np.array(rows, np.intp)).tolist(), strict=True):
            found.setdefault(group, []).append(row)
        return found

    def _negated_rows(self, text: str) -> list[int]:
        """Return the rows that ask for what a text negates; those of the last text are kept."""
        layout, negation = self.layout(), self._negation(text)
        if (last := self._last_negated) is not None and last[0] is layout and last[1] == negation:
            return last[2]
        found, rows = list[int](), self._rows_by_group(stem for part in negation.denied for stem in part.stems)
        if all(part.kind in _MILD for part in negation.denied):  # a power that locks mostly unlocks, too
            powers = set(layout.groups[layout.power_places].tolist())
            rows = {group: own for group, own in rows.items() if group not in powers}
        for own in rows.values():
            if negation.opposed([self.text(row) for row in own]):  # what else the answer has may speak for it
                every = self._lie.rows_beside(own[0])
                found += [every[place] for place in negation.opposed([self.text(row) for row in every])]
        self._last_negated = layout, negation, found
        return found

    def refuses_powers(self, text: str) -> bool:
        """Return whether a power is lowered because the text refuses what it does."""
        return not set(self.layout().groups[self.layout().power_places].tolist()).isdisjoint(self._opposed_groups(text))

    def negated(self, text: str) -> list[tuple[str, bool]]:
        """Return the triggers that ask for what a text negates, each with whether it is of a power.

        None if the text is a trigger itself.
        """
        if len(self.exact.rows_but_punctuation(without_punctuation(text))):
            return []
        rows = self._negated_rows(text)
        owners = zip(rows, self.holders(rows), strict=True)
        return [(self.text(row), isinstance(answer, Power)) for row, answer in owners]

    def learn(self, regressions: Mapping[bool, Regression]) -> None:
        """Use these regressions, by whether they are for powers; none if empty."""
        self._regressions = regressions
        self.regression = RegressionColumn(regressions) if regressions else None

    def score_as_part_of(self, whole: TriggerIndex, frequencies: Frequencies) -> None:
        """Score the rows as `whole` does, with these word frequencies."""
        self.bm25 = self.bm25.among(frequencies)
        self.reads, self.lapses, self._whole = whole.reads, whole.lapses, whole
        self.learn(whole._regressions)

    def layout(self) -> Layout:
        """Return the layout of live slots and rows, cached until the next change."""
        if self._layout is None:
            self._layout = self._lie.layout()
            self._no_keywords = Known(np.where(self._layout.is_power, 0.0, np.nan))
            self._leaders = {}
        return self._layout

    @property
    def nbytes(self) -> int:
        """Size of all arrays in bytes."""
        of_groups = self.centroids.nbytes + self._descriptions.nbytes
        return sum(column.nbytes for column in self._by_row) + of_groups + self._lie.nbytes

    @property
    def _by_row(self) -> tuple[Column, ...]:
        return self.exact, self.fuzzy, self.token_overlap, self.bm25, self.semantic

    def _touch(self, rows: Sequence[int]) -> None:
        """Mark groups whose rows have new vectors."""
        groups = self._lie.groups_of(rows)
        self.centroids.touch(groups)
        self._descriptions.touch(groups)

    def _place(self, answer: Answer, rows: range) -> None:
        slot = len(self._slots)
        group = self.centroids.group(group_of(answer))
        self.centroids.join(group, rows)
        self._slots.append(Candidate(answer, rows, group))
        self._by_key[key_of(answer)] = slot
        self.digest ^= _digest(answer)
        self.thresholds.put(answer)
        self.lapses.put(answer)
        if isinstance(answer, Power):
            self.keywords.add(slot, answer.name, answer.keywords)
            self._descriptions.put(group, rows, answer)

    def remove(self, key: AnswerKey) -> None:
        """Remove an answer; no error if absent."""
        slot = self._by_key.pop(key, None)
        if slot is None:
            return
        self._turns += 1
        self.changes += 1
        candidate = self.candidate(slot)
        self.digest ^= _digest(candidate.answer)
        self.thresholds.remove(candidate.answer)
        self.lapses.remove(candidate.answer)
        for row in candidate.rows:
            for column in self._by_row:
                column.blank(row, self._texts[row])
        self.centroids.leave(candidate.group, candidate.rows)
        self._descriptions.drop(candidate.group)
        self.keywords.remove(slot)
        self._lie.blank(slot)
        self._slots[slot] = None
        self._blank_rows += len(candidate.rows)
        self._layout = None

    def _keyword_scores(self, layout: Layout, hits: Mapping[int, Sequence[KeywordHit]]) -> Known:
        if not hits:
            return self._no_keywords
        scores = self._no_keywords.every.copy()
        for slot, found in hits.items():
            scores[np.searchsorted(layout.slots, slot)] = keyword_score(found)
        return Known(scores)


def _response_digest(answer: Answer) -> int:
    """Digest that is equal for equal responses; 0 for a power and a memory without a response."""
    response = answer.response.strip() if isinstance(answer, Memory) else ""
    return (hash(response) or 1) if response else 0


def _digest(answer: Answer) -> int:
    """Return a hash of everything that determines an answer's scores (`are_scored_equally`)."""
    words = () if answer.kind is Kind.MEMORY else (answer.name, answer.keywords)
    return hash((key_of(answer), group_of(answer), answer.triggers, words))


def _readings(by_group: Mapping[str, ColumnAnswer]) -> Mapping[bool, Reading]:
    asked = by_group.get("regression")
    return asked.readings if isinstance(asked, RegressionScores) else {}
