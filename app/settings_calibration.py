"""What settings carry along that nobody sets: the scales by which `calibrated` tells how likely an answer is right."""

from __future__ import annotations

from typing import Self

from pydantic import PrivateAttr

from app.domain.chance import Calibration
from app.settings_sections import Section


class Calibrated(Section):
    """Settings with the scales of a profile beside them; the shipped ones, unless somebody says otherwise."""

    _calibration: Calibration = PrivateAttr(default=Calibration())

    @property
    def calibration(self) -> Calibration:
        """The scales in force (S2.10)."""
        return self._calibration

    def calibrated_by(self, calibration: Calibration) -> Self:
        """The same settings with other scales."""
        copy = self.model_copy()
        copy._calibration = calibration
        return copy
