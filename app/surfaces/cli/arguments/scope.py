"""Arguments of the query commands: inspection, resolution, and why-not."""

from __future__ import annotations

from app.surfaces.cli.arguments.values import AddCommand

LOGS = ("text", "jsonl", "subcog", "chat")


def add_questions(command: AddCommand) -> None:
    for name, summary in (
        ("inspect", "Inspect a query, from type to route, with the reasons."),
        ("detect", "Detect the type of a query, such as how-to or troubleshoot, by keywords, examples and the LLM."),
        ("resolve", "Find the power that serves a query."),
    ):
        question = command(name, summary)
        question.add_argument("text", nargs="?", metavar="TEXT")
        question.add_argument("--stdin", action="store_true", help="one query a line in, one answer a line out")
        question.add_argument("--no-llm", action="store_true", help="without the LLM: keywords and examples")
        question.add_argument("--log", choices=("auto", *LOGS), help="stdin is a log or chat: answer its queries")
        if name != "resolve":
            question.add_argument(
                "--late", action="store_true", help="wait for a late answer of the LLM, up to 30 seconds"
            )
        if name == "inspect":
            question.add_argument("--keep", action="store_true", help="store the answers in history and inbox")
            question.add_argument("--words", action="store_true", help="also the result without each word")
        if name == "resolve":
            question.add_argument("--no-start", action="store_true", help="start no power, approved or not")


def add_why_not(command: AddCommand) -> None:
    asked = command(
        "why-not", "Explain where an expected answer was lost, what would make it win, and the effect on all cases."
    )
    asked.add_argument("text", metavar="TEXT")
    asked.add_argument(
        "--expect",
        required=True,
        metavar="KIND:NAME",
        help="what was expected: intent (or type), memory, power or route, and its name; none: no answer",
    )
