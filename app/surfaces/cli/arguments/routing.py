"""The commands of routes: a query routed, settings simulated and rolled out, stores, and routes of one's own."""

from __future__ import annotations

from pathlib import Path

from app.domain.route import COLORS
from app.surfaces.cli.arguments.values import AddCommand, count, hundredths, share


def add_route(command: AddCommand) -> None:
    routed = command("route", "Which data store should answer a query, and what the log of such decisions comes to.")
    routed.add_argument("text", nargs="?", metavar="TEXT")
    routed.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
    routed.add_argument("--no-llm", action="store_true", help="rules and taught examples only")
    routed.add_argument("--run", action="store_true", help="have the stores answer that the route leads to")
    routed.add_argument("--compare", action="store_true", help="with --run: ask every other store, too")
    routed.add_argument("--metrics", action="store_true", help="what the log comes to, beside the targets")
    routed.add_argument("--audit", action="store_true", help="what rules, LLM and cases say of a hundred queries")
    routed.add_argument("--clear-cache", action="store_true", help="forget what the LLM said")
    routed.add_argument("--clear-log", action="store_true", help="forget all decisions; what they cost stays")


def add_simulate(command: AddCommand) -> None:
    simulated = command("simulate", "Queries routed under today's settings and under others, side by side.")
    simulated.add_argument(
        "queries",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="queries, with the routes that are right where known; by default the log of decisions",
    )
    simulated.add_argument("--cases", action="store_true", help="the library's own cases for routes instead")
    simulated.add_argument(
        "--last", type=count, default=1_000, metavar="N", help="so many decisions of the log, the newest"
    )
    simulated.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a changed setting, such as route.threshold=0.95; may be repeated",
    )
    simulated.add_argument(
        "--llm-fails",
        type=share,
        default=0.0,
        metavar="SHARE",
        help="share of the LLM's answers that fail under the change, such as 0.2",
    )
    simulated.add_argument("--seed", type=int, default=0, metavar="N", help="which of them; by default 0")
    simulated.add_argument("--no-llm", action="store_true", help="ask no LLM on either side")


def add_rollout(command: AddCommand) -> None:
    rolled = command(
        "rollout",
        "Let some queries be routed by other settings, and see how both do; without words: how it stands.",
    )
    rolled.add_argument(
        "share",
        nargs="?",
        type=hundredths,
        metavar="SHARE",
        help="so many of a hundred queries, such as 10, 50 or 100; 0 goes back",
    )
    rolled.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a setting of the candidate, such as route.threshold=0.95; by default those that it had",
    )


def add_stores(command: AddCommand) -> None:
    stores = command("stores", "The data stores that answer routed queries: what each holds; fill one.")
    one = stores.add_mutually_exclusive_group()
    one.add_argument("--fill", metavar="NAME", help="bring what is taught into this store, as far as it changed")
    one.add_argument("--password", metavar="NAME", help="keep the password of this store; read from stdin")
    one.add_argument(
        "--sources",
        metavar="NAME",
        help="list what others keep on this server, and the setting that would read it",
    )
    one.add_argument(
        "--judge", type=Path, metavar="CASES", help="put labelled queries to every store: was the routed one right"
    )
    stores.add_argument(
        "--task",
        choices=("intent", "memory", "power"),
        help="with --judge: what the cases expect, if they do not say",
    )
    stores.add_argument("--yes", action="store_true", help="with --fill: run the statements without asking")


def add_routes(command: AddCommand) -> None:
    own = command("routes", "The routes that queries can take: listed, added, changed, switched on and off.")
    wanted = own.add_mutually_exclusive_group()
    wanted.add_argument("--add", metavar="NAME", help="set up a route of your own")
    wanted.add_argument("--change", metavar="NAME", help="let a route be so, also one that ships")
    wanted.add_argument("--on", metavar="NAME", help="let it be decided for again")
    wanted.add_argument("--off", metavar="NAME", help="nothing decides for it; its rules and examples stay")
    wanted.add_argument("--reset", metavar="NAME", help="as it came with the program; “all”: all five that ship")
    wanted.add_argument("--remove", metavar="NAME", help="remove it with its rules and examples; the log stays")
    wanted.add_argument("--import", type=Path, dest="taken", metavar="FILE", help="set up those of a TOML file")
    wanted.add_argument("--export", type=Path, metavar="FILE", help="write all as a TOML file; -: to the screen")
    own.add_argument("--name", metavar="NEW", help="with --change: what a route of your own is called from now on")
    own.add_argument("--title", metavar="WORDS", help="with --add or --change: what it is called on a button")
    own.add_argument("--stores", metavar="A,B", help="with --add or --change: what answers; by default its name")
    own.add_argument("--colour", choices=COLORS, help="with --add or --change: what it is drawn in")
    own.add_argument("--about", metavar="WORDS", help="with --add or --change: what an LLM knows it by")
