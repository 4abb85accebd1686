"""Wait of a program that takes pictures of windows."""

from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication


def settle(app: QApplication, done: Callable[[], bool], seconds: float = 5.0, rest_ms: int = 350) -> None:
    """Run the event loop until a condition holds, and a little longer."""
    deadline = QDeadlineTimer(round(seconds * 1000))
    while not done() and not deadline.hasExpired():
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    loop = QEventLoop(app)
    QTimer.singleShot(rest_ms, loop.quit)
    loop.exec()
