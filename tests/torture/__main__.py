"""Run attacks on the program, bounded and repeatable by their seed.

    python -m tests.torture [KIND ...] --seed N --rounds N
    python -m tests.torture soak --minutes N
    python -m tests.torture team --kills N
    python -m tests.torture team --faults

Kinds are kill, disk, models, input, wire, powers, llm, places and outside; without any, all of them. Everything stays
on this machine: it only reaches loopback, and ends each program that it started. The exit code is 1 if a promise was
broken.
"""

import argparse
import importlib
import os
import sys

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ["QT_QPA_PLATFORM"] = "offscreen"

KINDS = {
    name: f"tests.torture.{module}"
    for name, module in (
        ("kill", "kill"),
        ("disk", "disk"),
        ("models", "models"),
        ("input", "inputs"),
        ("wire", "wire"),
        ("powers", "powers"),
        ("llm", "llm"),
        ("places", "places"),
        ("outside", "outside"),
    )
}


def main() -> int:
    if sys.argv[1:2] == ["soak"]:
        from tests.torture import soak

        return soak.main(sys.argv[2:])
    if sys.argv[1:3] == ["team", "--faults"]:
        from tests.torture import team_faults

        return team_faults.main()
    if sys.argv[1:2] == ["team"]:
        from tests.torture import team

        return team.main(sys.argv[2:])
    from tests.torture.attempts import carry_out, fell, table

    asked = argparse.ArgumentParser(
        prog="python -m tests.torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}, or soak")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--rounds", type=int, default=20, help="of each attempt; of slow ones fewer are made")
    asked.add_argument("--first", type=int, default=0, help="the first round, to do one again")
    asked.add_argument("--only", default="", metavar="WORDS", help="attempts whose name holds these words")
    asked.add_argument("--but", default=[], action="append", metavar="WORDS", help="attempts to leave out")
    asked.add_argument("--few", type=int, default=0, metavar="N", help="only so many attempts of each kind, evenly")
    asked.add_argument("--seconds", type=float, default=float("inf"), help="the longest time in all")
    options = asked.parse_args()
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown:
        asked.error(f"unknown kind {unknown[0]}; choose from {', '.join(KINDS)}, soak")
    modules = [importlib.import_module(KINDS[kind]) for kind in options.kinds or KINDS]
    attempts = []
    for module in modules:
        own = [row for row in module.ATTEMPTS if options.only in row.name]
        own = [row for row in own if not any(words in row.name for words in options.but)]
        attempts += own[:: -(-len(own) // options.few)] if options.few and own else own
    rows = carry_out(attempts, options.seed, options.rounds, options.first, options.seconds)
    print(table(rows))
    return 1 if fell(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
