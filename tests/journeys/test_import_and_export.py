"""Tests of files through the program: reports of imports, dry runs, and exports."""

from __future__ import annotations

import json
import os
import signal
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.program import run
from tests.sample_files import SAMPLES
from tests.waiting import wait_for


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
        told = run("import", file, profile=two).stdout
        assert ("20 added" if ending == "csv" else "20 unchanged") in told, ending
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
