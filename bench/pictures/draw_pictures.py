#!/usr/bin/env python3
"""Draws what the shipped experiments show: an SVG of each, from the figures that `dynolith lab simulate --json` writes. The same
program draws the same bytes.

    draw_pictures.py PROGRAM FOLDER [NAME ...]      NAME: an experiment as `dynolith lab list` names it; none: all with a number
    draw_pictures.py --test PROGRAM FOLDER README   one is drawn, and all are there and shown in the README

A row for each design: its name and what came of it; operations a second over time, offered, served and throttled; the heat of the
table or index where most was throttled, by hash (downwards) and time.
"""

import base64
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zlib
from xml.sax.saxutils import escape

BYTES_MAX = 60_000
WIDTH, ROW, TOP = 1000, 118, 74
TEXT_X, CHART_X, CHART_WIDTH, HEAT_X, HEAT_WIDTH, PLOT_HEIGHT = 16, 272, 316, 640, 344, 78
POINTS = 110
HEAT_COLUMNS, HEAT_ROWS, LEVELS = 110, 52, 16
# Cividis, as in the report.
HEAT = [(0, 34, 78), (53, 69, 108), (102, 105, 112), (148, 142, 119), (200, 184, 102), (254, 232, 56)]
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1c2126 }
  .back { fill: #ffffff } .title { font-size: 17px; font-weight: 600 } .name { font-weight: 600 } .soft { fill: #5b6570; font-size: 12px }
  .axis { stroke: #d5dade } .offered { stroke: #56b4e9 } .served { stroke: #009e73 } .throttled { stroke: #d55e00 }
  polyline, .key { fill: none; stroke-width: 2 } .throttled { stroke-dasharray: 7 3 } .split { stroke: #ffffff; stroke-opacity: 0.7; stroke-dasharray: 6 3 }
  @media (prefers-color-scheme: dark) { .back { fill: #14181c } text { fill: #e7eaed } .soft { fill: #a3adb6 } .axis { stroke: #39424a }
    .throttled { stroke: #ef8354 } }
"""


def number(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def clock(seconds):
    hours, rest = divmod(round(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def added(lists):
    return [sum(values) for values in zip(*lists)]


def fewer(values, count):
    """The means of `count` equal parts."""
    if len(values) <= count:
        return values
    bounds = [i * len(values) // count for i in range(count + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in zip(bounds, bounds[1:])]


def loads(design):
    """Operations a second over time."""
    seconds = design["interval_seconds"]
    each = {name: added([access[member] for access in design["accesses"]])
            for name, member in (("offered", "operations"), ("served", "served"), ("throttled", "throttled"))}
    return {name: fewer([value / seconds for value in values], POINTS) for name, values in each.items()}


def polyline(name, values, most, y):
    step = CHART_WIDTH / max(1, len(values) - 1)
    points = " ".join(f"{CHART_X + i * step:.0f},{y + PLOT_HEIGHT - value / most * PLOT_HEIGHT:.1f}" for i, value in enumerate(values))
    return f'<polyline class="{name}" points="{points}"/>'


def heat_color(part):
    at = min(len(HEAT) - 1.001, part * (len(HEAT) - 1))
    i = int(at)
    return bytes(round(low + (high - low) * (at - i)) for low, high in zip(HEAT[i], HEAT[i + 1]))


def heat_png(heat):
    """Of operations, logarithmic; a pixel shows the most of what falls upon it."""
    cells = heat["operations"]
    slots = 1 + max((slot for slot, _, _ in cells), default=0)
    columns = min(slots, HEAT_COLUMNS)
    pixels = [[0.0] * columns for _ in range(HEAT_ROWS)]
    for slot, bucket, value in cells:
        row, column = bucket * HEAT_ROWS // heat["buckets"], slot * columns // slots
        pixels[row][column] = max(pixels[row][column], value)
    most = max((value for _, _, value in cells), default=1)
    level = lambda value: 1 + round((LEVELS - 2) * math.log1p(value) / math.log1p(most)) if value > 0 else 0
    rows = b""
    for row in pixels:
        levels = [level(value) for value in row] + [0] * (columns % 2)
        rows += b"\0" + bytes(high << 4 | low for high, low in zip(levels[::2], levels[1::2]))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, HEAT_ROWS, 4, 3, 0, 0, 0)) +
            chunk(b"PLTE", b"".join(heat_color(i / (LEVELS - 1)) for i in range(LEVELS))) +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def throttled(resource):
    return sum(sum(values) for kind in ("read", "write") for values in resource[kind]["throttled"].values())


def hottest_resource(result):
    """The name of the table or index where most was throttled, or, where nothing was, with the most operations."""
    totals = {}
    for design in result["designs"]:
        for resource in design["resources"]:
            refused, done = totals.get(resource["name"], (0, 0))
            totals[resource["name"]] = (refused + throttled(resource), done + sum(cell[2] for cell in resource["heat"]["operations"]))
    return max(totals, key=totals.get)


def facts(design, currency):
    seconds = design["simulated_seconds"] or 1
    total = lambda member: sum(sum(access[member]) for access in design["accesses"])
    month = {kind: sum(resource["month"][kind] + resource["month"]["storage"] for resource in design["resources"])
             for kind in ("on_demand", "provisioned")}
    share = total("served") / (total("operations") or 1) * 100
    return [f"{'99.9' if 99.95 < share < 100 else number(share)} % served, {number(total('throttled') / seconds)} throttled/s",
            f"{number(month['on_demand'])} / {number(month['provisioned'])} {currency}"]


def draw_design(design, name, most, currency, y):
    parts = [f'<text class="name" x="{TEXT_X}" y="{y + 14}">{escape(design["name"] or "this design")}</text>']
    parts += [f'<text x="{TEXT_X}" y="{y + 36 + 19 * i}">{escape(fact)}</text>' for i, fact in enumerate(facts(design, currency))]
    bottom = y + PLOT_HEIGHT
    parts.append(f'<path class="axis" d="M{CHART_X} {y}h{CHART_WIDTH}M{CHART_X} {bottom}h{CHART_WIDTH}"/>')
    parts.append(f'<text class="soft" x="{CHART_X - 6}" y="{y + 5}" text-anchor="end">{number(most)}</text>')
    parts.append(f'<text class="soft" x="{CHART_X - 6}" y="{bottom + 4}" text-anchor="end">0</text>')
    parts += [polyline(kind, values, most, y) for kind, values in loads(design).items() if any(values)]
    parts.append(f'<text class="soft" x="{CHART_X + CHART_WIDTH}" y="{bottom + 16}" text-anchor="end">{clock(design["simulated_seconds"])}</text>')
    resource = next((one for one in design["resources"] if one["name"] == name), design["resources"][0])
    picture = base64.b64encode(heat_png(resource["heat"])).decode()
    parts.append(f'<image x="{HEAT_X}" y="{y}" width="{HEAT_WIDTH}" height="{PLOT_HEIGHT}" preserveAspectRatio="none" '
                 f'style="image-rendering: pixelated" href="data:image/png;base64,{picture}"/>')
    span = design["simulated_seconds"] or 1
    parts += [f'<path class="split" d="M{HEAT_X + split["second"] / span * HEAT_WIDTH:.0f} '
              f'{y + split["position"] * PLOT_HEIGHT:.1f}H{HEAT_X + HEAT_WIDTH}"/>' for split in resource["splits"][:60]]
    partitions = resource["partitions"][-1] if resource["partitions"] else resource["partitions_at_start"]
    parts.append(f'<text class="soft" x="{HEAT_X + HEAT_WIDTH}" y="{bottom + 16}" text-anchor="end">{escape(resource["name"])}, '
                 f'{partitions} partition{"s" if partitions != 1 else ""}</text>')
    return parts


def draw(result):
    designs = result["designs"]
    name = hottest_resource(result)
    most = max(max(values, default=0) for design in designs for values in loads(design).values()) or 1
    height = TOP + ROW * len(designs)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f'<title>{escape(result["title"])}</title>', f'<desc>{escape(result["expected"])}</desc>', f"<style>{STYLE}</style>",
             f'<rect class="back" width="{WIDTH}" height="{height}"/>',
             f'<text class="title" x="{TEXT_X}" y="28">{escape(result["title"])}</text>',
             f'<text class="soft" x="{TEXT_X}" y="54">a month: on demand / provisioned</text>']
    for i, kind in enumerate(("offered", "served", "throttled")):
        x = CHART_X + i * 82
        parts.append(f'<path class="{kind} key" d="M{x} 50h16"/><text class="soft" x="{x + 20}" y="54">{kind}</text>')
    parts.append(f'<text class="soft" x="{CHART_X + 250}" y="54">operations/s</text>')
    parts.append(f'<text class="soft" x="{HEAT_X}" y="54">heat by hash and time, and splits</text>')
    for i, design in enumerate(designs):
        parts += draw_design(design, name, most, result["prices"]["currency"], TOP + ROW * i)
    return "\n".join(parts + ["</svg>", ""])


def experiments(program):
    shown = subprocess.run([program, "lab", "list"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in shown.splitlines() if line[:2].isdigit()]


def simulate(program, name):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "result.json")
        subprocess.run([program, "lab", "simulate", name, "--json", file], check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text(encoding="utf-8"))


def check(text):
    xml.dom.minidom.parseString(text)
    assert len(text.encode()) <= BYTES_MAX, f"{len(text.encode())} bytes are too many"
    return text


def test(program, folder, readme):
    names = experiments(program)
    shown = pathlib.Path(readme).read_text(encoding="utf-8")
    for name in names:
        check(pathlib.Path(folder, f"{name}.svg").read_text(encoding="utf-8"))
        assert f"pictures/{name}.svg" in shown, f"{readme} does not show {name}.svg"
    text = check(draw(simulate(program, "05-celebrity")))
    assert text == draw(simulate(program, "05-celebrity")), "the same program draws the same bytes"
    for words in ("10 shards", "100 % served", "data:image/png"):
        assert words in text, words
    print(f"{len(names)} pictures are there")


def main(program, folder, *names):
    for name in names or experiments(program):
        pathlib.Path(folder, f"{name}.svg").write_text(check(draw(simulate(program, name))), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--test":
        test(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
