"""Tests that secrets are found under any file name encoding of a session."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

from tests.waiting import PATIENCE

PROJECT = Path(__file__).parents[4]
TELL = "import sys; from pathlib import Path; from app.adapters.local.secrets import KeyringSecrets; "
TELL += "print(KeyringSecrets(Path(sys.argv[1]))._service)"


def test_that_a_name_that_the_locale_cannot_read_names_the_same_secrets(tmp_path: Path) -> None:
    profile = tmp_path / "pröfil"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [os.fsencode(sys.executable), b"-c", TELL.encode(), os.fsencode(profile)]
    done = subprocess.run(command, capture_output=True, cwd=PROJECT, env=environment, timeout=PATIENCE, check=True)
    wanted = sha256(str(profile).encode()).hexdigest()[:12]
    assert done.stdout.decode().strip() == f"intentscope {wanted}"
