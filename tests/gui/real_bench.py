"""Workbench with a real engine on a library in memory, for tests."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from app.adapters.datastores.table import DATA_STORES
from app.adapters.encoders.table import ENCODERS
from app.adapters.formats.query_logs import read_log
from app.bootstrap import read_file, write_file
from app.display.documents import inspection_document
from app.domain.library import Line, Memory, Power, Problem
from app.ports.power import PowerRunner
from app.ports.store import Library
from app.services.engine.adapters import Encoder, SettingsRead
from app.services.workbench import Workbench
from app.settings.model import SettingsSources
from tests.unit.services.benches import LetterEncoder, adapters_of


def real_bench(
    library: Library,
    answers: Iterable[Memory | Power] = (),
    *,
    runner: Callable[[], PowerRunner] | None = None,
    seed: Mapping[str, Callable[[], Iterable[Line[Any] | Problem]]] = MappingProxyType({}),
) -> Workbench:
    """Make the workbench, not yet opened; the library holds these answers."""
    kept = list(answers)
    library.add("memories", [answer for answer in kept if isinstance(answer, Memory)])
    library.add("powers", [answer for answer in kept if isinstance(answer, Power)])
    outside = adapters_of(
        open_library=lambda: library,
        encoders={name: Encoder(lambda _: LetterEncoder()) for name in ENCODERS},
        seed=seed,
        read_file=read_file,
        write_file=write_file,
        trace_document=inspection_document,
        read_log=read_log,
        make_power_runner=runner,
        data_stores=DATA_STORES,
    )
    said = {"search_intent.debounce_ms": 0}
    return Workbench(outside, SettingsRead(SettingsSources(file={"combination": "balanced"}, command_line=said)))
