"""The commands of the program itself: settings, figures, serving assistants, encoders, and its check."""

from __future__ import annotations

from pathlib import Path

from app.surfaces.cli.arguments.values import AddCommand, count, port

ENCODERS = ("intentscope-minilm", "sentence-transformers", "ollama")
INSTALLED = ("sentence-transformers",)
"""The encoders that are not there from the start."""

CHECKING = "doctor"


def add_metrics(command: AddCommand) -> None:
    counted = command("metrics", "What assistants did with memories and powers, and what the log of routes comes to.")
    counted.add_argument("--days", type=count, default=30, metavar="N", help="so many days, today among them")


def add_settings(command: AddCommand) -> None:
    chosen = command("settings", "What is set and where that comes from; set for good, as in the window.")
    chosen.add_argument(
        "words",
        nargs="*",
        default=[],
        metavar="KEY=VALUE",
        help="set this; a key or words without = list what has them",
    )
    chosen.add_argument("--reset", action="append", metavar="KEY", help="forget what was set; may be repeated")


def add_serving(command: AddCommand) -> None:
    command("mcp", "Answer an assistant over MCP on standard input and output.")
    served = command("serve", "Answer assistants over MCP by HTTP, on this machine only and behind a token.")
    served.add_argument("--host", default="127.0.0.1", help="a loopback address")
    served.add_argument("--port", type=port, metavar="N", help="by default the setting serve.port; 0: any free one")
    served.add_argument("--show-token", action="store_true", help="print the token that assistants have to send")
    served.add_argument("--new-token", action="store_true", help="make another token, and print it")
    command("hook", "Answer an assistant's prompt hook: JSON on stdin, what joins the context on stdout.")
    command("engine", "Answer prompt hooks until none has come for a while; the hook starts it by itself.")


def add_connect(command: AddCommand) -> None:
    connected = command("connect", "Name this program in an assistant's configuration, after showing what changes.")
    connected.add_argument("client", nargs="?", metavar="CLIENT", help="which assistant; without, all are listed")
    connected.add_argument("--file", type=Path, metavar="FILE", help="the configuration, if it is another file")
    how = connected.add_mutually_exclusive_group()
    how.add_argument("--yes", action="store_true", help="write it without asking")
    how.add_argument("--undo", action="store_true", help="put the file back as it was before")
    how.add_argument(
        "--print", action="store_true", dest="printed", help="only print what belongs into a configuration"
    )


def add_encoders(command: AddCommand) -> None:
    offered = command("encoders", "What turns texts into vectors: what each costs here, and what is not installed yet.")
    what = offered.add_mutually_exclusive_group()
    what.add_argument("--install", choices=INSTALLED, metavar="NAME", help="fetch what this one lacks")
    what.add_argument(
        "--try",
        dest="tried",
        choices=ENCODERS,
        metavar="NAME",
        help="what this one would do to your labelled cases",
    )


def add_doctor(command: AddCommand) -> None:
    checked = command(CHECKING, "Check profile, library and encoder.")
    checked.add_argument(
        "--library",
        nargs="?",
        const=True,
        default=False,
        metavar="ADDRESS",
        help="also what cannot be reached, never fires, or never comes first; here or at an address",
    )
    checked.add_argument(
        "--compact",
        action="store_true",
        help="first make the library's file smaller: what was kept larger or is free",
    )
