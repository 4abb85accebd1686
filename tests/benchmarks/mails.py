"""Benchmark of requests within mails: queries bare, framed, and among 4 and 12 sentences.

    python -m tests.benchmarks.mails DATA FOLDER [--seed N]

DATA holds clinc150 and banking77. For each, FOLDER gets a library of half of the labels with 2 to 5 phrases, queries of
both halves and a profile; `import` and `evaluate` judge them. Printed by kind, of all queries: first, delivered rightly
and wrongly. `multi` are queries of several sentences as people wrote them; the frames are our own texts.
"""

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

HELLO = """Hi,|Hello!|Hi there, me again.|Good afternoon, I am writing about my account.|Dear support team,|Morning!
Hey, quick question.|Hello, thanks for the fast answer last time.|Hi, I hope you can help me.""".replace("\n", "|")
BYE = """Thanks!|Thank you very much for your help.|Many thanks, Sarah|Best, J.|Have a good day!|Please answer soon.
Regards\\nMartin Holt|Looking forward to your reply.|Thanks in advance for looking into this.""".replace("\n", "|")
OTHER = """I have been meaning to write for a week.|My brother-in-law recommended you to us.|The dog was ill.
I tried your site yesterday evening, but my tablet is slow.|I may have misread something in the leaflet.
My wife says I should simply ask.|We have three children and little time.|There was nobody at the counter.
I turned seventy in May and still like to do these things myself.|Somebody at work had the same question once.
Please do not take this as a complaint.|I have written this on the train, so forgive the mistakes.
Everything else has been fine so far.|It is not urgent at all.|Your colleague, a Mr Brand, was very kind.
I am a bit old-fashioned and keep paper copies.|We plan to repaint the kitchen.""".replace("\n", "|")
FRAMES = {"bare": -1, "polite": 0, "mail of 4": 4, "mail of 12": 12}
"""Number of other sentences by kind; -1 for the query alone."""


def framed(draw: random.Random, text: str, others: int) -> str:
    if others < 0:
        return text
    around, place = draw.sample(OTHER.split("|"), others), draw.randrange(others + 1)
    own = text if text[-1] in ".?!" else text + "."
    hello, bye = (draw.choice(some.replace("\\n", "\n").split("|")) for some in (HELLO, BYE))
    return " ".join([hello, *around[:place], own[0].upper() + own[1:], *around[place:], bye])


def drawn(data: Path, folder: Path, name: str, seed: int) -> dict[str, str]:
    """Write a library and its cases; return the kind of each query."""
    draw, texts = random.Random(seed), defaultdict[str, list[str]](list)
    for line in (data / name / "patterns.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        texts[row["intent"]].append(row["text"])
    labels = sorted(texts.keys() - {"oos"})
    draw.shuffle(labels)
    taught, cases, kinds = list[str](), list[str](), dict[str, str]()
    for place, label in enumerate(labels[:76]):
        own = draw.sample(texts[label], len(texts[label]))
        is_taught, several = place < 38, [one for one in own[9:] if re.search(r"[.!?]\s+\w", one)]
        if is_taught:
            some = own[: draw.choice((2, 3, 5))]
            taught += [json.dumps({"text": one, "intent": label, "response": "-"}) for one in some]
        asked = {framed(draw, one, n): kind for one in own[5 : 9 if is_taught else 7] for kind, n in FRAMES.items()}
        for text, kind in (asked | dict.fromkeys(several[:6], "multi")).items():
            kinds[text] = kind if is_taught else f"{kind}, out of scope"
            cases.append(json.dumps({"text": text, "expected": [label] if is_taught else [], "task": "intent"}))
    (folder / f"{name}.jsonl").write_text("\n".join(taught), "utf-8")
    (folder / f"{name}-cases.jsonl").write_text("\n".join(cases), "utf-8")
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=11)
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    for name in ("banking77", "clinc150"):
        kinds = drawn(wanted.data, wanted.folder, name, wanted.seed)
        program = [sys.executable, "-m", "app", "--profile", str(wanted.folder / f"profile-{name}-{wanted.seed}")]
        subprocess.run([*program, "import", str(wanted.folder / f"{name}.jsonl")], check=True, capture_output=True)
        judge = [*program, "evaluate", str(wanted.folder / f"{name}-cases.jsonl"), "--task", "intent", "--json"]
        found = json.loads(subprocess.run(judge, check=True, capture_output=True).stdout)
        table = defaultdict[str, Counter[str]](Counter)
        for case in found["cases"]:
            table[kinds[case["text"]]].update([case["delivered"], "all", *["first"] * (case["rank"] == 1)])
        print(name, "ECE {ece:.3f}, AUROC {auroc:.3f}".format(**found["metrics"]))
        for kind, count in table.items():
            told = (f"{count[each]:4} {each}" for each in ("all", "first", "right", "wrong", "unexpected"))
            print(f"  {kind:25}", *told)


if __name__ == "__main__":
    main()
