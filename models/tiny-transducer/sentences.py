"""What the tiny transducer is taught to hear: the tiny assistant's domain, numbers, and words in no order."""

import hashlib
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tiny-assistant"))
import domain  # noqa: E402

DIGITS = ["zero", "oh"] + domain.UNITS[:9]
GENERAL = ["yes", "no", "okay", "yes please", "no thank you", "stop", "go", "start", "begin", "up", "down", "left",
           "right", "open", "close", "open the door", "close the window", "open the window", "close the door",
           "come here", "go back", "go home", "follow me", "look left", "look right", "wait", "wait a moment",
           "repeat that", "say that again", "go on", "continue", "pause", "quit", "exit", "undo", "again",
           "go forward", "go backward", "move forward", "move back", "go faster", "go slower", "slow down",
           "turn around", "go straight", "lights on", "lights off", "good afternoon", "see you later"]


def held_out(sentence):
    """One sentence of twenty is never spoken in training; long enough ones only, as "stop" must be learned."""
    return len(sentence.split()) >= 4 and hashlib.sha256(sentence.encode()).digest()[0] < 13


def domain_sentence(r, words):
    return domain.pair(r, words)[0]


def numbers(r):
    if r.random() < 0.5:
        return " ".join(r.choice(DIGITS) for _ in range(r.randint(1, 7)))
    return " ".join(r.choice(domain.NUMBERS) for _ in range(r.randint(1, 3)))


def sentence(r, words):
    """One sentence to train on; lower case letters and apostrophes."""
    x = r.random()
    if x < 0.62:
        text = domain_sentence(r, words)
    elif x < 0.72:
        # Words of the domain in no order, so that the predictor does not lean on the grammar alone.
        some = (domain_sentence(r, words) + " " + domain_sentence(r, words)).split()
        r.shuffle(some)
        text = " ".join(some[:r.randint(1, 7)])
    elif x < 0.80:
        text = numbers(r)
    elif x < 0.86:
        text = r.choice(GENERAL)
    else:
        text = " ".join(r.choice(words) for _ in range(r.randint(1, 6)))
    return "".join(ch for ch in text.lower() if ch.isalpha() or ch in " '")


def training_sentence(r, words):
    while True:
        text = sentence(r, words)
        if text and not held_out(text):
            return text


def test_sentence(r, words):
    """A sentence of the domain that training never saw."""
    while True:
        x = r.random()
        text = domain.action(r)[0] if x < 0.75 else domain.two_actions(r)[0]
        if held_out(text):
            return text
