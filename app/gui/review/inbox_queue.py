"""Queue of the inbox: the list, the current query, and the inline choice for teaching it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QRect, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QCompleter, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.display import numbers
from app.display.library.tables import Column
from app.display.library.teaching import TeachingTarget, preview_base, preview_lines, preview_short
from app.display.review import inbox
from app.display.review.history import answer_chance, answer_limits, level_of, text_of
from app.display.review.inbox import PRESETS
from app.display.review.trace import StoredMatch, heading
from app.display.words import UNREACHED
from app.domain.filters import SearchResult, place_of
from app.domain.history import Doubt, HistoryEntry
from app.domain.inspection import Inspection
from app.domain.library import Answer
from app.domain.why_not import EditPreview
from app.gui.bridge.engine_thread import AnswerLike, Worker, ignore
from app.gui.kit.controls import button, line_edit, set_primary, single_shot
from app.gui.kit.document import DocumentView, heading_html, icon_html, level_html, span
from app.gui.kit.fields import handle_escape
from app.gui.kit.layouts import FlowLayout, fill, spaced
from app.gui.kit.page import native
from app.gui.kit.pane_parts import WrappedLabel
from app.gui.kit.sheet import Ruled
from app.gui.kit.tables.delegates import TwoLineList, TwoLineRow
from app.gui.kit.tables.list_detail import DigitList
from app.gui.kit.tables.rows import ROW_ROLE, Index, PagedModel
from app.gui.kit.theme import Theme
from app.settings.model import Settings

if TYPE_CHECKING:
    from app.services.workbench import Workbench


_ROW = 28
_TOLD = 34
_LOOK_AFTER_MS = 80


class TeachBox(Ruled):
    """Digits and arrows choose an answer, letters start a label, Enter confirms, Escape closes."""

    ground = "raised"
    mark = "accent"

    trigger_chosen = Signal(AnswerLike)  # answer that gets the query as a trigger
    label_chosen = Signal(str)  # label of a new memory, "" for none
    draft_changed = Signal(int, AnswerLike, str)  # ticket, answer that would get the trigger (or None), label
    closed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.choices: Sequence[TeachingTarget] = ()
        self.setAccessibleName("Teach the query")
        self.title = WrappedLabel(
            "Add to an existing answer: press its number or use the arrows, then Enter", role="caption"
        )
        self.list = DigitList(theme, "Answers that the query can become a trigger of", edge=12)
        self.list.installEventFilter(self)
        self.list.opened.connect(self._choose)
        self.list.written.connect(self._begin_label)
        self.list.clicked.connect(lambda index: self._choose(index.row()))
        self.none = WrappedLabel("Nothing answers it. Teach it as a new memory.", role="caption")
        self.label = line_edit(
            "Intent of the new memory",
            longest=200,
            hint="intent (optional); memories with the same intent count as one answer",
        )
        self.label.installEventFilter(self)
        self.label.textChanged.connect(self._on_draft)
        self.list.picked.connect(self._on_draft)
        self.label.returnPressed.connect(lambda: self.label_chosen.emit(self.label.text().strip()))
        self._labels = QStringListModel(self)
        self._completer = QCompleter(self._labels, self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.label.setCompleter(self._completer)
        self.verb = button("Teach  Enter", primary=True, press=self.confirm, name="Teach")
        self.effect = WrappedLabel(role="caption", shade="text_2")
        self.effect.setMinimumHeight(theme.px(_TOLD))  # fixed space, so that nothing moves during the preview
        self.effect.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._ticket, self._is_labelling = 0, False
        self._timer = single_shot(self, _LOOK_AFTER_MS, self._emit_draft)
        self.cancel = button("Cancel  Esc", press=self.closed.emit, name="Cancel")
        self._arrange()
        self.setVisible(False)

    def _arrange(self) -> None:
        px = self.theme.px
        foot = spaced(QHBoxLayout(), px(8))
        self.as_memory = WrappedLabel("Or a new memory:", role="caption")
        self.as_memory.setSizePolicy(self.verb.sizePolicy())
        fill(foot, self.as_memory, (self.label, 1), self.verb, self.cancel)
        column = spaced(QVBoxLayout(self), px(8), px(24), px(10), px(16), px(12))
        fill(column, self.title, self.list, self.none, foot, self.effect)

    def begin(self, choices: Sequence[TeachingTarget] | None) -> None:
        """Open with these answers; None if they are still loading."""
        self.label.clear()
        self.show_choices(())
        self.show_choices(choices)
        self.setVisible(True)
        self._is_labelling = choices == ()
        self._on_draft()
        (self.label if choices == () else self.list).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_choices(self, choices: Sequence[TeachingTarget] | None) -> None:
        """Offer the answers; a started choice stays."""
        place, is_known = self.list.currentIndex().row(), choices is not None
        self.choices = choices = choices or ()
        self.list.show_lines([one.line for one in choices])
        self.list.setVisible(bool(choices) or not is_known)
        self.title.setVisible(bool(choices) or not is_known)
        self.none.setVisible(not choices and is_known)
        self.list.setFixedHeight(self.theme.px(_ROW) * max(1, len(choices)) + 2)
        if choices:
            self.list.pick(max(0, min(place, len(choices) - 1)))

    def show_labels(self, labels: Sequence[str]) -> None:
        self._labels.setStringList(list(labels))

    def draft(self) -> Answer | str | None:
        """Return what would be taught: a label, or an answer that gets the trigger; None: neither."""
        label, place = self.label.text().strip(), self.list.currentIndex().row()
        if self.list.hasFocus() or (self.choices and not label and not self._is_labelling):
            return self.choices[place].match.answer if 0 <= place < len(self.choices) else None
        return label

    def confirm(self) -> None:
        drafted = self.draft()
        if isinstance(drafted, str):
            self.label_chosen.emit(drafted)
        elif drafted is not None:
            self.trigger_chosen.emit(drafted)

    def show_preview(self, ticket: int, preview: EditPreview) -> None:
        """Show the latest draft's effect on the button, and the affected cases and queries below."""
        if ticket == self._ticket and (short := preview_short(preview)):
            self.verb.setText(f"Teach: {short}  Enter")
            self.verb.setAccessibleName(f"Teach: {short}")
            self.effect.setText(" ".join((preview_base(preview), *preview_lines(preview))))

    def _on_draft(self) -> None:
        """Emit a changed draft, whose effect is unknown."""
        self._ticket += 1
        self.verb.setText("Teach  Enter")
        self.verb.setAccessibleName("Teach")
        self.effect.setText("")
        self._timer.start()

    def _emit_draft(self) -> None:
        drafted = self.draft()
        if drafted is not None and self.isVisible():
            is_label = isinstance(drafted, str)
            self.draft_changed.emit(self._ticket, None if is_label else drafted, drafted if is_label else "")

    def _choose(self, place: int) -> None:
        if 0 <= place < len(self.choices):
            self.trigger_chosen.emit(self.choices[place].match.answer)

    # ---- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusIn:
            # A click on the button takes the focus without changing the draft.
            self._is_labelling = watched is self.label
            self._on_draft()
        if handle_escape(event, self.closed.emit):
            return True
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        return self._on_list_key(event) if watched is self.list else self._on_label_key(event)

    def _on_list_key(self, event: QKeyEvent) -> bool:
        at_end = self.list.currentIndex().row() == len(self.choices) - 1
        if event.key() == Qt.Key.Key_Down and at_end:
            self.label.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def _begin_label(self, letter: str) -> None:
        self.label.setFocus(Qt.FocusReason.OtherFocusReason)
        self.label.insert(letter)
        self._completer.setCompletionPrefix(self.label.text())

    def _on_label_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Up and self.choices:
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False

    def hairlines(self) -> Iterator[QRect]:
        yield QRect(0, 0, self.width(), 1)
        yield QRect(0, self.height() - 1, self.width(), 1)


def taught_as(label: str) -> str:
    """Describe what the query is taught as, within a sentence."""
    return f"a new memory with the intent {label}" if label else "a new memory"


@dataclass(frozen=True, slots=True)
class InboxDetail:
    """Detail of a query: its trace, its answer today, and differing answers by preset.

    `today` is None while the encoder loads; `is_whole` is True if no more follows.
    """

    past: HistoryEntry
    today: Inspection | None = None
    by_preset: Mapping[str, Inspection] = field(default_factory=dict)
    is_whole: bool = True


MOST = 200
"""Capacity of the cache."""


class DetailCache(QObject):
    """Cache of details by key. A stale one is shown until a new one is loaded."""

    loaded = Signal(int, InboxDetail)  # key, detail
    failed = Signal(int, str)  # key of the failed detail, a sentence
    _arrived = Signal(int, InboxDetail)  # key, detail; None if the query is gone

    def __init__(self, worker: Worker, parent: QObject) -> None:
        super().__init__(parent)
        self._worker = worker
        self._kept: dict[int, tuple[int, InboxDetail]] = {}
        self._asked: set[int] = set()
        self._epoch = 0
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self.failed.connect(self._on_failed, Qt.ConnectionType.QueuedConnection)

    def of(self, key: int | None) -> InboxDetail | None:
        """Return the cached detail of a query; None if there is none."""
        kept = self._kept.get(key) if key is not None else None
        return kept[1] if kept is not None else None

    def ask(self, key: int, *, anew: bool = False) -> None:
        """Load the detail of an uncached query; with `anew` also a stale one."""
        kept = self._kept.get(key)
        if key not in self._asked and (kept is None or (anew and kept[0] < self._epoch)):
            self._asked.add(key)
            self._load(key)

    def _load(self, key: int) -> None:
        """Load one query with its trace, then its present answer."""

        async def act(bench: Workbench) -> None:
            past = await bench.history.one(key)
            loads = bench.engine.encoder is None and bench.engine.encoder_fault is None
            is_whole = past is None or past.text is None or loads
            self._arrived.emit(key, None if past is None else InboxDetail(past, is_whole=is_whole))
            if past is None or past.text is None or loads:
                return
            today = await bench.settle_as(past.text, {})
            differed = Doubt.PRESETS in past.doubts
            by_preset = {name: await bench.settle_as(past.text, {"preset": name}) for name in PRESETS if differed}
            self._arrived.emit(key, InboxDetail(past, today, by_preset))

        self._worker.do(act, ignore, lambda sentence: self.failed.emit(key, sentence))

    def outdate(self) -> None:
        """Mark all cached details as stale, after a change of library or settings."""
        self._epoch += 1

    def forget(self, key: int) -> None:
        """Drop the detail of a query that no longer waits."""
        self._kept.pop(key, None)

    def _on_failed(self, key: int) -> None:
        """Let the next `ask` try again after a failure."""
        self._asked.discard(key)

    def _on_arrived(self, key: int, look: InboxDetail | None) -> None:
        if look is None or look.is_whole:
            self._asked.discard(key)
        if look is None:
            self.forget(key)
            return
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (self._epoch, look)
        self.loaded.emit(key, look)


class InboxCard(DocumentView):
    """Current query: its row at once, trace and present answer below it once loaded."""

    pad = 24
    past: HistoryEntry | None = None
    today: Inspection | None = None

    def show_row(self, past: HistoryEntry | None, settings: Settings | None) -> None:
        self.past, self.today = past, None
        self.show_html("" if past is None else _card_html(past, None, inbox.reasons(past, settings, {}), settings))

    def show_detail(self, detail: InboxDetail, settings: Settings | None) -> None:
        self.past, self.today = detail.past, detail.today
        reasons = inbox.reasons(detail.past, settings, detail.by_preset)
        self.show_html(_card_html(detail.past, detail.today, reasons, settings))


def _card_html(
    past: HistoryEntry, today: Inspection | None, reasons: Iterable[inbox.Reason], settings: Settings | None
) -> str:
    whys = "".join(
        f'<p class="below">{icon_html("warning", "warning", 15)}&nbsp; {span(reason.word, "body strong")}&nbsp; '
        f"{span(reason.sentence, 'text_2')}</p>"
        for reason in reasons
    )
    matches = "".join(
        _match_html(match, answer_limits(past, match.kind), is_first=place == 0)
        for place, match in enumerate(inbox.first_matches(past, settings))
    )
    parts = (
        heading_html(past.text or "", "query"),
        span(heading(past), "text_2", "p"),
        span("Why it is here", "head", "p"),
        whys,
        span("What the engine answered", "head", "p"),
        span(inbox.intent_line(past), "body strong", "p"),
        f'<table width="100%" cellspacing="0">{matches}</table>' if matches else "",
        "" if matches else span("Nothing answered it.", "text_2", "p"),
        span(inbox.today_line(past, today), "text_2", "p"),
    )
    return "".join(parts)


def _match_html(match: StoredMatch, limits: tuple[float, ...], *, is_first: bool) -> str:
    """Return one answer as a row; only the first says its level, if low, as the reason is about it."""
    icon = icon_html("power" if match.kind == "power" else "memory", "accent" if is_first else "text_2", 15)
    shown = match.lack or match.level
    level = (
        ""
        if shown is None or (not is_first and shown in UNREACHED)
        else f"&nbsp; {level_html(shown)}{span(match.level_word, 'text_2')}"
    )
    number = span(numbers.rough_chance(match.confidence, limits), f"strong {'number' if is_first else 'body'}")
    name = f"{span(match.title, 'body strong' if is_first else 'body')} {span(match.phrase, 'text_2')}"
    said = f"{icon}&nbsp; {name.rstrip()}{level}"
    return f'<tr><td class="rule">{said}</td><td align="right" class="rule">{number}</td></tr>'


# ---- Current query with its actions, the last result, the teaching choice and the card


class InboxFront(QWidget):
    """Current query with its decisions, each with its letter on the button.

    From the first message on it has fixed space, so that nothing moves.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.verbs: dict[str, QPushButton] = {}
        for verb in inbox.VERBS:
            made = button(f"{verb.word}  {verb.letter}", tip=f"{verb.tip} ({verb.letter})", name=verb.word)
            self.verbs[verb.key] = made
        set_primary(self.verbs["teach"], True)
        self.message = WrappedLabel(role="caption")
        self.message.setMinimumHeight(theme.px(28))
        self.message.hide()
        self.back = button(f"Undo  {native('Ctrl+Z')}", link=True, name="Undo the last decision")
        self.back.setVisible(False)
        self.why = button("Why not  E", link=True)
        self.why.setToolTip("Explain on the scope where the expected answer was lost (E)")
        self.why.setAccessibleName("Why not")
        self.teach = TeachBox(theme)
        self.card = InboxCard(theme, "The query in front", widest=808)
        self._arrange(theme)

    def _arrange(self, theme: Theme) -> None:
        px = theme.px
        above = spaced(FlowLayout(px(6)), None, px(24), px(10), px(12), px(8))
        fill(above, *self.verbs.values(), self.why)
        below = fill(spaced(QHBoxLayout(), px(8), px(24), 0, px(12), px(6)), (self.message, 1), self.back)
        fill(spaced(QVBoxLayout(self), 0, 1, 0, 0, 0), above, below, self.teach, (self.card, 1))

    def show_message(self, sentence: str, *, can_undo: bool) -> None:
        """Show what was just done, with an undo."""
        self.message.show_text(sentence)
        self.message.setVisible(True)
        self.back.setVisible(can_undo)

    def close_teach(self, then: QWidget) -> None:
        """Cancel teaching; the focus returns."""
        had_focus = self.teach.isAncestorOf(QApplication.focusWidget() or then)
        self.teach.setVisible(False)
        set_primary(self.verbs["teach"], True)
        if had_focus:
            then.setFocus(Qt.FocusReason.OtherFocusReason)


# ---- List of waiting queries: rows in view are loaded, decided ones removed at once.


_COLUMNS: tuple[Column[HistoryEntry], ...] = (Column("text", "Query", text_of, 300),)


class InboxModel(PagedModel[HistoryEntry]):
    """Waiting queries in order."""

    def __init__(self) -> None:
        super().__init__(_COLUMNS)
        self.settings: Settings | None = None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (ROW_ROLE, Qt.ItemDataRole.AccessibleTextRole) or not index.isValid():
            return super().data(index, role)
        row = self.row_at(index.row())
        if row is None:
            return None if role == ROW_ROLE else super().data(index, role)
        if role == ROW_ROLE:
            return TwoLineRow(text_of(row), inbox.reasons_line(row), answer_chance(row), level_of(row, self.settings))
        return inbox.accessible_text(row)


class InboxList(TwoLineList):
    """List of waiting queries; the current row is the shown query."""

    def __init__(self, theme: Theme, name: str) -> None:
        self.queue = InboxModel()
        super().__init__(theme, name, self.queue)
        self.queue.setParent(self)
        self._wanted: int | None = None
        self.seen.connect(self.queue.show_range)

    @property
    def key(self) -> int | None:
        return self.queue.keys[self.place] if 0 <= self.place < len(self.queue.keys) else None

    @property
    def row(self) -> HistoryEntry | None:
        """Current query, if it is loaded."""
        return self.queue.row_at(self.place)

    def show_found(self, found: SearchResult, gone: Collection[int]) -> None:
        """Show a result without keys in `gone`, whose decisions run; the current query stays."""
        keys = [key for key in found.keys if key not in gone]
        if keys == self.queue.keys:
            self.queue.take_rows(found.rows, list(found.rows))
            return
        place, still = self.place, self.key
        self.queue.show_keys(keys, found.rows)
        wanted = None if self._wanted is None else place_of(keys, self._wanted)
        if wanted is not None:
            place, self._wanted = wanted, None
        elif (found_again := place_of(keys, still)) is not None:
            place = found_again
        self.go_to(place)

    def wait_for(self, key: int | None) -> None:
        """Make this query current as soon as it waits again."""
        self._wanted = key

    def drop_front(self) -> None:
        """Remove the current query; the next one becomes current at once."""
        place, keys = self.place, list(self.queue.keys)
        del keys[place]
        self.queue.show_keys(keys, {})
        self.go_to(place)

    def bring_back(self, place: int, key: int, row: HistoryEntry) -> None:
        """Insert a query near its former place; the current one stays."""
        front, keys = self.key, list(self.queue.keys)
        keys.insert(place, key)
        self.queue.show_keys(keys, {key: row})
        self.go_to(keys.index(key if front is None else front))
