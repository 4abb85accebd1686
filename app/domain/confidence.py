"""Confidences: their range check, and calibration scales from confidence to the share of right answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


def checked_confidence(value: float) -> float:
    """The value itself; ValueError if it is not a number in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"a confidence lies in [0, 1], not at {value!r}")
    return value


# --------------------------------------------------------------------------------------------------------------------
# How often an answer of a given confidence is right: two scales, and what is known of how they were fitted

KNEE = 0.9
"""From this confidence on the scale is a straight line up to 1, which is what was taught word for word."""


@dataclass(frozen=True, slots=True)
class Chance:
    """1 / (1 + exp(-(slope * x + offset - crowd * ln(answers)))), rising; what scored 0 stays at 0.

    x is the confidence, or with `of_logarithm` its natural logarithm: then chances end where confidences do, as an
    answer that hardly scores is hardly ever right, however few answers there are. `asked` is how many taught triggers
    it was fitted on, 0 for a scale that ships with the program, and `ece` the calibration error that it had on those
    of them that it had not been fitted on.
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
        """Whether it ships with the program, fitted on public data sets."""
        return self.asked == 0

    def among(self, answers: int) -> Chance:
        """The scale for this number of distinct answers."""
        if not self.crowd:
            return self
        return replace(self, offset=self.offset - self.crowd * math.log(max(1, answers)), crowd=0.0)

    def __call__(self, confidence: float) -> float:
        """The expected share of right answers in [0, 1] at this confidence, clamped to [0, 1]."""
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


SHIPPED_MEMORIES = Chance(2.82, 4.21, 0.42, of_logarithm=True)
"""Fitted on the patterns of CLINC150 (Larson et al., EMNLP-IJCNLP 2019, github.com/clinc/oos-eval, CC BY 3.0) and
BANKING77 (Casanueva et al., NLP for ConvAI 2020, github.com/PolyAI-LDN/task-specific-datasets, CC BY 4.0): 5 to 149
intents drawn from them, 1 to 3 patterns of each taught, others asked; only these three numbers are taken from them."""

SHIPPED_POWERS = Chance(11.73, -1.09, 0.77)
"""Fitted on MetaTool (Huang et al., ICLR 2024, github.com/HowieHwong/MetaTool, MIT, Copyright (c) 2023 Yue Huang): 5 to
199 tools by name and description, half of the queries asked; only these three numbers are taken from it."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scales of memories and powers; where one was fitted here, also on what and when.

    `encoder` says whose vectors the scores were, `library` is a sketch of what was taught (app.scoring.chances), and
    `made` the time in seconds since 1970.
    """

    memories: Chance = SHIPPED_MEMORIES
    powers: Chance = SHIPPED_POWERS
    encoder: str = ""
    library: tuple[int, ...] = ()
    made: float = 0.0
