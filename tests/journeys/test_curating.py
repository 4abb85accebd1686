"""Tests of the library on the terminal: add, mark, pause, delete, undo, imports and exports."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from app.adapters.store.library import SqlLibrary
from tests.program import PROJECT, run, said
from tests.sample_files import SAMPLES
from tests.waiting import wait_for

MAC = "why does the build keep failing on my mac"


def told(*words: str, profile: Path) -> dict[str, Any]:
    done = run(*words, "--json", profile=profile)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def refused(*words: str, profile: Path) -> str:
    done = run(*words, profile=profile)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


@pytest.fixture(scope="module")
def taught_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = tmp_path_factory.mktemp("taught") / "profile"
    taught = said("teach", "rotate the keys", "--intent", "keys", "--name", "keys", profile=kept)
    assert taught == "Taught “keys”.\nIts name for other commands: memory:keys\n"
    return kept


@pytest.fixture
def profile(taught_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(taught_once, tmp_path / "profile"))


def memories(profile: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said("export", "--kind", "memories", profile=profile).splitlines()]


def test_that_kept_queries_are_listed_found_and_forgotten(profile: Path) -> None:
    command = [sys.executable, "-m", "app", "inspect", MAC, "--keep", "--profile", str(profile)]
    subprocess.run(["sh", "-c", '"$@" | true', "sh", *command], cwd=PROJECT, check=True)  # nobody reads the answer
    for text in ("rotate the keys", "turn the keys"):
        said("inspect", text, "--keep", profile=profile)
    kept = told("history", profile=profile)["queries"]
    assert [one["text"] for one in kept] == ["turn the keys", "rotate the keys", MAC]
    assert told("history", "--find", "keys THE", "--most", "1", profile=profile)["queries"] == kept[:1]
    assert f"{kept[1]['query']:>6}  rotate the keys  →  keys " in said("history", profile=profile)
    number = str(kept[0]["query"])
    assert said("history", "--forget", number, profile=profile) == "Forgot 1 query.\n"
    assert f"No query {number}" in refused("history", "--forget", number, profile=profile)
    assert said("history", "--find", "turn", profile=profile) == "Nothing that is kept holds these words.\n"
    assert told("history", "--forget-all", profile=profile) == {"forgotten": 2}
    assert said("history", profile=profile).startswith("No queries yet. ")
    assert "history.privacy" in said("--set", "history.privacy=off", "history", profile=profile)


def test_that_kept_queries_are_asked_again_and_what_differs_is_told_with_its_reason(profile: Path) -> None:
    said("inspect", "rotate the keys", "--keep", profile=profile)
    same = told("history", "--replay", profile=profile)
    assert (same["asked"], same["same"], same["changed"]) == (1, 1, [])
    said("remove", "memory:keys", profile=profile)
    (changed,) = told("history", "--replay", profile=profile)["changed"]
    first = next(one for one in changed["differs"] if one["what"] == "first")
    assert (changed["text"], first["before"], first["after"]) == ("rotate the keys", "keys", None)
    assert first["because"]
    assert f"because {first['because'][0]}" in said("history", "--replay", profile=profile)


def test_that_alike_triggers_are_found_and_each_way_to_resolve_them_is_a_step(profile: Path) -> None:
    said("teach", "Rotate the keys!", "--intent", "locks", "--name", "locks", profile=profile)
    (finding,) = told("duplicates", profile=profile)["findings"]
    key = finding["key"]
    labels = {one["trigger"]: one["label"] for one in finding["triggers"]}
    assert (finding["likeness"], labels) == ("conflict", {"rotate the keys": "keys", "Rotate the keys!": "locks"})
    place = next(one["place"] for one in finding["triggers"] if one["label"] == "locks")
    for way, left in (("--keep", {"locks"}), ("--merge", {"locks"}), ("--drop", {"keys"})):
        said("duplicates", way, f"{key}.{place}", profile=profile)
        assert {memory["intent"] for memory in memories(profile)} == left
        assert told("duplicates", profile=profile)["findings"] == []
        said("undo", profile=profile)
    said("teach", "make coffee", "--intent", "coffee", profile=profile)
    said("teach", "Make coffee!", "--intent", "tea", profile=profile)
    other = next(one for one in told("duplicates", profile=profile)["findings"] if one["key"] != key)
    said("duplicates", "--most", "1", "--apart", key.upper(), profile=profile)
    assert told("duplicates", profile=profile)["findings"] == [other], "no other finding takes a key over"
    assert f"No finding {key}" in refused("duplicates", "--drop", f"{key}.1", profile=profile)
    assert f"{other['key']}.1 to {other['key']}.2" in refused("duplicates", "--drop", other["key"], profile=profile)
    assert len(memories(profile)) == 4


def test_that_a_rule_is_put_at_another_place_of_its_pack(profile: Path) -> None:
    pack = told("rules", profile=profile)["packs"][0]["pack"]
    first, *others = [rule["id"] for rule in told("rules", "--pack", pack, profile=profile)["rules"]]
    said("rules", "--move", first, str(len(others) + 1), profile=profile)
    assert [rule["id"] for rule in told("rules", "--pack", pack, profile=profile)["rules"]] == [*others, first]
    said("undo", profile=profile)
    assert [rule["id"] for rule in told("rules", "--pack", pack, profile=profile)["rules"]] == [first, *others]
    assert "is not a place in" in refused("rules", "--move", first, "0", profile=profile)


def test_that_packs_and_rules_are_listed_switched_and_reset(profile: Path) -> None:
    packs = {one["pack"]: one for one in told("rules", profile=profile)["packs"]}
    name, pack = next(iter(packs.items()))
    assert (pack["on"], pack["shipped"]) == (pack["rules"], True)
    assert said("rules", "--off", name, profile=profile) == f"Switched off the pack “{name}”.\n"
    assert told("rules", profile=profile)["packs"][0]["on"] == 0
    assert said("rules", "--off", name, profile=profile) == "No change: they are off.\n"
    first, *others = told("rules", "--pack", name, profile=profile)["rules"]
    assert said("rules", "--on", first["id"], profile=profile) == f"Switched on “{first['id']}”.\n"
    listed = told("rules", "--pack", name, profile=profile)["rules"]
    assert [(one["id"], one["on"]) for one in listed] == [(one["id"], one is first) for one in (first, *others)]
    assert said("rules", "--pack", name, profile=profile).splitlines()[0].startswith(f"on   {first['id']}")
    assert said("rules", "--reset", name, profile=profile) == f"Reset the pack “{name}”.\n"
    assert told("rules", profile=profile)["packs"][0] == pack
    assert said("undo", profile=profile) == f"Undone: reset the pack “{name}”.\n"
    for words in (("--on", "none.such"), ("--pack", "none.such")):
        assert "“none.such”: “intentscope rules” lists" in refused("rules", *words, profile=profile)
    assert "does not ship with the program" in refused("rules", "--reset", "none.such", profile=profile)


def test_that_steps_are_listed_taken_back_and_done_again(profile: Path) -> None:
    said("teach", "turn the keys", "--to", "memory:keys", profile=profile)
    added, taught = told("steps", profile=profile)["steps"]
    assert (taught["done"], taught["source"], taught["undone"]) == ("taught “keys”", "command line", False)
    assert said("undo", profile=profile) == "Undone: added “turn the keys” to the triggers of keys.\n"
    assert [one["text"] for one in memories(profile)] == ["rotate the keys"]
    assert "(undone)" in said("steps", "--most", "1", profile=profile)
    assert told("redo", profile=profile)["redone"]["step"] == added["step"]
    assert [one["triggers"] for one in memories(profile)] == [["rotate the keys", "turn the keys"]]
    assert told("redo", profile=profile) == {"redone": None}
    of = told("steps", "--of", "memory:keys", profile=profile)["steps"]
    assert [(one["step"], one["was_there"]) for one in of] == [(added["step"], True), (taught["step"], False)]
    said("undo", profile=profile)
    said("undo", profile=profile)
    assert said("undo", profile=profile) == "Nothing to undo.\n"
    assert "No step 99 to undo" in refused("undo", "99", profile=profile)


def test_that_what_is_removed_lies_in_the_bin_until_it_is_put_back_or_forgotten(profile: Path) -> None:
    assert said("remove", "memory:keys", profile=profile) == "Deleted “keys”.\n"
    assert memories(profile) == []
    assert [(one["kind"], one["name"]) for one in told("bin", profile=profile)["bin"]] == [("memory", "keys")]
    said("bin", "--restore", "memory:keys", profile=profile)
    assert [one["id"] for one in memories(profile)] == ["keys"]
    assert said("bin", profile=profile) == "The bin is empty.\n"
    said("remove", "memory:keys", profile=profile)
    assert told("bin", "--empty", profile=profile) == {"forgotten": 1}
    assert told("bin", profile=profile) == {"bin": []}
    assert "The bin has no memory “keys”" in refused("bin", "--restore", "memory:keys", profile=profile)


def test_that_nothing_is_taught_twice_and_of_equal_names_none_is_taken_for_the_other(profile: Path) -> None:
    for words in ("Rotate the keys.", "--intent"), ("turn the keys", "--name"):
        assert "It is there already: memory:keys." in refused("teach", *words, "keys", profile=profile)
    twins = profile.parent / "twins.jsonl"
    twins.write_text("".join(f'{{"triggers": ["open"], "intent": "{label}"}}\n' for label in ("door", "gate")))
    said("import", str(twins), "--kind", "memories", profile=profile)
    assert "2 are called “open”" in refused("teach", "a", "--to", "memory:open", profile=profile)
    why = refused("remove", "memory:open", profile=profile)
    number = why.partition(" (gate)")[0].rpartition("memory:")[2]
    assert said("remove", f"memory:{number}", profile=profile) == "Deleted “open”.\n"
    assert [one["intent"] for one in memories(profile)] == ["keys", "door"]
    assert "Nearest names: memory:keys" in refused("pause", "memory:key", profile=profile)


def test_that_a_paused_answer_is_silent_until_it_is_resumed(profile: Path) -> None:
    def found() -> list[str]:
        return [one["name"] for one in told("inspect", "rotate the keys", profile=profile)["matches"]]

    assert found() == ["keys"]
    assert said("pause", "memory:keys", profile=profile) == "Paused “keys”.\n"
    assert found() == []
    assert told("pause", "memory:keys", profile=profile) == {"done": None}
    assert said("pause", "memory:keys", "--resume", profile=profile) == "Resumed “keys”.\n"
    assert found() == ["keys"]


def test_that_an_answer_marked_for_a_query_becomes_a_case_and_moves_its_success(profile: Path) -> None:
    assert said("mark", "rotate all keys", "--right", profile=profile) == "Marked keys right for “rotate all keys”.\n"
    assert [one["success"] for one in memories(profile)] == [0.55]
    (case,) = (json.loads(line) for line in said("export", "--kind", "cases", profile=profile).splitlines())
    assert (case["text"], case["expected"]) == ("rotate all keys", ["keys"])
    said("mark", "open the doors", "--wrong", "--answer", "memory:keys", profile=profile)
    assert [one["success"] for one in memories(profile)] == [pytest.approx(0.495)]
    listed = told("cases", profile=profile)
    assert [one["text"] for one in listed["cases"]] == ["open the doors", "rotate all keys"]
    assert told("cases", "--task", "intent", "--find", "ROTATE", "--most", "1", profile=profile) == {
        "all": 2,
        "cases": listed["cases"][1:],
    }
    number = listed["cases"][1]["case"]
    assert f"#{number}  intent  rotate all keys  →  keys\n" in said("cases", profile=profile)
    said("remove", f"case:#{number}", profile=profile)
    assert len(said("export", "--kind", "cases", profile=profile).splitlines()) == 1


def test_that_no_answer_right_for_a_query_is_a_case_that_expects_nothing(profile: Path) -> None:
    assert said("mark", "how tall is it", "--none", profile=profile) == "Marked no answer right for “how tall is it”.\n"
    cases = [json.loads(line) for line in said("export", "--kind", "cases", profile=profile).splitlines()]
    assert cases
    assert {(case["text"], tuple(case["expected"])) for case in cases} == {("how tall is it", ())}
    assert said("mark", "how tall is it", "--none", profile=profile) == "No new case: one expects no answer already.\n"
    said("undo", profile=profile)
    assert said("export", "--kind", "cases", profile=profile) == ""


def test_that_settings_are_found_by_words_and_set_for_good_as_steps(profile: Path) -> None:
    def value(key: str) -> tuple[str, bool]:
        (row,) = told("settings", key, profile=profile)["settings"]
        return row["value"], row["is_set_here"]

    before = value("tiers.high")
    both = said("settings", "tiers.high=0.9", "theme=dark", profile=profile)
    assert both == "Set tiers.high to 0.9 and theme to dark.\n"
    assert (value("tiers.high"), value("theme")) == (("0.9", True), ("dark", True))
    assert "tiers.high = 0.9  (Set here)\n    Minimum confidence" in said("settings", "tiers.high", profile=profile)
    said("settings", "--reset", "tiers.high", profile=profile)
    assert said("history", "--refits", profile=profile).count("Settings changed (tiers.high)") == 2
    assert value("tiers.high") == before
    assert told("settings", "--reset", "tiers.high", profile=profile) == {"done": None}
    said("undo", profile=profile)
    assert said("settings", "tiers.high=0.9", profile=profile) == "No change.\n", "nor what was taken back"
    assert value("tiers.high") == ("0.9", True)
    assert "theme" in {row["key"] for row in told("settings", "dark", "mode", profile=profile)["settings"]}
    assert len(told("settings", profile=profile)["settings"]) > 50
    assert "must be a number from 0 to 1" in refused("settings", "tiers.high=2", "theme=light", profile=profile)
    assert "Nearest names: tiers.high" in refused("settings", "--reset", "tiers.hig", profile=profile)
    with closing(SqlLibrary.open(profile)) as library:
        library.put_settings({"team.servers": "postgresql://anna@one/part"})
    assert value("tiers.high") == ("0.9", True), "a setting of an earlier version is ignored"
    assert "Unknown setting" in refused("settings", "team.servers=postgresql://anna@one/part", profile=profile)
    said("settings", "--reset", "team.servers", profile=profile)
    with closing(SqlLibrary.open(profile)) as library:
        assert "team.servers" not in library.setting_values()
    assert value("theme") == ("dark", True)
    config = profile.parent / "config.toml"
    config.write_text("[search_intent]\nmin_confidence = 5\n")
    assert "must be a number from 0 to 1" in refused("import", str(config), "--dry-run", profile=profile)


def test_that_a_route_is_taught_as_a_case_and_the_log_can_be_cleared(profile: Path) -> None:
    said("teach", "where are the orders", "--route", "relational", profile=profile)
    (case,) = (json.loads(line) for line in said("export", "--kind", "cases", profile=profile).splitlines())
    assert (case["task"], case["expected"]) == ("route", ["relational"])
    said("route", "where are the orders", "--no-llm", profile=profile)
    assert told("route", "--clear-log", profile=profile) == {"cleared": 1}
    assert told("route", "--clear-log", profile=profile) == {"cleared": 0}


def test_that_a_type_is_taught_as_a_case_and_can_be_undone(profile: Path) -> None:
    for name, expected in (("comparison", ["comparison"]), ("compare", ["comparison"]), ("none", [])):
        said("teach", "zoo one", "--type", name, profile=profile)
        (case,) = (json.loads(line) for line in said("export", "--kind", "cases", profile=profile).splitlines())
        assert (case["task"], case["expected"]) == ("type", expected), name
    said("undo", profile=profile)
    assert "is not a type. Choose one of howto" in refused("teach", "zoo one", "--type", "animal", profile=profile)
    assert "teach takes one of" in refused("teach", "a", "--type", "howto", "--route", "graph", profile=profile)


def test_that_what_waits_is_listed_and_decided_by_its_number(profile: Path) -> None:
    said("inspect", MAC, "--keep", profile=profile)
    said("inspect", "rotate my keys", "--keep", profile=profile)
    waiting = {one["text"]: one["query"] for one in told("inbox", profile=profile)["waiting"]}
    assert MAC in waiting
    assert str(waiting[MAC]) in said("inbox", profile=profile)
    assert said("inbox", "--skip", str(waiting[MAC]), profile=profile) == f"Skipped “{MAC}”.\n"
    assert MAC not in {one["text"] for one in told("inbox", profile=profile)["waiting"]}
    said("undo", profile=profile)
    assert MAC in {one["text"] for one in told("inbox", profile=profile)["waiting"]}
    said("teach", MAC, "--intent", "build", profile=profile)
    assert MAC not in {one["text"] for one in told("inbox", profile=profile)["waiting"]}, "it is decided as taught"
    for number in ("99", str(waiting[MAC])):
        for decision in ("--right", "--wrong", "--none", "--skip"):
            assert f"No query {number} in the inbox" in refused("inbox", decision, number, profile=profile)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("remove", "keys"), "is not KIND:NAME"),
        (("teach", "a", "--to", "intent:keys"), "An intent is named by one of its memories."),
        (("remove", "memory:doors"), "No memory is named “doors”."),
        (("pause", "rule:x"), "No rule is named “x”."),
        (("teach", " "), "TEXT is empty"),
        (("teach", "a", "--to", "memory:keys", "--intent", "b"), "teach takes one of"),
        (("teach", "rotate the keys", "--to", "memory:keys"), "is a trigger of keys already"),
        (("steps", "--most", "0"), "not a whole number from 1 to 999,999"),
        (("undo", "9" * 30), "not a whole number of at least 1"),
        (("mark", "a"), "one of the arguments --right --wrong --none is required"),
    ],
)
def test_that_what_cannot_be_done_is_refused_with_its_reason(profile: Path, words: tuple[str, ...], why: str) -> None:
    assert why in refused(*words, profile=profile)
    assert len(told("steps", profile=profile)["steps"]) == 1


def test_that_a_rehearsal_tells_and_writes_nothing(tmp_path: Path) -> None:
    file, profile = tmp_path / "Fragen & Antworten.txt", tmp_path / "profile"
    file.write_text(SAMPLES["qa"].text)
    told = run("import", file, "--dry-run", profile=profile)
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines() == [
        "memories: 2 would be added, 0 updated, 0 unchanged; nothing was written.",
        "add What is Python? · Explain Python (no intent · response A language. It is popular.)",
        "add Should we? (no intent · response No)",
        "skip line 12: The answer has no question: a line that begins with “Q:” was expected before it.",
        "skip line 13: The question has no answer: a line that begins with “A:” was expected.",
    ]
    assert not profile.exists()

    assert "2 added, 0 updated, 0 unchanged" in run("import", file, profile=profile).stdout
    before = (profile / "library.db").read_bytes()
    again = run("import", file, "--dry-run", "--json", profile=profile)
    found = json.loads(again.stdout)
    assert (found["added"], found["updated"], found["unchanged"], found["dry_run"]) == (0, 0, 2, True)
    assert (profile / "library.db").read_bytes() == before


def test_that_secrets_stay_out_of_a_dry_run(tmp_path: Path) -> None:
    file, profile = tmp_path / "mcp.json", tmp_path / "profile"
    file.write_text('{"mcpServers": {"a": {"command": "c", "env": {"KEY": "very secret"}}}}')
    told = run("import", file, "--dry-run", profile=profile)
    assert "add a" in told.stdout
    assert "very secret" not in told.stdout + told.stderr
    assert not profile.exists()


def test_that_an_export_by_its_ending_is_imported_as_the_same(seeded: Path, tmp_path: Path) -> None:
    whole = run("export", "--kind", "powers", profile=seeded).stdout
    assert whole
    two = tmp_path / "two"
    for ending in ("csv", "toml", "json", "tsv", "yaml"):
        file = tmp_path / f"powers.{ending}"
        assert run("export", "--kind", "powers", "--output", file, profile=seeded).returncode == 0
        assert ("20 added" if ending == "csv" else "20 unchanged") in run("import", file, profile=two).stdout, ending
    assert run("export", "--kind", "powers", profile=two).stdout == whole


def test_that_what_cannot_be_is_misuse(tmp_path: Path) -> None:
    file = tmp_path / "map.csv"
    file.write_text("Frage\nWie?\n")
    for words, sentence in (
        (("import", file), "--kind"),
        (("import", file, "--columns", "Frage"), "HEADING=COLUMN"),
        (("import", file, "--format", "rasa", "--kind", "memories"), "Rasa's NLU data were expected"),
        (("export", "--kind", "powers", "--output", tmp_path / "x.md"), "cannot be written"),
    ):
        done = run(*words, profile=tmp_path / "profile")
        assert (done.returncode, sentence in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "x.yaml").exists()
    mapped = run("import", file, "--kind", "memories", "--columns", "Frage=text", profile=tmp_path / "profile")
    assert "1 added" in mapped.stdout


def test_that_a_library_goes_out_as_a_folder_and_comes_in_as_the_same(seeded: Path, tmp_path: Path) -> None:
    one, two, folder = seeded, tmp_path / "two", tmp_path / "Bücherei 1"
    saved = run("export", "--kind", "library", "--output", folder, profile=one)
    assert saved.returncode == 0, saved.stderr
    assert "things saved to" in saved.stdout
    told = run("import", folder, "--dry-run", profile=two)
    assert "memories: 60 would be added, 0 updated, 0 unchanged; nothing was written." in told.stdout.splitlines()
    assert not two.exists()
    assert "memories: 60 added, 0 updated, 0 unchanged." in run("import", folder, profile=two).stdout.splitlines()
    found = json.loads(run("import", folder, "--json", profile=two).stdout)
    assert [(one["kind"], one["added"], one["updated"]) for one in found["imports"]] == [
        ("memories", 0, 0), ("powers", 0, 0), ("rules", 0, 0),
    ]  # fmt: skip
    again = json.loads(run("export", "--kind", "library", "--output", folder, "--json", profile=two).stdout)
    assert again["files_changed"] == 0

    file = folder / "memories" / "config" / "reset-local-data.toml"
    file.write_text(file.read_text("utf-8").replace("[[memory]]", "<<<<<<< HEAD\n[[memory]]"), "utf-8")
    for words in (
        ("import", folder),
        ("import", folder, "--dry-run"),
        ("export", "--kind", "library", "--output", folder),
    ):
        refused = run(*words, profile=two)
        assert refused.returncode == 2
        assert "memories/config/reset-local-data.toml, line 4: A conflict that git could not settle" in refused.stderr
    for misuse in (("import", tmp_path), ("export", "--kind", "library"), ("import", folder, "--format", "csv")):
        assert run(*misuse, profile=two).returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="no signal of Ctrl+C reaches another process there")
@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_that_an_interrupted_import_ends_soon_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    profile, file = tmp_path / "profile", tmp_path / "many.csv"
    with file.open("w") as stream:
        stream.write("text,intent,response\n")
        stream.writelines(f"phrase number {n},label {n % 9},{'an answer ' * 200}\n" for n in range(30_000))

    def interrupt() -> None:
        wait_for(lambda: any(log.stat().st_size > 2**21 for log in tmp_path.rglob("library.db-wal")))
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadPoolExecutor(1) as waiting:
        interrupting = waiting.submit(interrupt)
        done = run("import", file, *words, profile=profile)
        interrupting.result()
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("intentscope-*"))
    if not words:
        assert run("export", "--kind", "memories", profile=profile).stdout == ""


def test_that_a_copy_is_made_and_put_back_and_that_both_paths_are_told(seeded: Path, tmp_path: Path) -> None:
    profile, file = tmp_path / "profile", tmp_path / "copy.db"
    assert json.loads(run("backup", "--output", file, "--json", profile=seeded).stdout) == {"copy": str(file)}
    told = run("restore", file, profile=profile)
    assert str(file) in told.stdout
    (before,) = (profile / "backups").glob("kept-*.db")
    assert str(before) in told.stdout
    assert run("backup", "--list", profile=profile).stdout.splitlines() == [str(before)]
    exported = [run("export", "--kind", "memories", profile=one).stdout for one in (seeded, profile)]
    assert exported[0] == exported[1] != ""
