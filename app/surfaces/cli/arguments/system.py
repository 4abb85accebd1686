"""Arguments of the system commands: settings, metrics, serving, encoders, checks."""

from __future__ import annotations

from pathlib import Path

from app.surfaces.cli.arguments.values import AddCommand, count, port

ENCODERS = ("intentscope-minilm", "sentence-transformers", "ollama")
INSTALLED = ("sentence-transformers",)
"""Encoders that need an installation."""

CHECKING = "doctor"


def add_metrics(command: AddCommand) -> None:
    counted = command(
        "metrics", "Report what assistants did with memories and powers, and summarize the log of routes."
    )
    counted.add_argument("--days", type=count, default=30, metavar="N", help="number of days, today included")


def add_settings(command: AddCommand) -> None:
    chosen = command("settings", "List settings with their origin, or change them as in the window.")
    chosen.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="set this; a key or words without = list the matching settings",
    )
    chosen.add_argument("--reset", action="append", metavar="KEY", help="reset this setting; may be repeated")


def add_serving(command: AddCommand) -> None:
    command("mcp", "Serve an assistant over MCP on standard input and output.")
    served = command("serve", "Serve assistants over MCP by HTTP, on this machine only and with a token.")
    served.add_argument("--host", default="127.0.0.1", help="a loopback address")
    served.add_argument("--port", type=port, metavar="N", help="by default the setting serve.port; 0: any free one")
    served.add_argument("--show-token", action="store_true", help="print the token that assistants must send")
    served.add_argument("--new-token", action="store_true", help="create a new token, and print it")
    command("hook", "Answer an assistant's prompt hook: JSON on stdin, the injected context on stdout.")
    command("engine", "Answer prompt hooks until none has arrived for a while; started by the hook.")


def add_connect(command: AddCommand) -> None:
    connected = command("connect", "Add this program to an assistant's configuration, after showing the changes.")
    connected.add_argument("client", nargs="?", metavar="CLIENT", help="the assistant; by default all are listed")
    connected.add_argument("--file", type=Path, metavar="FILE", help="the configuration file, if not the default")
    how = connected.add_mutually_exclusive_group()
    how.add_argument("--yes", action="store_true", help="write it without asking")
    how.add_argument("--undo", action="store_true", help="restore the previous file")
    how.add_argument("--print", action="store_true", dest="printed", help="only print the text for the configuration")


def add_encoders(command: AddCommand) -> None:
    offered = command("encoders", "List the encoders with their cost here, and whether they are installed.")
    what = offered.add_mutually_exclusive_group()
    what.add_argument("--install", choices=INSTALLED, metavar="NAME", help="install the missing parts of this one")
    what.add_argument(
        "--try", dest="tried", choices=ENCODERS, metavar="NAME", help="try this one on your labelled cases"
    )


def add_doctor(command: AddCommand) -> None:
    checked = command(CHECKING, "Check profile, library and encoder.")
    checked.add_argument(
        "--library",
        nargs="?",
        const=True,
        default=False,
        metavar="ADDRESS",
        help="also check the library, here or at an address: unreachable thresholds, unused rules and memories",
    )
    checked.add_argument("--compact", action="store_true", help="first compact the library's file")
