#!/usr/bin/env python3
"""The eight exercises from starter to pass in the real window, as a student solves them, and in a teacher's what was handed in."""

import glob
import json
import os
import re
import shutil
import time
import tomllib

from screen import Window, check, run

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
ERRED_AT = "coalesced"  # with a wrong attempt at each of its rules


def text_of(path):
    with open(path) as file:
        return file.read()


class Exercise:
    def __init__(self, folder):
        with open(os.path.join(folder, "exercise.toml"), "rb") as file:
            read = tomllib.load(file)
        self.id = os.path.basename(folder)
        self.order = read["order"]
        self.rules = [dict(rule, place=f"step {step} rule {number}") for step, part in enumerate(read["step"], 1)
                      for number, rule in enumerate(part["rule"], 1)]
        self.texts = os.path.join(ROOT, "tests/data/exercises", self.id)
        self.solution = text_of(os.path.join(self.texts, "reference.cu"))

    def attempts(self):
        """Of each rule its number, itself, and a text that breaks it first."""
        wrong = [text_of(path) for path in sorted(glob.glob(os.path.join(self.texts, "wrong_*.cu")))]
        for number, rule in enumerate(self.rules, 1):
            texts = [text for text in wrong if re.search(f"// expected: {rule['place']}\\b", text)]
            check(texts, f"a mistake for {rule['place']} of {self.id}")
            yield number, rule, texts[0]


def begins(window, exercise):
    window.key("F2")
    window.settled(lambda s: s["page"] == "start", "the start page after F2")
    window.click("start.exercises")
    window.settled(lambda s: s["page"] == "exercises", "the exercises after a click")
    window.click(f"exercise.{exercise.id}")
    judged = window.settled(lambda s: s["exercise"] and s["exercise"]["id"] == exercise.id and s["view"]["subject"]["kernel"] == exercise.id,
                            f"the verdict on the starter of {exercise.id}")
    check(not judged["exercise"]["passed"], "a starter that does not pass")
    check(judged["editor"]["focused"] and "panel.code" in judged["marks"], "a source in sight that can be typed into")


def writes(window, text):
    """Pastes it over what is there and compiles; returns what the window shows when it is judged."""
    window.copy(text)
    window.key("ctrl+a", "ctrl+v")
    window.until(lambda s: s["editor"]["edited"] and s["editor"]["lines"] == text.count("\n") + 1, "the pasted text")
    window.key("ctrl+Return")
    return window.settled(lambda s: s["exercise"] and not s["editor"]["edited"], "the verdict on it")


def errs(window, exercise):
    for number, rule, wrong in exercise.attempts():
        verdict = writes(window, wrong)["exercise"]
        check(verdict["first"] == number and verdict["hint"] == rule["hint"]["en"], f"{rule['place']} and its hint, not {verdict}")
        window.click("exercise.see")
        subject = lambda s: s["view"]["subject"]
        shown = lambda s: "panel.map" in s["marks"] if rule["view"] == "map" else s["view"]["middle_tab"] == rule["view"]
        seen = window.settled(lambda s: shown(s) and [subject(s)[extent] for extent in "mnk"] == verdict["size"] and
                              (not verdict["line"] or s["editor"]["line"] == verdict["line"]), f"what breaks {rule['place']}")
        check(seen["editor"]["focused"], "the keys are still the editor's")


def hands_in(window, exercise):
    """Returns the file."""
    window.click("exercise.hand_in")
    window.until(lambda s: any(".gemm" in words for words in s["notices"]), "where the file is")
    window.key("Escape")
    files = glob.glob(os.path.join(window.folder, "state", "hand_ins", f"{exercise.id}-*.gemm"))
    check(len(files) == 1, f"one file to hand in, not {files}")
    sources = json.loads(text_of(files[0]))["sources"]
    check(sources == {f"{exercise.id}.cu": exercise.solution}, f"the solution of {exercise.id} in its file")
    return files[0]


def solves(window, exercise):
    start = time.monotonic()
    begins(window, exercise)
    if exercise.id == ERRED_AT:
        errs(window, exercise)
    state = writes(window, exercise.solution)
    check(state["exercise"]["passed"], f"{exercise.id} passes, not {state['exercise']}")
    file = hands_in(window, exercise)
    print(f"{exercise.id}: {time.monotonic() - start:.1f} s", flush=True)
    return file


def reads(window, exercise):
    """The window has just been given a hand-in."""
    kernel = lambda s: s["view"]["subject"]["kernel"]
    opened = window.settled(lambda s: s["exercise"] and s["exercise"]["id"] == exercise.id and kernel(s).startswith(f"{exercise.id}_s1234_"),
                            f"the kernel and the verdict of {exercise.id}")
    check(opened["exercise"]["passed"], f"the verdict that the student saw, not {opened['exercise']}")
    check(not opened["editor"]["focused"], "keys that step and do not type")
    return opened


def main(program, display):
    exercises = sorted((Exercise(folder) for folder in glob.glob(os.path.join(ROOT, "assets/exercises/*"))), key=lambda one: one.order)
    check(len(exercises) == 8, "eight exercises")
    student = Window(program, display, "--student", "s1234")
    try:
        files = [solves(student, one) for one in exercises]
        left = student.state()["view"]
        print(f"the student's window: {student.cpu_seconds():.1f} s of processor time", flush=True)
        teacher = Window(program, display, files[-1])
        try:
            view = reads(teacher, exercises[-1])["view"]
            check(view["middle_tab"] == left["middle_tab"] and view["selection"] == left["selection"], "the view that the student handed in")
            for one, file in zip(exercises[:-1], files):
                shutil.copy(file, teacher.folder)
                teacher.key("F2")
                teacher.settled(lambda s: s["page"] == "start", "the start page after F2")
                teacher.click("start.open")
                teacher.settled(lambda s: s["page"] == "files", "the files after a click")
                teacher.click("file." + os.path.basename(file))
                reads(teacher, one)
            print(f"the teacher's window: {teacher.cpu_seconds():.1f} s of processor time", flush=True)
        finally:
            teacher.close()
    finally:
        student.close()


run(main, "xclip")
