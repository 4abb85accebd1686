"""Cases answered by an index alone, without a workbench."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from app.domain.case import Case, Task
from app.domain.inspection import estimated_tokens
from app.domain.match import Query
from app.evaluation.evaluation import Evaluation
from app.ports.encoder import Vectors
from app.scoring.index.trigger_index import TriggerIndex
from app.scoring.text import ScoredText
from app.services.engine.type_voter import TypeDetector
from app.services.evaluation.evaluate import CaseAnswerer, evaluation_of
from app.services.evaluation.trial_snapshot import Trial, TrialSnapshot
from app.services.evaluation.trials import TaughtAnswers, TrialQuery
from app.settings.model import Settings

Embed = Callable[[Sequence[str]], tuple[Vectors, Vectors]]


def evaluate(
    index: TriggerIndex,
    settings: Settings,
    cases: Sequence[Case],
    task: Task,
    *,
    embed: Embed | None,
    detector: TypeDetector,
) -> Evaluation:
    """Answer every case under these settings, with vectors from `embed`, and judge the answers."""
    engine = SimpleNamespace(
        index=index, settings=settings, encoder=None, rules=None, detector=detector, count_tokens=estimated_tokens
    )
    core: Any = SimpleNamespace(engine=engine)
    nothing: Any = None
    taught = TaughtAnswers(index)
    snapshot = TrialSnapshot(core, nothing, nothing, taught, settings, {}, {task})
    answers = CaseAnswerer(snapshot, task, [Trial(settings)], nothing)
    texts = [Query.of(case.text).scored for case in cases]
    made = () if embed is None else embed(texts)
    queries = [TrialQuery(taught, ScoredText(text, *(each[n] for each in made))) for n, text in enumerate(texts)]
    answered = [one for case, query in zip(cases, queries, strict=True) for one in answers.to(case, query)]
    return evaluation_of(task, answered, settings, has_vectors=embed is not None)
