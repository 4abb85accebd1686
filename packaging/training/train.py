#!/usr/bin/env python3
"""Train the upper layers of the encoder and write its file.

    python packaging/training/train.py DATA TARGET --original FOLDER [--teacher FOLDER] [--evaluation PATH ...]

README.md describes the data, the required packages and the time. Texts of evaluation sets and of the program's own
resources are dropped before training; --check prints how many, without training.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from texts import Draws, Prepared, measured, read  # noqa: E402 - the folder is not a package

if TYPE_CHECKING:
    from tuning import Run, State, Teacher

SHIPPED = [PROJECT / "resources" / "datasets", PROJECT / "resources" / "seed"]
TEMPLATE = PROJECT / "resources" / "encoders" / "intentscope-minilm" / "model.onnx"
SEED = 1
SHARES = {"original": 0.2, "B": 0.2, "C": 0.2, "D": 0.4}
"""Weights of the runs in the average that the last run starts from."""
LAST_SHARE = 0.85
"""Weight of the last run in the average with what it starts from."""
TAUGHT_REQUESTS, TAUGHT_PAIRS, TAUGHT_OTHERS, LONGEST_TAUGHT = 7_500, 2_250, 7_400, 220


def chains() -> list[list[Run]]:
    """Return the runs in two chains, one per core, that both start from the original."""
    from tuning import Run

    short = [Run("A", 300, 700, 5e-5), Run("B", 300, 300, 4e-5, cosines=0.8), Run("C", 300, 450, 5e-5, cosines=0.8)]
    return [short, [Run("D", 1000, 1000, 6e-5, pairs=1.2, cosines=1.2)]]


def last() -> Run:
    """Return the run on own libraries."""
    from tuning import Run

    return Run("E", 1000, 1000, 8e-5, requests=0.5, pairs=0.6, cosines=0.7, libraries=1.3)


def main() -> None:
    options = arguments()
    prepared = read(options.data, measured([*options.evaluation, *SHIPPED]), SEED)
    print(json.dumps(prepared.counts(), indent=1), flush=True)
    if not options.check:
        train(options, prepared)


def train(options: argparse.Namespace, prepared: Prepared) -> None:
    """Train all runs and write all files."""
    from tuning import Encoder, averaged, export, taught, tune

    reports: dict[str, object] = {}
    if options.layers:
        layers = dict(np.load(options.layers))
    else:
        teacher = taught(Encoder(options.teacher), texts_to_teach(prepared)) if options.teacher else None
        states = {"original": Encoder(options.original).layers()}
        with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
            for asked in [pool.submit(chain, runs, options, prepared, teacher) for runs in chains()]:
                more_states, more_reports = asked.result()
                states |= more_states
                reports |= more_reports
        layers = averaged([(share, states[name]) for name, share in SHARES.items()])
    options.target.mkdir(parents=True, exist_ok=True)
    kept(layers, options.target / "layers-before.npz")
    encoder = Encoder(options.original, layers)
    itself, run = taught(encoder, texts_to_teach(prepared)), shortened(last(), options.steps)
    reports[run.name] = tune(run, encoder, Draws(prepared, f"{SEED} {run.name}"), itself)
    layers = averaged([(1.0 - LAST_SHARE, layers), (LAST_SHARE, encoder.layers())])
    kept(layers, options.target / "layers.npz")
    model = options.target / "model.onnx"
    export(layers, TEMPLATE, model)
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    told = {"sha256": digest, "shares": SHARES, "data": prepared.counts(), "taught": len(itself.texts), "runs": reports}
    (options.target / "report.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(f"{model}: SHA-256 {digest}")


def kept(layers: State, file: Path) -> None:
    np.savez(file, **{name: value.astype(np.float16) for name, value in layers.items()})


def shortened(run: Run, most: int | None) -> Run:
    """Return the run with at most so many steps."""
    most = most or run.planned
    return replace(run, steps=min(run.steps, most), planned=min(run.planned, most))


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Train the upper layers of the encoder and write its file.")
    parser.add_argument("data", type=Path, help="folder with intents.jsonl, pairs.jsonl and texts.txt, plain or .gz")
    parser.add_argument("target", type=Path, help="folder for model.onnx, the layers and report.json")
    parser.add_argument("--original", type=Path, help="folder of all-MiniLM-L6-v2 (model.safetensors, tokenizer.json)")
    parser.add_argument("--teacher", type=Path, help="folder of all-mpnet-base-v2; without it no cosines are distilled")
    parser.add_argument("--evaluation", type=Path, nargs="+", default=[], help="evaluation sets: files or folders")
    parser.add_argument("--layers", type=Path, help="layers-before.npz of a training, for the last run alone")
    parser.add_argument("--steps", type=int, help="at most as many steps for each run, for a trial")
    parser.add_argument("--check", action="store_true", help="print what is used and what is dropped, without training")
    options = parser.parse_args()
    if not options.check and not options.original:
        parser.error("give the folder of the original model with --original, or use --check")
    return options


def texts_to_teach(prepared: Prepared) -> list[str]:
    """Sample requests, pairs and other texts for the teacher's vectors."""
    chance = random.Random(SEED)
    requests = [text for labels in prepared.requests.values() for of in labels.values() for text in of]
    pairs = [pair for of in prepared.pairs.values() for pair in of]
    drawn = [
        *chance.sample(requests, min(len(requests), TAUGHT_REQUESTS)),
        *(text for p in chance.sample(pairs, min(len(pairs), TAUGHT_PAIRS)) for text in (p.request, p.description)),
        *chance.sample(prepared.others, min(len(prepared.others), TAUGHT_OTHERS)),
    ]
    return [text for text in dict.fromkeys(drawn) if len(text) < LONGEST_TAUGHT]


def chain(
    runs: list[Run], options: argparse.Namespace, prepared: Prepared, teacher: Teacher | None
) -> tuple[dict[str, State], dict[str, object]]:
    """Train runs one after the other, each from the weights of the last."""
    import torch
    from tuning import Encoder, tune

    torch.set_num_threads(1)
    encoder, states, reports = Encoder(options.original), {}, {}
    for run in runs:
        reports[run.name] = tune(shortened(run, options.steps), encoder, Draws(prepared, f"{SEED} {run.name}"), teacher)
        states[run.name] = encoder.layers()
    return states, reports


if __name__ == "__main__":
    main()
