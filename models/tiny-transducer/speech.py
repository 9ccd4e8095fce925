#!/usr/bin/env python3
"""Makes the speech that the tiny transducer learns from, with the programs flite and espeak-ng.

    python3 speech.py --cmudict PATH --work DIR [--shards 40] [--jobs 1]

Writes DIR/speech/NNNN.npz, 500 utterances each, seeded by their number; what is there already is kept, so a run that is
cut off goes on where it was. `--test 150` makes the test sets instead (with festival's voice ked, festvox-kdlpc16k).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import io
import multiprocessing
import pathlib
import random
import subprocess
import wave

import numpy as np
import torch
import torchaudio

import sentences

RATE = 16000
SHARD = 500
FLITE = ["slt", "rms", "awb", "kal16"]
ACCENTS = ["en-us", "en-us", "en-us", "en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-gb-x-gbclan",
           "en-gb-x-gbcwmd", "en-029", "en-us-nyc"]
VARIANTS = ["", "Alex", "Alicia", "Andrea", "Annie", "Denis", "Diogo", "Gene", "Gene2", "Henrique", "Hugo", "Jacky",
            "Lee", "Marco", "Mario", "Michael", "Mike", "Mr", "Nguyen", "RicishayMax", "RicishayMax2", "adam", "anika",
            "announcer", "antonio", "aunty", "belinda", "benjamin", "boris", "caleb", "david", "ed", "edward", "f1",
            "f3", "f4", "f5", "grandma", "grandpa", "gustave", "iven", "iven2", "iven3", "john", "kaukovalta", "klatt",
            "klatt2", "klatt4", "klatt5", "klatt6", "m1", "m2", "m3", "m5", "m6", "m7", "m8", "marcelo", "max",
            "michel", "miguel", "norbert", "pablo", "paul", "pedro", "quincy", "rob", "robert", "sandro", "shelby",
            "steph", "steph3", "travis", "victor", "zac"]
UNSEEN_VARIANTS = ["f2", "m4", "Andy", "linda", "steph2", "klatt3"]


def run(command, text):
    return subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout


def samples(data):
    """16 bit samples at 16 kHz of a WAV file; espeak-ng writes a length that is too long to a pipe."""
    with wave.open(io.BytesIO(data)) as w:
        rate, raw = w.getframerate(), w.readframes(w.getnframes())
    x = np.frombuffer(raw[:len(raw) // 2 * 2], "<i2")
    if rate != RATE:
        y = torchaudio.functional.resample(torch.from_numpy(x.astype(np.float32)), rate, RATE).numpy()
        x = np.clip(np.round(y), -32768, 32767).astype("<i2")
    return x


def flite(text, voice, stretch):
    path = f"/dev/shm/flite-{os.getpid()}.wav"
    subprocess.run(["flite", "-voice", voice, "--setf", f"duration_stretch={stretch:.3f}", "-t", text, "-o", path],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    data = pathlib.Path(path).read_bytes()
    os.unlink(path)
    return samples(data)


def espeak(text, voice, speed, pitch):
    return samples(run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout", "--stdin"], text))


def festival(text, voice):
    path = f"/dev/shm/festival-{os.getpid()}.wav"
    run(["text2wave", "-eval", f"(voice_{voice})", "-o", path], text)
    data = pathlib.Path(path).read_bytes()
    os.unlink(path)
    return samples(data)


def say(r, text, variants=VARIANTS, flite_share=0.4):
    if r.random() < flite_share:
        return flite(text, r.choice(FLITE), r.uniform(0.75, 1.3))
    variant = r.choice(variants)
    voice = r.choice(ACCENTS) + ("+" + variant if variant else "")
    return espeak(text, voice, r.randint(110, 210), r.randint(25, 75))


def save(path, texts, sounds):
    partial = path.with_name(path.name + ".part")
    with open(partial, "wb") as f:
        np.savez(f, samples=np.concatenate(sounds), lengths=np.array([len(s) for s in sounds]), texts=np.array(texts))
    os.replace(partial, path)


def make_shard(job):
    path, index, words = job
    if path.exists():
        return
    torch.set_num_threads(1)
    r = random.Random(f"speech {index}")
    texts = [sentences.training_sentence(r, words) for _ in range(SHARD)]
    save(path, texts, [say(r, text) for text in texts])
    print(path, flush=True)


def write_wavs(folder, name, texts, sounds):
    """DIR/test/NAME/NNN.wav and DIR/test/NAME.tsv, as tools/SpeechScore.java reads them."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / f"{name}.tsv", "w") as rows:
        for i, (text, x) in enumerate(zip(texts, sounds)):
            with wave.open(str(folder / name / f"{i:03d}.wav"), "wb") as w:
                w.setnchannels(1)
                w.setsampwidth(2)
                w.setframerate(RATE)
                w.writeframes(x.astype("<i2").tobytes())
            rows.write(f"{name}/{i:03d}.wav\t{text}\n")


def noisy(sounds, decibels):
    """With pink noise, so many decibels below the speech."""
    r = np.random.default_rng(decibels)
    made = []
    for x in sounds:
        n = x.size
        white = r.standard_normal(n // 2 + 1) + 1j * r.standard_normal(n // 2 + 1)
        pink = np.fft.irfft(white / np.sqrt(np.arange(1, n // 2 + 2)), n)
        level = np.sqrt(np.mean(x.astype(float) ** 2)) * 10 ** (-decibels / 20)
        made.append(np.clip(np.round(x + pink * level / np.sqrt(np.mean(pink ** 2))), -32768, 32767))
    return made


def make_tests(work, words, count):
    """Sentences that training never saw: by voices of the training, by others, and in noise."""
    r = random.Random("test")
    texts = [sentences.test_sentence(r, words) for _ in range(count)]
    sets = {"seen-voices": [say(r, text) for text in texts],
            "flite-slt": [flite(text, "slt", 1) for text in texts],
            "unseen-espeak": [say(r, text, UNSEEN_VARIANTS, 0) for text in texts],
            "unseen-festival": [festival(text, "ked_diphone") for text in texts]}
    for name, sounds in sets.items():
        save(work / "speech" / f"test-{name}.npz", texts, sounds)
        write_wavs(work / "test", name, texts, sounds)
    for decibels in (20, 10, 5):
        write_wavs(work / "test", f"flite-slt-{decibels}dB", texts, noisy(sets["flite-slt"], decibels))
        write_wavs(work / "test", f"unseen-festival-{decibels}dB", texts, noisy(sets["unseen-festival"], decibels))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cmudict", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--shards", type=int, default=40)
    p.add_argument("--jobs", type=int, default=1)
    p.add_argument("--test", type=int, default=0, metavar="COUNT")
    a = p.parse_args()
    folder = pathlib.Path(a.work) / "speech"
    folder.mkdir(parents=True, exist_ok=True)
    words = sentences.domain.foreign_words(a.cmudict)
    if a.test:
        make_tests(pathlib.Path(a.work), words, a.test)
        return
    jobs = [(folder / f"{i:04d}.npz", i, words) for i in range(a.shards)]
    with multiprocessing.Pool(a.jobs) as pool:
        for _ in pool.imap(make_shard, jobs):
            pass


if __name__ == "__main__":
    main()
