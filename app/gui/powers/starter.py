"""Starting and stopping powers from anywhere in the window: the one that is meant, the question first, the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from app.display import words
from app.display.powers.running import StartAsked, is_on
from app.domain.library import Power
from app.domain.running import shown
from app.gui.bridge.events import power_watch_of
from app.gui.powers.start_dialog import StartDialog, StartJobs

if TYPE_CHECKING:
    from app.gui.kit.shell import Shell

SERVER = "server"
"""What a page that has powers calls the place where their servers are seen."""


class PowerStarter(QObject):
    """One window's. At most one question is open; nothing is started without its yes, but what was approved before."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.window())
        self._shell = shell
        self.watch = power_watch_of(shell.worker)
        self.jobs: StartJobs = StartJobs(shell.worker, self)
        self.dialog: StartDialog | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self.jobs.asked.connect(self._ask, queued)
        self.jobs.started.connect(self._on_started, queued)
        self.jobs.approved.connect(self._on_approved, queued)
        self.jobs.refused.connect(self._on_refused, queued)
        self.jobs.stopped.connect(self._on_stopped, queued)

    # ---- which is meant

    @property
    def target(self) -> Power | None:
        """The power that is meant: what is picked on the open page."""
        return self._shell.page.power_meant()

    def start_refusal(self) -> str:
        """Why there is nothing to start; "" if there is."""
        power = self.target
        if power is None:
            return words.say("Select a power first, on the powers page or among the matches.")
        if power.key is None and not power.name.strip():
            return words.say("Give the power a name first.")
        if is_on(self.watch.runs.get(power.name)):
            return words.say("“{name}” runs already.", name=shown(power.name, 80))
        return ""

    def stop_refusal(self) -> str:
        """Why there is nothing to stop; "" if there is."""
        power = self.target
        if power is None:
            return words.say("Select a power first, on the powers page or among the matches.")
        if not is_on(self.watch.runs.get(power.name)):
            return words.say("“{name}” does not run.", name=shown(power.name, 80))
        return ""

    def approve_refusal(self) -> str:
        """Why there is nothing to approve; "" if there is."""
        power = self.target
        if power is None:
            return words.say("Select a power first, on the powers page or among the matches.")
        if power.key is None and not power.name.strip():
            return words.say("Give the power a name first.")
        if not (power.transport.command or power.transport.url):
            return words.say("It has neither a command nor an address, so there is nothing to approve.")
        return ""

    def all_refusal(self) -> str:
        """Why there is nothing to stop at all; "" if there is."""
        return "" if self.watch.count else words.say("No power runs.")

    # ---- what a person does

    def start(self) -> None:
        """Start the power that is meant, as it is seen."""
        page = self._shell.page

        def start(power: Power) -> None:
            page.go_to(SERVER)
            self.jobs.start(power.name)

        page.with_power(start)

    def approve(self) -> None:
        """Have the question asked about the power that is meant, without starting it."""
        self._shell.page.with_power(lambda power: self.jobs.approve(power.name))

    def stop(self) -> None:
        """Stop the power that is meant."""
        power = self.target
        if power is not None:
            self.jobs.stop(power.name)

    def stop_all(self) -> None:
        """Stop every power."""
        self.jobs.stop_all(self.watch.count)

    # ---- the question

    def _ask(self, asked: StartAsked) -> None:
        if self.dialog is not None:
            return  # one question at a time
        dialog = self.dialog = StartDialog(self._shell.theme, asked, self._shell.window())
        dialog.accepted.connect(lambda: self._on_yes(asked))
        dialog.finished.connect(self._on_closed)
        dialog.open()

    def _on_yes(self, asked: StartAsked) -> None:
        act = self.jobs.approve if asked.only_approves else self.jobs.start
        act(asked.power, asked.text)

    def _on_closed(self, _: int) -> None:
        self.dialog = None

    # ---- what comes back

    def _on_started(self, name: str, was_approved: bool) -> None:
        said = "Approved and started “{name}”." if was_approved else "“{name}” runs."
        self._shell.tell(words.say(said, name=shown(name, 80)), undo=was_approved)

    def _on_approved(self, name: str) -> None:
        sentence = words.say("Approved “{name}”.", name=shown(name, 80))
        self._shell.tell(sentence, undo=True)

    def _on_refused(self, name: str, sentence: str) -> None:
        self._shell.tell(shown(sentence, 400), bad=True)

    def _on_stopped(self, count: int) -> None:
        self._shell.tell(words.say_n(count, "Stopped {n} power.", "Stopped {n} powers."))
