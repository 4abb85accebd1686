"""What the scope offers, in words: with the query, the answer that is selected, and what is laid over the panes."""

from __future__ import annotations

from app.gui.kit.action import Action, Group

TEACH = Action("teach", "Teach the query as a memory", Group.TEACH, shortcuts=("Ctrl+T",), icon="plus", word="Teach")
ADD_TRIGGER = Action(
    "add_trigger",
    "Add the query as one more trigger of the selected answer",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+T",),
    icon="add-trigger",
    word="Add trigger",
    under_answer=True,
)
TEACH_TYPE = Action(
    "teach_type",
    "Teach the type of the query",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Y",),
    icon="label",
    also=("how-to", "troubleshoot", "location", "explanation", "comparison", "general", "intent"),
)
MARK_RIGHT = Action(
    "right",
    "Mark the selected answer right",
    Group.TEACH,
    shortcuts=("Ctrl+Up",),
    icon="check",
    word="Right",
    under_answer=True,
)
MARK_WRONG = Action(
    "wrong",
    "Mark the selected answer wrong",
    Group.TEACH,
    shortcuts=("Ctrl+Down",),
    icon="cross",
    word="Wrong",
    under_answer=True,
)
MARK_NONE = Action(
    "none_right",
    "Say that no answer is right for the query",
    Group.TEACH,
    shortcuts=("Ctrl+Shift+Down",),
    icon="off",
    also=("no match", "out of scope", "wrong"),
)
COPY = Action("copy", "Copy the inspection as …", Group.COPY, shortcuts=("Ctrl+Shift+C",), icon="copy", word="Copy")
PRESETS = Action(
    "beside_presets",
    "Set the two presets side by side, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+B",),
    icon="columns",
    word="Compare",
)
PIN = Action(
    "beside_pinned",
    "Pin the query and set the next one beside it, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+P",),
    icon="pin",
    word="Pin",
)
COMBINATIONS = Action("beside_combinations", "Set two combinations side by side", Group.QUERY, icon="columns")
WHY_NOT = Action(
    "why_not",
    "Say why the expected answer did not come, or go back",
    Group.QUERY,
    shortcuts=("Ctrl+E",),
    icon="why",
    also=("why not", "expected", "explain", "lost"),
)
POLICIES = Action(
    "policies",
    "Set the merge policies side by side, or go back",
    Group.QUERY,
    icon="columns",
    also=("compare policies", "merge", "keywords and LLM"),
)
GROUPING = Action("group_matches", "List the matches by label, or each memory again", Group.QUERY, icon="label")

BAR: tuple[Action, ...] = (PRESETS, PIN, COPY, TEACH)
"""The buttons beside the query, from left to right."""

UNDER_ANSWER: tuple[Action, ...] = (MARK_RIGHT, MARK_WRONG, ADD_TRIGGER)
"""The buttons under the selected answer; the last stands apart."""
