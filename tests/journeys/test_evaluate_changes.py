"""Tests of compared and swept settings on the command line: reports and gates (S7.5)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.__main__ import main

MEMORIES = [("will it rain tomorrow", "weather"), ("is it cold outside", "weather"), ("pay my bill", "billing")]
CASES = [("will it rain", ["weather"]), ("settle my bill", ["billing"]), ("is it cold in the oven", [])]


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    memories = folder / "memories.jsonl"
    memories.write_text("".join(json.dumps({"text": text, "intent": label}) + "\n" for text, label in MEMORIES))
    where = ["--profile", str(folder / "profile")]
    assert main(["import", str(memories), "--kind", "memories", *where]) == 0
    cases = folder / "cases.jsonl"
    cases.write_text("".join(json.dumps({"text": text, "expected": names}) + "\n" for text, names in CASES))
    return folder


def evaluated(folder: Path, *words: str, task: str = "intent") -> int:
    where = ["--profile", str(folder / "profile"), "--set", "combination=balanced"]
    return main(["evaluate", str(folder / "cases.jsonl"), "--task", task, *words, *where])


def test_that_a_comparison_tells_what_turns_and_its_gates_decide(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    against = ("--against", "combination=exact", "--against", "fallback_threshold=0.4")
    assert evaluated(profile, *against, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["against"]["settings"] == {"combination": "exact", "fallback_threshold": "0.4"}
    assert told["against"]["broken"] == len(told["against"]["cases"]["broken"]) == 2
    assert (told["against"]["fixed"], told["against"]["p"]) == (1, 1.0)
    assert [case["text"] for case in told["against"]["cases"]["broken"]] == ["will it rain", "settle my bill"]
    assert evaluated(profile, "--json") == 0
    plain = json.loads(capsys.readouterr().out)
    assert {key: value for key, value in told.items() if key != "against"} | {"fit": plain["fit"]} == plain
    assert evaluated(profile, *against, "--gate", "broken<=2", "--gate", "top1>=0.9", "--gate", "against.top1<1") == 0
    assert "1 case newly right, 2 newly wrong." in capsys.readouterr().out
    assert evaluated(profile, *against, "--gate", "broken<=1") == 1
    assert capsys.readouterr().err == "gate not met: broken<=1 (it is 2)\n"


def test_that_a_sweep_tells_each_value_and_its_gates_are_on_the_best(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(profile, "--sweep", "fallback_threshold=0.1:0.9:0.2", "--json") == 0
    told = json.loads(capsys.readouterr().out)["sweep"]
    assert [row["value"] for row in told["values"]] == ["0.1", "0.3", "0.5", "0.7", "0.9"]
    assert [row["today"] for row in told["values"]] == [False, True, False, False, False]
    assert told["best"] is not None
    assert evaluated(profile, "--sweep", "combination=all", "--gate", "net<=1", "--gate", "top1>=0.9") == 0
    page = capsys.readouterr().out
    assert page.startswith("Sweep of combination\n")
    assert "weighted_average" in page
    assert evaluated(profile, "--sweep", "retrieval_scoring_method=balanced", "--gate", "fixed>=1") == 1


def test_that_types_are_compared_too(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    types = profile / "types.jsonl"
    types.write_text('{"text": "where is the door", "expected": ["location"]}\n')
    words = ["evaluate", str(types), "--task", "type", "--against", "search_intent.selection=priority", "--json"]
    assert main([*words, "--profile", str(profile / "profile")]) == 0
    assert json.loads(capsys.readouterr().out)["against"]["net"] == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--gate", "broken<=0"), "goes with --against, --against-run or --sweep"),
        (("--against", "combination=max", "--sweep", "combination=all"), "either --against or --sweep"),
        (("--against", "combination"), "KEY=VALUE"),
        (("--against", "combination=sum"), "combination"),
        (("--against", "encoder.name=ollama"), "No address of an Ollama server"),
        (("--sweep", "combination=sum"), "not a value of"),
        (("--sweep", "nonsense=1"), "that can be swept"),
        (("--sweep", "fallback_threshold=0.5,2"), "fallback_threshold"),
        (("--against", "combination=max", "--tokens"), "--tokens"),
        (("--against", "combination=max", "--gate", "worse<=0"), "Unknown metric"),
    ],
)
def test_that_bad_usage_is_a_sentence_and_exit_code_two(
    profile: Path, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated(profile, *words) == 2
    told = capsys.readouterr()
    assert why in told.err
    assert told.out == ""


def test_that_cases_with_odd_headings_are_judged_once_their_columns_are_named(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = profile / "odd.csv"
    file.write_text("Frage,Antwort\nwhere is the door,location\n")
    asked = ["evaluate", str(file), "--task", "type", "--json", "--profile", str(profile / "profile")]
    assert main(asked) == 2
    assert "--columns" in capsys.readouterr().err
    assert main([*asked, "--columns", "Frage=text", "--columns", "Antwort=expected"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"] == 1.0
