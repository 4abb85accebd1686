"""Models fitted to a library: a regression over its labels, and the scores' weights.

`fit` (app.scoring.learned.fit) makes a frozen `LearnedModel` (app.scoring.learned.model) from taught phrases, and
from labelled cases where there are some. The confidences of the model are probabilities, and *none of these* has a
probability of its own.
"""
