"""One small realistic file of each format."""

from dataclasses import dataclass

from app.adapters.formats.records import FileKind


@dataclass(frozen=True, slots=True)
class Sample:
    """File with its name and text, and the expected kind and numbers of items and problems."""

    name: str
    text: str
    kind: FileKind
    good: int
    problems: int = 0


SAMPLES: dict[str, Sample] = {
    "jsonl": Sample(
        "memories.jsonl",
        '{"text": "why is the sky blue", "intent": "explanation", "tags": ["sky"]}\n'
        '{"text": "what blocks us", "success": 0.75, "usage": 3}\n{"text": 5}\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "csv": Sample(
        "questions.csv",
        "question,answer,label,tags,score,paused\r\n"
        'How do I deploy?,"Run make,\nthen wait",howto,"a, b",0.5,no\r\n'
        "'=1+1,two,,,,\r\n\r\nbad,,,,high,\r\n",
        FileKind.MEMORIES,
        2,
        1,
    ),
    "tsv": Sample(
        "powers.tsv", "name\tcommand\targs\tenv\npostgres\tnpx\t-y; pg\tTOKEN; MODE=ro\n", FileKind.POWERS, 1
    ),
    "toml": Sample(
        "library.toml",
        '# ours\n[[memories]]\ntext = "what is a pod"\ntags = ["k8s"]\n\n[[memories]]\ntext = 5\n\n'
        '[[memories]]\ntriggers = ["a", "b"]\nsuccess = 0.9\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "json": Sample(
        "cases.json",
        '[\n{"text": "q", "expected": ["a"], "task": "intent"},\n{"text": "r", "type": "General"}, 5\n]\n',
        FileKind.CASES,
        2,
        1,
    ),
    "graph": Sample(
        "memory.jsonl",
        '{"type": "entity", "name": "Eva", "entityType": "person", "observations": ["Plays the cello", "Eva sings"]}\n'
        '{"type": "relation", "from": "Eva", "to": "Graz", "relationType": "lives_in"}\n',
        FileKind.MEMORIES,
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
        FileKind.POWERS,
        2,
        1,
    ),
    "routes": Sample(
        "routes.yaml",
        "encoder_type: openai\nroutes:\n- name: politics\n  utterances: &u\n  - no\n  - don't you love it\n"
        "- name: chitchat\n  description: null\n  utterances: *u\n- utterances: [x]\n",
        FileKind.MEMORIES,
        4,
        1,
    ),
    "tools": Sample(
        "time.tools.json",
        '[\n  {"name": "now", "description": "tells the time", "inputSchema": {"type": "object", "properties": {}}},\n'
        '  {"name": "zones"},\n  {"description": "nameless"}\n]\n',
        FileKind.POWERS,
        1,
        1,
    ),
    "rasa": Sample(
        "nlu.yml",
        'version: "3.1"\nnlu:\n- intent: balance\n  examples: |\n    - what is on my [savings](account:main)\n'
        '    - in [yen]{"entity": "currency", "value": "JPY"}, please\n- synonym: credit\n  examples: |\n    - card\n'
        "- intent: greet\n  examples:\n  - text: |\n      hi\n  - hello\n- intent: empty\n",
        FileKind.MEMORIES,
        4,
        1,
    ),
    "spell": Sample(
        "postgres.spell.yaml",
        "name: postgres\nversion: 1.0.0\ndescription: PostgreSQL database\nkeywords: [database, sql]\nserver:\n"
        "  transport: stdio\n  command: npx\n  args:\n    - -y\n    - pg\n  env:\n    PORT: 5432\n    KEY: ${PG_KEY}\n"
        "steering: |\n  # Postgres\n  Be careful.\n",
        FileKind.POWERS,
        1,
    ),
    "skill": Sample(
        "SKILL.md", "---\nname: tuning\ndescription: Tune a cello\n---\nStart with A.\n", FileKind.POWERS, 1
    ),
    "notes": Sample(
        "tuning.md",
        "---\ntitle: Tuning\npermalink: tuning\ntags: [cello]\n---\n- [method] Start with A #pitch (best)\n",
        FileKind.MEMORIES,
        1,
    ),
    "qa": Sample(
        "bootstrap.txt",
        "# Python\n\nQ: What is Python?\nQ: Explain Python\nA: A language.\nIt is popular.\n\n---\n"
        "**Q: Should we?**  \nA: No\n\nA: stray\nQ: open\n",
        FileKind.MEMORIES,
        2,
        2,
    ),
    "dialogflow": Sample(
        "book.table_usersays_en.json",
        '[\n{"id": "1", "data": [{"text": "a table for "}, {"text": "two", "meta": "@n"}], "isTemplate": false},\n'
        '{"id": "2", "data": [{"text": "book a table"}], "count": 1},\n{"id": "3", "data": []}\n]\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "botpress": Sample(
        "book.json",
        '{\n"name": "book", "contexts": ["global"], "slots": [],\n'
        '"utterances": {"en": ["a table for [two](n)", "book a table"],\n"fr": ["une table"]}\n}\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "homeassistant": Sample(
        "fan.yaml",
        "language: en\nintents:\n  FanOn:\n    data:\n    - sentences:\n      - <start> [the] fan\n      - fan on\n"
        "      - [odd]\nexpansion_rules:\n  start: (start|turn on)\n",
        FileKind.MEMORIES,
        2,
        1,
    ),
    "snips": Sample(
        "dataset.yml",
        "---\ntype: entity\nname: n\nvalues:\n- two\n---\ntype: intent\nname: book\nutterances:\n"
        "- a table for [n](two)\n- book a table\n-\n",
        FileKind.MEMORIES,
        2,
        1,
    ),
    "jsontable": Sample(
        "rows.json",
        '{"features": [{"name": "text", "type": {}}, {"name": "label", "type": {"names": ["book", "leave"]}}],\n'
        '"rows": [\n{"row": {"text": "a table for two", "label": 0}},\n{"row": {"text": "good bye", "label": 1}},\n'
        '{"row": {"text": null, "label": 1}}\n]}\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "pairs": Sample(
        "pairs.json",
        '{"train": [\n["a table for two", "book"],\n["good bye", "leave"],\n["nothing"]\n]}\n',
        FileKind.MEMORIES,
        2,
        1,
    ),
    "fasttext": Sample(
        "train.txt", "__label__book a table for two\n__label__leave good bye\nno label\n", FileKind.MEMORIES, 2, 1
    ),
    "padatious": Sample(
        "book.table.intent", "# how it is asked\n(a|the) table for {n}\nbook a table\n", FileKind.MEMORIES, 2
    ),
    "lu": Sample("book.lu", "# book\n- a table for {n=two}\n- book a table\n", FileKind.MEMORIES, 2),
    "rhasspy": Sample(
        "sentences.ini",
        "# ours\n[FanOn]\nname = (fan | light){name}\nturn on [the] <name>\n\n[Leave]\ngood bye:leave\n",
        FileKind.MEMORIES,
        2,
    ),
}
"""Samples of all formats except archives and YAML.

Archives are no text, and YAML is read like JSON.
"""
