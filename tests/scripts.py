"""Loader of the scripts in packaging, which are no package, for tests."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

PROJECT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    known = f"packaging_{name}"
    if known not in sys.modules:
        spec = spec_from_file_location(known, PROJECT / "packaging" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[known] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[known])
    return sys.modules[known]
