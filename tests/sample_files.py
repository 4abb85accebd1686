"""One small file of each format, as people have them."""

from __future__ import annotations

from dataclasses import dataclass

from app.adapters.formats.records import ItemKind


@dataclass(frozen=True, slots=True)
class Sample:
    """A file: its name, which tells its ending, what it holds, and how many good things and problems that is."""

    name: str
    text: str
    kind: ItemKind
    good: int
    problems: int = 0


SAMPLES: dict[str, Sample] = {
    "jsonl": Sample(
        "memories.jsonl",
        '{"text": "why is the sky blue", "intent": "explanation", "tags": ["sky"]}\n'
        '{"text": "what blocks us", "success": 0.75, "usage": 3}\n{"text": 5}\n',
        ItemKind.MEMORIES,
        2,
        1,
    ),
    "csv": Sample(
        "questions.csv",
        "question,answer,label,tags,score,paused\r\n"
        'How do I deploy?,"Run make,\nthen wait",howto,"a, b",0.5,no\r\n'
        "'=1+1,two,,,,\r\n\r\nbad,,,,high,\r\n",
        ItemKind.MEMORIES,
        2,
        1,
    ),
    "tsv": Sample(
        "powers.tsv", "name\tcommand\targs\tenv\npostgres\tnpx\t-y; pg\tTOKEN; MODE=ro\n", ItemKind.POWERS, 1
    ),
    "toml": Sample(
        "library.toml",
        '# ours\n[[memories]]\ntext = "what is a pod"\ntags = ["k8s"]\n\n[[memories]]\ntext = 5\n\n'
        '[[memories]]\ntriggers = ["a", "b"]\nsuccess = 0.9\n',
        ItemKind.MEMORIES,
        2,
        1,
    ),
    "json": Sample(
        "cases.json",
        '[\n{"text": "q", "expected": ["a"], "task": "intent"},\n{"text": "r", "type": "General"}, 5\n]\n',
        ItemKind.CASES,
        2,
        1,
    ),
    "mcp": Sample(
        "mcp.json",
        '{\n  // how VS Code keeps them\n  "inputs": [{"type": "promptString", "id": "t"}],\n  "servers": {\n'
        '    "github": {"command": "npx", "args": ["-y", "gh"], "env": {"TOKEN": "${input:t}", "MODE": "ro", "N": 5},},'
        "\n"
        '    "web": {"type": "http", "url": "https://example.org/mcp", "headers": {"A": "b"}, "disabled": true},\n'
        '    "broken": {}\n  }\n}\n',
        ItemKind.POWERS,
        2,
        1,
    ),
    "routes": Sample(
        "routes.yaml",
        "encoder_type: openai\nroutes:\n- name: politics\n  utterances: &u\n  - no\n  - don't you love it\n"
        "- name: chitchat\n  description: null\n  utterances: *u\n- utterances: [x]\n",
        ItemKind.MEMORIES,
        4,
        1,
    ),
    "tools": Sample(
        "time.tools.json",
        '[\n  {"name": "now", "description": "tells the time", "inputSchema": {"type": "object", "properties": {}}},\n'
        '  {"name": "zones"},\n  {"description": "nameless"}\n]\n',
        ItemKind.POWERS,
        1,
        1,
    ),
    "rasa": Sample(
        "nlu.yml",
        'version: "3.1"\nnlu:\n- intent: balance\n  examples: |\n    - what is on my [savings](account:main)\n'
        '    - in [yen]{"entity": "currency", "value": "JPY"}, please\n- synonym: credit\n  examples: |\n    - card\n'
        "- intent: greet\n  examples:\n  - text: |\n      hi\n  - hello\n- intent: empty\n",
        ItemKind.MEMORIES,
        4,
        1,
    ),
    "spell": Sample(
        "postgres.spell.yaml",
        "name: postgres\nversion: 1.0.0\ndescription: PostgreSQL database\nkeywords: [database, sql]\nserver:\n"
        "  transport: stdio\n  command: npx\n  args:\n    - -y\n    - pg\n  env:\n    PORT: 5432\n    KEY: ${PG_KEY}\n"
        "steering: |\n  # Postgres\n  Be careful.\n",
        ItemKind.POWERS,
        1,
    ),
    "qa": Sample(
        "bootstrap.txt",
        "# Python\n\nQ: What is Python?\nQ: Explain Python\nA: A language.\nIt is popular.\n\n---\n"
        "**Q: Should we?**  \nA: No\n\nA: stray\nQ: open\n",
        ItemKind.MEMORIES,
        2,
        2,
    ),
}
