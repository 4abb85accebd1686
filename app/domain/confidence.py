"""Range check of confidences, and calibration from confidence to share of right answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


def checked_confidence(value: float) -> float:
    """Return the value; raise ValueError if it is not a number in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"a confidence lies in [0, 1], not at {value!r}")
    return value


# ---- Calibration: the share of right answers at a given confidence

KNEE = 0.9
"""Confidence above which the calibration is linear up to 1 (an exact match)."""


@dataclass(frozen=True, slots=True)
class Chance:
    """Rising logistic calibration: 1 / (1 + exp(-(slope * x + offset - crowd * ln(answers)))).

    x is the confidence, or its natural logarithm if `of_logarithm`; then the result tends to 0 for small
    confidences, for any number of answers. Confidence 0 always gives 0. `asked` is the number of triggers the
    calibration was fitted on (0: shipped with the program), `ece` its expected calibration error on held-out
    triggers.
    """

    slope: float
    offset: float
    crowd: float = 0.0
    asked: int = 0
    ece: float | None = None
    of_logarithm: bool = False

    def __post_init__(self) -> None:
        if not (self.slope > 0.0 and math.isfinite(self.slope) and math.isfinite(self.offset)):
            raise ValueError(f"a scale rises, unlike one of slope {self.slope!r} and offset {self.offset!r}")

    @property
    def is_shipped(self) -> bool:
        """True if the calibration ships with the program, fitted on public data sets."""
        return self.asked == 0

    def among(self, answers: int) -> Chance:
        """Return the calibration for this number of distinct answers, without a `crowd` term."""
        if not self.crowd:
            return self
        return replace(self, offset=self.offset - self.crowd * math.log(max(1, answers)), crowd=0.0)

    def __call__(self, confidence: float) -> float:
        """Return the expected share of right answers, in [0, 1], at this confidence."""
        if confidence <= 0.0:
            return 0.0
        if confidence >= 1.0:
            return 1.0
        if confidence <= KNEE:
            return self._curve(confidence)
        low = self._curve(KNEE)
        return min(1.0, low + (1.0 - low) * (confidence - KNEE) / (1.0 - KNEE))

    def _curve(self, confidence: float) -> float:
        along = math.log(confidence) if self.of_logarithm else confidence
        return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, self.slope * along + self.offset))))


SHIPPED_MEMORIES = Chance(5.24, 5.42, 0.59, of_logarithm=True)
"""Shipped calibration of memories.

Fitted by packaging/weights.py on CLINC150 (Larson et al., EMNLP-IJCNLP 2019, github.com/clinc/oos-eval, CC BY 3.0),
BANKING77 (Casanueva et al., NLP for ConvAI 2020, github.com/PolyAI-LDN/task-specific-datasets, CC BY 4.0) and MetaTool:
samples of 5 to 110 labels with 1 to 5 phrases each; half of the queries are out of scope. Only these three numbers come
from them.
"""

SHIPPED_POWERS = Chance(19.99, -4.85, 1.0)
"""Shipped calibration of powers.

Fitted by packaging/weights.py on MetaTool (Huang et al., ICLR 2024, github.com/HowieHwong/MetaTool, MIT, Copyright (c)
2023 Yue Huang): 5 to 150 tools by name and description, half of the queries out of scope. Only these three numbers come
from it.
"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibrations of memories and powers, and the origin of fitted ones.

    `encoder` names the encoder of the scored vectors, `library` is a sketch of the triggers (app.scoring.chances),
    and `made` the time in seconds since 1970.
    """

    memories: Chance = SHIPPED_MEMORIES
    powers: Chance = SHIPPED_POWERS
    encoder: str = ""
    library: tuple[int, ...] = ()
    made: float = 0.0
