"""Arguments of the routing commands: route, simulation, rollout, stores, custom routes."""

from __future__ import annotations

from pathlib import Path

from app.domain.route import COLORS
from app.surfaces.cli.arguments.values import AddCommand, count, hundredths, share


def add_route(command: AddCommand) -> None:
    routed = command("route", "Route a query to a data store, or summarize the log of decisions.")
    routed.add_argument("text", nargs="?", metavar="TEXT")
    routed.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
    routed.add_argument("--no-llm", action="store_true", help="rules and taught examples only")
    routed.add_argument("--run", action="store_true", help="query the stores of the route")
    routed.add_argument("--compare", action="store_true", help="with --run: query every other store, too")
    routed.add_argument("--metrics", action="store_true", help="summary of the log, with the targets")
    routed.add_argument("--audit", action="store_true", help="compare rules, LLM and cases on a hundred queries")
    routed.add_argument("--clear-cache", action="store_true", help="delete the stored answers of the LLM")
    routed.add_argument("--clear-log", action="store_true", help="delete all decisions; their cost is kept")


def add_simulate(command: AddCommand) -> None:
    simulated = command("simulate", "Route queries under today's settings and under others, side by side.")
    simulated.add_argument(
        "queries",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="queries, with the right routes where known; by default the log of decisions",
    )
    simulated.add_argument("--cases", action="store_true", help="the library's own cases for routes instead")
    simulated.add_argument(
        "--last", type=count, default=1_000, metavar="N", help="number of newest decisions of the log"
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
    simulated.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the choice; by default 0")
    simulated.add_argument("--no-llm", action="store_true", help="ask no LLM on either side")


def add_rollout(command: AddCommand) -> None:
    rolled = command(
        "rollout", "Route a share of the queries with other settings and compare; without arguments: print the state."
    )
    rolled.add_argument(
        "share",
        nargs="?",
        type=hundredths,
        metavar="SHARE",
        help="share of the queries in percent, such as 10, 50 or 100; 0 ends it",
    )
    rolled.add_argument(
        "--against",
        action="append",
        metavar="KEY=VALUE",
        default=[],
        help="a setting of the candidate, such as route.threshold=0.95; by default the previous ones",
    )


def add_stores(command: AddCommand) -> None:
    stores = command("stores", "List the data stores that answer routed queries, or fill one.")
    one = stores.add_mutually_exclusive_group()
    one.add_argument("--fill", metavar="NAME", help="write new and changed memories and powers to this store")
    one.add_argument("--password", metavar="NAME", help="store the password of this store; read from stdin")
    one.add_argument(
        "--sources", metavar="NAME", help="list the documents of others on this server, and the setting that reads them"
    )
    one.add_argument(
        "--judge", type=Path, metavar="CASES", help="run labelled queries on every store, and check the routed one"
    )
    stores.add_argument(
        "--task", choices=("intent", "memory", "power"), help="with --judge: task of the cases, if they do not name it"
    )
    stores.add_argument("--yes", action="store_true", help="with --fill: run the statements without asking")


def add_routes(command: AddCommand) -> None:
    own = command("routes", "List, add, change, switch on or off the routes of queries.")
    wanted = own.add_mutually_exclusive_group()
    wanted.add_argument("--add", metavar="NAME", help="add a route of your own")
    wanted.add_argument("--change", metavar="NAME", help="change a route, also a shipped one")
    wanted.add_argument("--on", metavar="NAME", help="switch it on")
    wanted.add_argument("--off", metavar="NAME", help="switch it off; its rules and examples stay")
    wanted.add_argument("--reset", metavar="NAME", help="reset a shipped route; “all”: all five")
    wanted.add_argument("--remove", metavar="NAME", help="remove it with its rules and examples; the log stays")
    wanted.add_argument("--import", type=Path, dest="taken", metavar="FILE", help="import the routes of a TOML file")
    wanted.add_argument("--export", type=Path, metavar="FILE", help="export all to a TOML file; -: stdout")
    own.add_argument("--name", metavar="NEW", help="with --change: new name of a route of your own")
    own.add_argument("--title", metavar="WORDS", help="with --add or --change: title on buttons")
    own.add_argument("--stores", metavar="A,B", help="with --add or --change: its stores; by default its name")
    own.add_argument("--colour", choices=COLORS, help="with --add or --change: its colour")
    own.add_argument("--about", metavar="WORDS", help="with --add or --change: its description for the LLM")
