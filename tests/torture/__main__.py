"""The front door: `python -m tests.torture soak ...`."""

from __future__ import annotations

import sys


def main() -> int:
    if sys.argv[1:2] == ["soak"]:
        from tests.torture import soak

        return soak.main(sys.argv[2:])
    raise SystemExit(f"There is no kind of attempt called {sys.argv[1:2]}.")


if __name__ == "__main__":
    sys.exit(main())
