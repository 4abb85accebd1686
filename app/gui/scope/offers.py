"""What the scope offers, in words: with the query, the answer that is selected, and what is laid over the panes."""

from __future__ import annotations

from app.domain.language import say
from app.gui.kit.action import Action, Group

TEACH = Action(
    "teach", say("Teach the query as a memory"), Group.TEACH, shortcuts=("Ctrl+T",), icon="plus", word=say("Teach")
)
ADD_TRIGGER = Action(
    "add_trigger",
    say("Add the query as one more trigger of the selected answer"),
    Group.TEACH,
    shortcuts=("Ctrl+Shift+T",),
    icon="add-trigger",
    word=say("Add trigger"),
    under_answer=True,
)
TEACH_TYPE = Action(
    "teach_type",
    say("Teach the type of the query"),
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Y",),
    icon="label",
    also=("how-to", "troubleshoot", "location", "explanation", "comparison", "general", "intent"),
)
MARK_RIGHT = Action(
    "right",
    say("Mark the selected answer right"),
    Group.TEACH,
    shortcuts=("Ctrl+Up",),
    icon="check",
    word=say("Right"),
    under_answer=True,
)
MARK_WRONG = Action(
    "wrong",
    say("Mark the selected answer wrong"),
    Group.TEACH,
    shortcuts=("Ctrl+Down",),
    icon="cross",
    word=say("Wrong"),
    under_answer=True,
)
MARK_NONE = Action(
    "none_right",
    say("Say that no answer is right for the query"),
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Down",),
    icon="off",
    also=(say("no match"), say("out of scope"), "wrong"),
)
COPY = Action(
    "copy", say("Copy the inspection as …"), Group.COPY, shortcuts=("Ctrl+Shift+C",), icon="copy", word=say("Copy")
)
PRESETS = Action(
    "beside_presets",
    say("Set the two presets side by side, or go back"),
    Group.QUERY,
    shortcuts=("Ctrl+B",),
    icon="columns",
    word=say("Compare"),
)
PIN = Action(
    "beside_pinned",
    say("Pin the query and set the next one beside it, or go back"),
    Group.QUERY,
    shortcuts=("Ctrl+P",),
    icon="pin",
    word=say("Pin"),
)
COMBINATIONS = Action("beside_combinations", say("Set two combinations side by side"), Group.QUERY, icon="columns")
WHY_NOT = Action(
    "why_not",
    say("Say why the expected answer did not come, or go back"),
    Group.QUERY,
    shortcuts=("Ctrl+E",),
    icon="why",
    also=("why not", "expected", "explain", "lost"),
)
POLICIES = Action(
    "policies",
    say("Set the merge policies side by side, or go back"),
    Group.QUERY,
    icon="columns",
    also=(say("compare policies"), "merge", say("keywords and LLM")),
)
GROUPING = Action("group_matches", say("List the matches by label, or each memory again"), Group.QUERY, icon="label")

BAR: tuple[Action, ...] = (PRESETS, PIN, COPY, TEACH)
"""The buttons beside the query, from left to right."""

UNDER_ANSWER: tuple[Action, ...] = (MARK_RIGHT, MARK_WRONG, ADD_TRIGGER)
"""The buttons under the selected answer; the last stands apart."""
