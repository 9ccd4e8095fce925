"""What the tiny assistant talks about: pairs of what is heard and what is answered, from a seeded generator."""

import random

UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBERS = UNITS + TENS + [f"{t} {u}" for t in TENS for u in UNITS[:9]] + ["one hundred"]
ROOMS = ["kitchen", "bedroom", "living room", "bathroom", "hallway", "garage", "office", "garden", "basement", "attic"]
DEVICES = ["light", "lights", "lamp", "fan", "heater", "television", "radio"]
TIME_UNITS = ["second", "seconds", "minute", "minutes", "hour", "hours"]
LENGTH_UNITS = ["meter", "meters", "steps", "feet", "centimeters"]
DIRECTIONS = ["forward", "forwards", "backward", "backwards"]
MUSIC = ["music", "some music", "jazz", "some jazz", "rock", "some rock", "classical music", "the radio", "the news",
         "a song", "my favorite song", "something calm", "something happy", "the blues"]
DAYS = ["today", "tomorrow", "tonight", "this weekend", "on monday", "on tuesday", "on wednesday", "on thursday",
        "on friday", "on saturday", "on sunday"]
POLITE = ["", "", "", "please ", "hey ", "hello ", "can you ", "could you ", "can you please ", "i want you to "]

NOT_UNDERSTOOD = "sorry, i did not get that."
NO_CLOCK = "i have no clock here, sorry."
NO_REPORT = "i have no weather report here, sorry."

SMALL_TALK = {
    "hello": "hello, how can i help you?",
    "hi": "hello, how can i help you?",
    "hi there": "hello, how can i help you?",
    "good morning": "good morning, how can i help you?",
    "good evening": "good evening, how can i help you?",
    "good night": "good night, sleep well.",
    "goodbye": "goodbye, talk to you soon.",
    "bye": "goodbye, talk to you soon.",
    "thank you": "you are welcome.",
    "thanks": "you are welcome.",
    "thanks a lot": "you are welcome.",
    "thank you very much": "you are welcome.",
    "how are you": "i am fine, thank you.",
    "how are you today": "i am fine, thank you.",
    "who are you": "i am a tiny assistant, and i live on this device.",
    "what is your name": "i am portal's tiny assistant.",
    "what can you do": "i can switch lights, set timers, play music and move around.",
    "help": "i can switch lights, set timers, play music and move around.",
    "tell me a joke": "why did the robot nap? it had to recharge.",
    "are you a robot": "i am a small program that can move a robot.",
    "you are great": "thank you, that is kind.",
    "good job": "thank you, that is kind.",
    "go somewhere and do something": "where should i go, and what should i do there?",
}


def light(r):
    """A switch command without courtesy."""
    state, room, device = r.choice(["on", "off"]), r.choice(ROOMS), r.choice(DEVICES)
    heard = r.choice([f"turn {state} the {room} {device}", f"turn the {room} {device} {state}",
                      f"switch {state} the {room} {device}", f"switch the {room} {device} {state}",
                      f"turn {state} the {device} in the {room}"])
    return heard, f"turning {state} the {room} {device}"


def plain_light(r):
    state, device = r.choice(["on", "off"]), r.choice(DEVICES)
    return r.choice([f"turn {state} the {device}", f"turn the {device} {state}", f"switch {state} the {device}"]), \
        f"turning {state} the {device}"


def timer(r):
    n, unit = r.choice(NUMBERS), r.choice(TIME_UNITS)
    heard = r.choice([f"set a timer for {n} {unit}", f"set the timer to {n} {unit}", f"start a timer for {n} {unit}",
                      f"start a {n} {unit} timer", f"wake me in {n} {unit}", f"remind me in {n} {unit}"])
    return heard, f"setting a timer for {n} {unit}"


def move(r):
    n, unit, way = r.choice(NUMBERS), r.choice(LENGTH_UNITS), r.choice(DIRECTIONS)
    heard = r.choice([f"go {way} {n} {unit}", f"move {way} {n} {unit}", f"drive {way} {n} {unit}",
                      f"walk {way} {n} {unit}", f"go {n} {unit} {way}"])
    return heard, f"moving {way.rstrip('s')} {n} {unit}"


def turn(r):
    side = r.choice(["left", "right"])
    if r.random() < 0.5:
        n = r.choice(NUMBERS)
        return r.choice([f"turn {side} {n} degrees", f"rotate {side} {n} degrees"]), f"turning {side} {n} degrees"
    return r.choice([f"turn {side}", f"go {side}", f"turn to the {side}"]), f"turning {side}"


def music(r):
    what = r.choice(MUSIC)
    if r.random() < 0.4:
        room = r.choice(ROOMS)
        return f"play {what} in the {room}", f"playing {what} in the {room}"
    return f"play {what}", f"playing {what}"


def volume(r):
    return r.choice([("make it louder", "making it louder"), ("louder", "making it louder"),
                     ("turn up the volume", "making it louder"), ("make it quieter", "making it quieter"),
                     ("quieter", "making it quieter"), ("turn down the volume", "making it quieter"),
                     ("next song", "playing the next song"), ("play the next song", "playing the next song")])


ACTIONS = [light, light, plain_light, timer, timer, move, move, turn, music, volume]


def action(r):
    heard, doing = r.choice(ACTIONS)(r)
    return r.choice(POLITE) + heard + (" please" if r.random() < 0.08 else ""), \
        r.choice(["okay, ", "sure, ", "", ""]) + doing + "."


def two_actions(r):
    (h1, d1), (h2, d2) = r.choice(ACTIONS)(r), r.choice(ACTIONS)(r)
    return r.choice(POLITE) + h1 + r.choice([" and ", " and then ", " then ", " "]) + h2, f"okay, {d1} and {d2}."


def stop(r):
    return r.choice(["stop", "stop the music", "stop moving", "be quiet", "cancel", "cancel that", "cancel the timer",
                     "never mind", "stop it", "stop now", "please stop", "halt"]), "okay, stopping."


def time(r):
    return r.choice(["what time is it", "tell me the time", "what is the time", "do you know what time it is",
                     "what day is it", "what is the date", "what is the date today"]), NO_CLOCK


def weather(r):
    day = r.choice(DAYS)
    return r.choice([f"what is the weather {day}", f"tell me the weather {day}", f"how is the weather {day}",
                     f"what is the weather like {day}", f"will it rain {day}", f"is it cold {day}",
                     "what is the weather", "how is the weather", f"will it be sunny {day}"]), NO_REPORT


def small_talk(r):
    return r.choice(list(SMALL_TALK.items()))


def misheard(r, words):
    """Sentences that nobody meant: cut off, with the number or the object lost, or of foreign words."""
    kind = r.randrange(6)
    some = lambda n: " ".join(r.choice(words) for _ in range(n))
    if kind == 0:
        return some(r.randint(1, 7))
    heard, _ = r.choice([light, plain_light, timer, move])(r)
    parts = heard.split()
    if kind == 1:
        cut = parts[: r.randint(1, len(parts) - 2)]
        return " ".join(cut if cut[-1] not in DEVICES else cut[:-1])
    if kind == 2:
        n, unit = some(1), r.choice(TIME_UNITS + LENGTH_UNITS)
        return r.choice([f"set a timer for {n} {unit}", f"go forward {n} {unit}", f"set a timer for {unit}",
                         f"go forward {unit}", f"wake me in {n}"])
    if kind == 3:
        return f"turn {r.choice(['on', 'off'])} the {some(r.randint(1, 2))}"
    if kind == 4:
        at = r.randrange(len(parts))
        parts[at:at + 1] = [r.choice(words), r.choice(words)]
        parts.insert(r.randrange(len(parts)), r.choice(words))
        return " ".join(parts)
    return f"{some(1)} {r.choice(['the', 'a', 'of', 'to', 'and', 'is'])} {some(r.randint(1, 4))}"


def pair(r, words):
    """One example: (what is heard, what is answered)."""
    x = r.random()
    if x < 0.50:
        return action(r)
    if x < 0.62:
        return two_actions(r)
    if x < 0.66:
        return stop(r)
    if x < 0.70:
        return time(r)
    if x < 0.75:
        return weather(r)
    if x < 0.82:
        return small_talk(r)
    return misheard(r, words), NOT_UNDERSTOOD


def foreign_words(cmudict):
    """Words of a pronouncing dictionary that mean nothing to the assistant."""
    known = set(" ".join(NUMBERS + ROOMS + DEVICES + TIME_UNITS + LENGTH_UNITS + DIRECTIONS + MUSIC + DAYS).split())
    known |= set(" ".join(SMALL_TALK).split())
    with open(cmudict, encoding="latin-1") as f:
        words = {line.split()[0].split("(")[0].lower() for line in f if line[:1].isalpha()}
    return sorted(w for w in words if w.isalpha() and 2 <= len(w) <= 9 and w not in known)


def pairs(seed, count, words):
    r = random.Random(seed)
    return [pair(r, words) for _ in range(count)]
