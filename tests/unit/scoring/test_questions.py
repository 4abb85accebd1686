import pytest

from app.scoring.questions import fact_of, promises

ACTING = ("payment-service", "Restart, scale and deploy the payment service", "deploy: deploy a version")
READING = ("git", "Commits and branches", "log: commits with author and date", "blame: who wrote each line of a file")


@pytest.mark.parametrize(
    ("question", "by_acting", "by_reading"),
    [
        ("who owns the payment service", False, False),
        ("When was the payment service last deployed?", False, False),
        ("what's the name of the payment service", False, False),
        ("how old is the payment service", False, True),
        ("tell me who wrote this line", False, True),
        ("who is the author of the last commit", False, True),
        ("where is the file", False, True),
    ],
)
def test_that_a_fact_is_promised_by_powers_that_read_and_name_it(
    question: str, by_acting: bool, by_reading: bool
) -> None:
    fact = fact_of(question)
    assert fact is not None
    assert (promises(ACTING, fact), promises(READING, fact)) == (by_acting, by_reading)


@pytest.mark.parametrize(
    "text",
    [
        "could you restart the payment service",
        "what time is it in berlin",
        "how do i deploy the payment service",
        "who should i page, page the engineer",
        "where can i book a hotel",
        "when you are done, lock the doors",
        "who owns the shop. deploy it",
        "who " + "is it " * 200,
    ],
)
def test_that_other_texts_ask_for_no_fact(text: str) -> None:
    assert fact_of(text) is None
