#!/usr/bin/env python3
"""The main job with keys and mouse in the real window, as a teacher would do it."""

import glob
import os
import signal
import tempfile
import time
import zlib

from screen import Window, check, patience, run


def ready(state):
    return state["faces"]["prepared"] == "ready" and state["faces"]["block"] == "ready"


def subject(state):
    return state["view"]["subject"]


def event(state):
    return state["view"]["selection"]["event"]


def begins(window):
    window.settled(lambda s: s["page"] == "start" and "start.explore" in s["marks"], "the start page of a first start")
    window.key("Escape")
    window.settled(lambda s: s["page"] == "none", "the window after Esc")


def walks_the_ladder(window):
    rungs = ["double_buffer", "double_buffer_lean", "conflict_free", "transposed", "register_tile", "register_tile_scalar", "shared_tile", "tile",
             "naive", "naive_uncoalesced"]
    window.settled(lambda s: subject(s)["kernel"] == rungs[0] and ready(s), "the first picture")
    for key, order in (("Up", rungs[1:]), ("Down", rungs[-2::-1])):
        for rung in order:
            window.key(key)
            window.settled(lambda s: subject(s)["kernel"] == rung and ready(s), f"{rung} after {key}")
    window.click("rung.register_tile")
    window.settled(lambda s: subject(s)["kernel"] == "register_tile" and ready(s), "register_tile after a click")
    window.click("rung.double_buffer")
    window.settled(lambda s: subject(s)["kernel"] == "double_buffer" and ready(s), "double_buffer after a click")


def drags_a_slider(window):
    window.drag("slider.BK", 0.25, 0.5)  # the second of five stops to the third
    window.settled(lambda s: subject(s)["parameters"].get("BK") == 16 and ready(s), "BK = 16 after dragging")
    window.key("ctrl+z")
    window.settled(lambda s: subject(s)["parameters"].get("BK", 8) == 8 and ready(s), "BK = 8 after Ctrl+Z")
    window.key("ctrl+y")
    window.settled(lambda s: subject(s)["parameters"].get("BK") == 16 and ready(s), "BK = 16 after Ctrl+Y")
    window.key("Escape", "Tab", "Tab", "Tab")
    window.until(lambda s: s["slider"] == "BK", "the third slider after Tab")
    window.key("minus")
    window.settled(lambda s: subject(s)["parameters"].get("BK") == 8 and ready(s), "BK = 8 after minus")
    window.key(*["Tab"] * 7)
    window.until(lambda s: s["slider"] == "m", "the rows of C after the sliders")
    window.key("plus")
    window.settled(lambda s: subject(s)["m"] == 512 and ready(s), "512 rows after plus")
    window.key("minus")
    window.settled(lambda s: subject(s)["m"] == 256 and ready(s), "256 rows again")
    window.key("Escape")


def breaks_a_kernel(window):
    window.click("rung.register_tile")
    for rung in ("register_tile", "register_tile_scalar", "shared_tile", "tile"):  # the first are out of sight until the list has moved
        window.settled(lambda s: subject(s)["kernel"] == rung and ready(s), f"{rung} above double_buffer")
        if rung != "tile":
            window.key("Up")
    window.click("break.no_second_barrier")
    window.settled(lambda s: subject(s)["breaks"] == ["no_second_barrier"] and ready(s), "a mistake switched on")
    window.until(lambda s: "broken" in s["marks"] and "finding.0" in s["marks"], "what is broken, and what was found")
    window.click("finding.1")  # the first is among the lanes of a warp
    read = window.settled(lambda s: s["view"]["selection"]["warp"] == 1, "the warp that reads too late")
    window.click("finding.1.other")
    window.settled(lambda s: s["view"]["selection"]["warp"] == 0 and event(s) != event(read), "the warp that has written meanwhile")
    window.click("break.no_second_barrier")
    window.settled(lambda s: subject(s)["breaks"] == [] and ready(s) and "broken" not in s["marks"], "right again")
    window.click("rung.register_tile")
    for rung in ("register_tile", "transposed", "conflict_free", "double_buffer_lean", "double_buffer"):
        window.settled(lambda s: subject(s)["kernel"] == rung and ready(s), f"{rung} below tile")
        if rung != "double_buffer":
            window.key("Down")


def steps(window):
    window.key("Home")
    first = event(window.settled(lambda s: event(s) == 0, "the first event, which is warp 0's, after Home"))
    window.key("Right")
    second = event(window.settled(lambda s: event(s) > first, "a step after Right"))
    window.key("Left")
    window.settled(lambda s: event(s) == first, "the first step again after Left")
    window.key("Next")
    tenth = event(window.settled(lambda s: event(s) > second, "ten steps after PgDn"))
    window.key("Prior")
    window.settled(lambda s: event(s) == first, "the first step again after PgUp")
    window.key("bracketright")
    barrier = event(window.settled(lambda s: event(s) > tenth, "a barrier after ]"))
    window.key("bracketright")
    window.settled(lambda s: event(s) > barrier, "the next barrier after ]")
    window.key("bracketleft")
    window.settled(lambda s: event(s) == barrier, "the barrier before after [")
    window.key("Home")
    window.settled(lambda s: event(s) == 0, "the start after Home")
    window.key("period")
    turn = event(window.settled(lambda s: event(s) > 0, "a turn of the k loop after ."))
    window.click("transport.tile_forward")
    further = event(window.settled(lambda s: event(s) > turn, "the next turn after a click"))
    window.key("comma")
    window.settled(lambda s: event(s) == turn, "the turn before after ,")
    window.key("End")
    last = event(window.settled(lambda s: event(s) > further, "the end after End"))
    window.click("transport.scrubber", 0.5)
    window.settled(lambda s: first < event(s) < last, "the middle after a click on the scrubber")


def compares_two_moments(window):
    window.key("4")
    window.settled(lambda s: s["view"]["middle_tab"] == "shared" and s["faces"]["state"] == "ready", "shared contents after 4")
    window.key("m")
    marked = window.settled(lambda s: s["view"]["marked"] == event(s), "a marked moment after M")["view"]["marked"]
    window.key("period")
    window.settled(lambda s: event(s) != marked and s["view"]["marked"] == marked and s["faces"]["state"] == "ready", "another moment after .")
    window.click("transport.mark")
    window.settled(lambda s: s["view"]["marked"] == event(s), "the mark at this step after a click")
    window.key("m")
    window.settled(lambda s: s["view"]["marked"] is None, "no mark after M")


def reorders_the_warps(window):
    schedule = lambda s: s["view"]["subject"]["schedule"]
    check(schedule(window.settled(lambda s: True, "rest")) == "in-order", "the warps do not begin in order")
    window.click("transport.order")
    window.settled(lambda s: schedule(s) == "warp:%d" % s["view"]["selection"]["warp"], "the selected warp first after a click")
    window.key("o")
    window.settled(lambda s: schedule(s) == "seed:1", "shuffled warps after O")
    window.click("transport.seed")
    window.settled(lambda s: schedule(s) == "seed:2", "another shuffle after a click")
    window.key("O")
    window.settled(lambda s: schedule(s) == "seed:3", "the next shuffle after Shift+O")
    window.key("o")
    window.settled(lambda s: schedule(s) == "in-order", "warps in order after O")


def chooses_the_size_of_speeds(window):
    edge = lambda s: s["view"]["speed_m"]
    before = edge(window.settled(lambda s: "speed" in s["marks"], "the large number"))
    window.key("greater")
    window.settled(lambda s: edge(s) > before and subject(s)["m"] == 256, "a larger size of speeds after >")
    window.key("ctrl+z")
    window.settled(lambda s: edge(s) == before, "the size of speeds before after Ctrl+Z")
    window.key("ctrl+y")
    window.settled(lambda s: edge(s) > before, "the larger one after Ctrl+Y")
    window.key("less")
    window.settled(lambda s: edge(s) == before, "the size of speeds before after <")


def zooms_the_result(window):
    window.key("7")
    before = window.settled(lambda s: "result.picture" in s["marks"], "the result after 7")
    check(before["marks"]["result.picture"][3] > 300, "C is small in its own view")
    window.turn_wheel("result.picture", 4)
    window.settled(lambda s: s["view"]["result_zoom"] > 2, "a closer look after the wheel")
    window.click("result.whole")
    window.settled(lambda s: s["view"]["result_zoom"] == 1, "all of C after a click")
    window.key("1")


def plays(window):
    start = event(window.settled(lambda s: True, "rest"))
    window.key("space")
    window.until(lambda s: s["view"]["playing"] and event(s) > start, "playing after Space")
    window.key("space")
    stopped = event(window.settled(lambda s: not s["view"]["playing"], "a pause after Space"))
    check(stopped > start, "playing did not go on")
    window.click("transport.play")
    window.until(lambda s: s["view"]["playing"] and event(s) > stopped, "playing after a click")
    window.click_now("transport.play")
    window.settled(lambda s: not s["view"]["playing"], "a pause after a click")


def selects(window):
    window.key("1")
    # A click needs an instruction that accesses shared memory; the session has chosen one for a new kernel.
    window.click("rung.conflict_free")
    window.settled(lambda s: subject(s)["kernel"] == "conflict_free" and ready(s), "conflict_free")
    window.click("banks.lane.13")
    window.settled(lambda s: s["view"]["selection"]["lane"] == 13, "lane 13 after a click on it")
    window.key("l", "2", "1", "Return")
    window.settled(lambda s: s["view"]["selection"]["lane"] == 21 and s["field"] == "none", "lane 21 after L 21 Enter")
    window.key("l", "Left", "Escape")
    window.settled(lambda s: s["view"]["selection"]["lane"] == 20, "lane 20 after L Left")
    window.key("w", "3", "Return")
    window.settled(lambda s: s["view"]["selection"]["warp"] == 3, "warp 3 after W 3")
    window.key("b", "1", "Return")
    window.settled(lambda s: s["view"]["selection"]["block"][:2] == [1, 0] and ready(s), "block 1,0 after B 1")


def changes_how_it_looks(window):
    window.key("F6")
    window.settled(lambda s: s["view"]["language"] == "zh", "Chinese after F6")
    window.click("transport.language")
    window.settled(lambda s: s["view"]["language"] == "en", "English after a click")
    window.key("F7")
    window.settled(lambda s: s["view"]["theme"] == "light", "light after F7")
    window.click("transport.theme")
    window.settled(lambda s: s["view"]["theme"] == "dark", "dark after a click")
    window.key("shift+F5")
    large = window.settled(lambda s: s["view"]["projector"], "the projector's type after Shift+F5")
    window.key("shift+F5")
    small = window.settled(lambda s: not s["view"]["projector"], "small type after Shift+F5")
    check(large["marks"]["transport.play"][2] > 1.4 * small["marks"]["transport.play"][2], "Shift+F5 did not enlarge the buttons")
    window.key("alt+m")
    window.settled(lambda s: "panel.map" not in s["marks"], "no map after Alt+M")
    window.key("alt+m")
    window.settled(lambda s: "panel.map" in s["marks"], "the map after Alt+M")
    before = window.state()["marks"]["panel.map"]
    window.drag("splitter.left", 0.5, 20)
    window.settled(lambda s: s["marks"]["panel.map"][0] > before[0] + 50, "a wider ladder after dragging the splitter")
    for number, name in enumerate(["banks", "sectors", "timeline", "shared", "registers"], 1):
        window.key(str(number))
        window.settled(lambda s: s["view"]["middle_tab"] == name, f"{name} after {number}")


def stands_on_the_stage(window):
    before = subject(window.settled(ready, "rest"))["kernel"]
    window.key("F5")
    window.settled(lambda s: s["view"]["stage"]["shown"] and "stage.first" in s["marks"], "the stage after F5")
    window.key("Next")
    window.settled(lambda s: subject(s)["kernel"] != before and ready(s), "another rung after PgDn")
    window.key("b")
    window.key("Prior")  # shows the picture again
    window.key("Prior")
    window.settled(lambda s: subject(s)["kernel"] == before and ready(s), "the rung before after PgUp")
    window.key("F11")
    window.settled(lambda s: s["marks"]["stage.first"][1] > 0, "the whole screen after F11")
    window.key("F11", "Escape")
    window.settled(lambda s: not s["view"]["stage"]["shown"], "the panels after Esc")


def walks_a_lesson(window):
    before = subject(window.state())
    step = lambda s: (s["view"]["course"]["lesson"], s["view"]["course"]["step"])
    told = lambda s: s["settled"] and "stage.dots" in s["marks"]
    window.key("F2")
    window.settled(lambda s: s["page"] == "start", "the start page after F2")
    window.key("Return")
    window.settled(lambda s: s["page"] == "lessons", "the lessons after Enter")
    window.click("lesson.04_bank_conflicts")
    window.settled(lambda s: step(s) == ("04_bank_conflicts", 0) and told(s), "the first step")
    for number in (1, 2):
        window.key("Next")
        window.settled(lambda s: step(s)[1] == number and told(s) and ready(s), f"step {number} after PgDn")
    window.settled(lambda s: "lesson.item.0" in s["marks"], "the question")
    window.key("a", "Return")
    window.settled(lambda s: s["prediction"] == "wrong", "a wrong answer")
    window.click("lesson.item.2")
    window.key("Return")
    window.settled(lambda s: s["prediction"] == "right" and subject(s)["parameters"]["TILE"] == 16 and ready(s), "the right answer, and what was asked about")
    with open(os.path.join(window.folder, "state", "answers.jsonl")) as file:
        check(len(file.readlines()) == 2, "both answers are kept")
    window.key("Escape")
    window.settled(lambda s: not s["view"]["stage"]["shown"] and ready(s), "the panels after Esc")
    window.key("Down")
    window.settled(lambda s: s["away"] and subject(s)["kernel"] != "shared_tile" and ready(s), "another kernel, away from the step")
    window.key("BackSpace")
    window.settled(lambda s: not s["away"] and subject(s)["kernel"] == "shared_tile" and s["view"]["stage"]["shown"] and step(s)[1] == 2, "the step after Backspace")
    window.key("Escape", "F2", "Right", "Return")
    window.settled(lambda s: subject(s)["kernel"] == "naive_uncoalesced" and s["page"] == "none" and ready(s), "the first rung to explore")
    window.until(lambda s: s["view"]["course"]["lesson"] == "", "no lesson any more")
    kernel = subject(window.state())["kernel"]
    while kernel != before["kernel"]:  # what the parts that follow begin with
        window.key("Down")
        kernel = subject(window.settled(lambda s: subject(s)["kernel"] != kernel and ready(s), f"the rung behind {kernel}"))["kernel"]
    window.key("1")
    window.settled(lambda s: s["view"]["middle_tab"] == "banks", "banks after 1")


def reads_the_log(window):
    before = subject(window.settled(ready, "rest"))
    window.key("F9")
    window.settled(lambda s: s["page"] == "log" and "log.see" in s["marks"], "the log after F9")
    window.key("Right")
    first = window.settled(lambda s: "log.step.fences" in s["marks"] and "log.step.bf16_stream_k" not in s["marks"], "FP32 alone after Right")["log_step"]
    window.key("Next")
    window.settled(lambda s: s["log_step"] != first, "the next step after PgDn")
    window.click("log.step.short_loop")
    window.settled(lambda s: s["log_step"] == "short_loop", "the step that was clicked")
    window.click("log.see")
    window.settled(lambda s: s["page"] == "none" and subject(s)["kernel"] == "champion" and "log.line" in s["marks"] and ready(s), "its cause, in the views")
    window.key("BackSpace")
    window.settled(lambda s: s["page"] == "log" and s["log_step"] == "short_loop", "the step again after Backspace")
    window.key("Escape", "ctrl+z")
    window.settled(lambda s: subject(s) == before and "log.line" not in s["marks"] and ready(s), "what was open before after Ctrl+Z")


def searches(window):
    before = subject(window.state())["kernel"]
    window.key("slash", *"bulk", "underscore", *"copy")
    # Not at rest: every kernel is compiled in the background, for its opcodes.
    window.until(lambda s: s["view"]["search"] == "bulk_copy", "every letter in its order")
    window.until(lambda s: "found.bulk_copy" in s["marks"] and "family.ladder" not in s["marks"], "what was searched for")
    window.key("Return")
    window.until(lambda s: subject(s)["kernel"] == "bulk_copy" and ready(s), "bulk_copy after Enter")
    window.key("Escape")
    window.until(lambda s: s["view"]["search"] == "" and "family.ladder" in s["marks"], "all kernels after Esc")
    window.key("ctrl+f", *"dou")
    window.until(lambda s: s["view"]["search"] == "dou", "a search again")
    window.key("Escape")
    window.until(lambda s: s["view"]["search"] == "", "Esc in the field clears it")
    window.key("Up")
    window.settled(lambda s: subject(s)["kernel"] == "async_copy", "keys mean the window again")
    window.click(f"rung.{before}")
    window.settled(lambda s: subject(s)["kernel"] == before and ready(s), f"{before} again")


def follows_its_files(window):
    path = os.path.join(window.kernels, "copied.cu")
    with open(os.path.join(os.path.dirname(__file__), "../../kernels/naive.cu")) as file:
        text = file.read()
    text = text.replace('family = "ladder"', 'family = "own"').replace("naive(int", "copied(int")
    with open(path, "w") as file:
        file.write(text)
    window.settled(lambda s: "family.own" in s["marks"], "the family of a new file")
    with open(path, "w") as file:
        file.write(text.replace("rung = 2", "rung = two"))
    window.until(lambda s: any("copied.cu:3" in words for words in s["notices"]), "the mistake with its line")
    os.remove(path)
    window.settled(lambda s: "family.own" not in s["marks"], "no such family once the file is gone")
    window.key("Escape")


def colours(png, rows):
    """How many different ones there are in the first rows. Type has all shades between its colour and the ground's."""
    width, depth, kind = int.from_bytes(png[16:20], "big"), png[24], png[25]
    size = {2: 3, 6: 4}[kind]
    check(depth == 8, f"eight bits a channel, not {depth}")
    data, at = b"", 8
    while at < len(png):
        length, name = int.from_bytes(png[at:at + 4], "big"), png[at + 4:at + 8]
        data += png[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    lines, above, found = zlib.decompress(data), bytes(width * size), set()
    for row in range(rows):  # undo each line's filter, PNG specification 9.2
        begin = row * (width * size + 1)
        how, line = lines[begin], bytearray(lines[begin + 1:begin + 1 + width * size])
        for i in range(len(line) if how else 0):
            a, b, c = (line[i - size] if i >= size else 0), above[i], (above[i - size] if i >= size else 0)
            line[i] = line[i] + (0, a, b, (a + b) // 2, min((a, b, c), key=lambda near: abs(a + b - c - near)))[how] & 255
        above = bytes(line)
        found |= {above[i:i + 3] for i in range(0, len(above), size)}
    return len(found)


def keeps(window):
    window.key("F1")
    window.until(lambda s: s["help"], "the keys after F1")
    window.key("Escape")
    window.until(lambda s: not s["help"], "no keys after Esc")
    window.key("ctrl+s")
    window.until(lambda s: any("pictures" in n for n in s["notices"]), "where the picture is after Ctrl+S")
    pictures = glob.glob(os.path.join(window.folder, "pictures", "*.png"))
    check(len(pictures) == 1 and os.path.getsize(pictures[0]) > 10000, f"one picture in the folder, not {pictures}")
    with open(pictures[0], "rb") as file:
        picture = file.read()
    check(b"iTXtgemmscope" in picture, "a picture that carries its view")
    height = int.from_bytes(picture[20:24], "big")
    check(height > 900, f"a caption below the picture, which is {height} pixels high")
    shades = colours(picture, 120)
    check(shades > 150, f"type that can be read, not {shades} colours")
    window.key("Escape")
    window.until(lambda s: not s["notices"], "no notice after Esc")
    window.key("d")
    window.settled(lambda s: s["view"].get("baseline"), "a baseline after D")
    window.key("d")
    window.settled(lambda s: not s["view"].get("baseline"), "no baseline after D")


def pastes(window):
    window.key("ctrl+c")
    before = window.until(lambda s: s["notices"], "a notice after Ctrl+C")["view"]
    window.key("Escape")
    window.key("Up")
    window.settled(lambda s: s["view"]["subject"]["kernel"] != before["subject"]["kernel"], "another rung")
    window.key("ctrl+v")
    after = window.settled(lambda s: s["view"]["subject"] == before["subject"], "the copied view after Ctrl+V")
    check(after["view"]["selection"] == before["selection"], f"the copied step, not {after['view']['selection']}")
    window.key("Escape")
    window.key("ctrl+z")
    window.settled(lambda s: s["view"]["subject"] != before["subject"], "the rung again after Ctrl+Z")
    window.key("ctrl+y")
    window.settled(lambda s: s["view"]["subject"] == before["subject"], "the copied view again after Ctrl+Y")


def rests(window):
    window.move(5, 5)
    before = window.settled(lambda s: not s["notices"], "rest")
    shares = []
    while len(shares) < 10 and min(shares, default=1) >= 0.03:  # first the window gives back memory, and its workers end
        used, start = window.cpu_seconds(), time.monotonic()
        time.sleep(3)  # the time over which the processor's use is measured
        shares.append((window.cpu_seconds() - used) / (time.monotonic() - start))
    check(shares[-1] < 0.03, f"idle, the window uses {100 * shares[-1]:.1f} % of a processor")
    check(window.state()["frame"] == before["frame"], "the window drew although nothing happened")


def quits(window):
    window.key("ctrl+q")
    check(window.process.wait(30 * patience) == 0, f"Ctrl+Q ended with {window.process.returncode}")


def starts_as_the_desktop_is(program, display):
    """Light at a first start where the desktop is; a choice is remembered."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    os.makedirs(os.path.join(home, ".config", "gtk-3.0"))
    with open(os.path.join(home, ".config", "gtk-3.0", "settings.ini"), "w") as file:
        file.write("[Settings]\ngtk-theme-name=Adwaita\n")
    window = Window(program, display, home=home)
    window.settled(lambda s: s["view"]["theme"] == "light", "a light window on a light desktop")
    window.key("F7")
    window.settled(lambda s: s["view"]["theme"] == "dark", "a dark window after F7")
    quits(window)
    os.remove(window.probe)
    window = Window(program, display, home=home)
    try:
        window.settled(lambda s: s["view"]["theme"] == "dark", "a window as it was left")
    finally:
        window.close()


def ends_when_asked(program, display):
    """By the system, a terminal or Ctrl-C: what was changed in the last moment is kept."""
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    window = Window(program, display, home=home)
    begins(window)
    for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        window.settled(ready, "a picture")
        before = subject(window.state())["kernel"]
        window.key("Up")
        kernel = subject(window.until(lambda s: subject(s)["kernel"] != before, "another rung after Up"))["kernel"]
        window.process.send_signal(ending)
        check(window.process.wait(60 * patience) == 0, f"{ending.name} ended with {window.process.returncode}")
        os.remove(window.probe)
        window = Window(program, display, home=home)
        window.until(lambda s: subject(s)["kernel"] == kernel, f"{kernel} again after {ending.name}")
    window.close()


def editor(state):
    return state["editor"]


def uses_the_editor(window, compiled):
    """Each of its tools once; it leaves the text as it was compiled."""
    lines = editor(compiled)["lines"]
    as_compiled = lambda s: not editor(s)["edited"] and editor(s)["lines"] == lines and editor(s)["shown"] == "text"
    with open(editor(compiled)["file"]) as file:
        places = [number for number, line in enumerate(file, 1) if "__syncthreads" in line]
    window.key("ctrl+Home", "ctrl+f")
    window.type("__syncthreads")
    for key, place in ((None, 0), ("F3", 1), ("shift+F3", 0)):
        if key:
            window.key(key)
        window.until(lambda s: "edit.search" in s["marks"] and editor(s)["line"] == places[place], f"line {places[place]} after {key or 'typing'}")
    window.key("Escape")
    window.until(lambda s: "edit.search" not in s["marks"], "no field after Esc")
    window.key("shift+Up", "Tab")
    window.until(lambda s: editor(s)["edited"], "indented lines after Tab")
    window.key("shift+Tab")
    window.until(as_compiled, "as before after Shift+Tab")
    window.key("ctrl+d")
    window.until(lambda s: editor(s)["shown"] == "difference", "the difference from the sample after Ctrl+D")
    window.key("Escape")
    window.until(as_compiled, "the text after Esc")
    window.key("ctrl+h")
    window.until(lambda s: editor(s)["shown"] == "versions" and "edit.version.2" in s["marks"], "two versions and the sample after Ctrl+H")
    window.key("Down", "Return")
    window.until(lambda s: editor(s)["edited"] and editor(s)["lines"] == lines, "the version before")
    window.key("ctrl+z")
    window.until(as_compiled, "the latest after Ctrl+Z")
    window.key("Escape")
    window.until(lambda s: not editor(s)["focused"], "keys that are the window's after Esc")
    window.click("edit.restore")
    window.until(lambda s: editor(s)["edited"] and editor(s)["lines"] == lines - 1, "the sample's text")
    window.key("ctrl+z")
    window.until(as_compiled, "one's own after Ctrl+Z")
    window.key("ctrl+y")
    window.until(lambda s: editor(s)["edited"], "the sample's after Ctrl+Y")
    window.key("ctrl+z")
    window.until(as_compiled, "one's own once more")


def writes_a_kernel(program, display):
    """An edit with an error, mended, compiled, and every view follows; a kill while typing loses nothing."""
    start = time.monotonic()
    home = tempfile.mkdtemp(prefix="gemmscope-gui-")
    window = Window(program, display, home=home)
    begins(window)
    window.settled(ready, "the first picture")
    window.key("F4", "ctrl+f")
    window.type("__syncthreads")
    window.key("Escape", "End", "Return")
    window.type("int x = missing;")
    wrong = window.until(lambda s: editor(s)["faults"] == [editor(s)["line"]] and "source.remark" in s["marks"] and ready(s), "an error at the line that was typed, and the picture as it was")
    check(subject(wrong)["kernel"] == "my_double_buffer" and os.path.dirname(editor(wrong)["file"]) == os.path.join(home, "state", "kernels"), "a copy of one's own is edited")
    window.key("shift+Home")
    window.type("int x = 1;")
    window.until(lambda s: editor(s)["faults"] == [], "no error once it is mended")
    window.key("Up", "ctrl+slash", "ctrl+Return")
    window.until(lambda s: not editor(s)["edited"] and ready(s) and "finding.0" in s["marks"], "a race, once a barrier is a comment")
    window.key("ctrl+z")
    window.key("ctrl+Return")
    compiled = window.until(lambda s: not editor(s)["edited"] and ready(s) and s["faces"]["grid"] == "ready" and "finding.0" not in s["marks"], "no race with the barrier")
    uses_the_editor(window, compiled)
    window.key("End", "Return")
    window.type("// still here")
    typed = time.monotonic()
    draft = os.path.join(home, "state", "kernels", "my_double_buffer", "draft.cu")
    while not (os.path.exists(draft) and "// still here" in open(draft).read()):
        check(time.monotonic() - typed < 30, "what was typed is not on disk")
        time.sleep(0.01)
    window.kill()
    window = Window(program, display, home=home)
    try:
        window.until(lambda s: subject(s)["kernel"] == "my_double_buffer" and editor(s) and editor(s)["edited"], "what was typed before the kill")
        check(editor(window.state())["lines"] == editor(compiled)["lines"] + 1, "one line more than was compiled")
        window.settled(ready, "the picture of what was compiled")
        quits(window)
    finally:
        window.close()
    print(f"writes_a_kernel: {time.monotonic() - start:.1f} s", flush=True)


def starts_by_a_click(program, display):
    """On a file that cannot be shown: nobody would read what the command line says of it."""
    plain = os.path.join(tempfile.mkdtemp(prefix="gemmscope-gui-"), "plain.cu")
    with open(plain, "w") as file:
        file.write("__global__ void nothing() {}\n")
    window = Window(program, display, "--desktop", plain)
    try:
        window.until(lambda s: any("plain.cu" in words for words in s["notices"]), "why the file is not shown")
        check(subject(window.state())["kernel"] == "double_buffer", "another kernel than at a first start")
    finally:
        window.close()


def main(program, display):
    starts_by_a_click(program, display)
    starts_as_the_desktop_is(program, display)
    writes_a_kernel(program, display)
    ends_when_asked(program, display)
    window = Window(program, display)
    try:
        for part in (begins, walks_the_ladder, drags_a_slider, breaks_a_kernel, steps, compares_two_moments, reorders_the_warps, chooses_the_size_of_speeds, zooms_the_result, plays, selects, changes_how_it_looks, stands_on_the_stage, walks_a_lesson, reads_the_log, searches, follows_its_files, keeps, pastes, rests, quits):
            start = time.monotonic()
            part(window)
            print(f"{part.__name__}: {time.monotonic() - start:.1f} s", flush=True)
    finally:
        window.close()


run(main)
