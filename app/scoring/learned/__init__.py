"""What a library teaches about itself: a regression over its labels, and how much each score counts beside it.

`fit` (app.scoring.learned.fit) makes a frozen `LearnedModel` (app.scoring.learned.model) of taught phrases alone;
labelled cases join where there are some. The confidences of the model are chances, and *none of these* has its own.
"""
