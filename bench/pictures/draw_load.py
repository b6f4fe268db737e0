#!/usr/bin/env python3
"""Draws what bench/large_load took down: items a second, how long writers were stalled, and the table files, over time.

    draw_load.py CSV SVG
    draw_load.py --test LARGE_LOAD      a small load is run and drawn
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from draw_pictures import STYLE, check, clock, fewer, number

WIDTH, LEFT, CHART_WIDTH, TOP, PLOT_HEIGHT, ROW = 1000, 100, 880, 56, 150, 210
POINTS = 220
PANELS = [("items_a_second", "served", "items a second"), ("stalled_ms", "throttled", "ms a second that writers were stalled, of both"),
          ("files_mb", "offered", "MB of table files")]


def panel(rows, member, kind, words, y):
    values = fewer([float(row[member]) for row in rows], POINTS)
    most = max(max(values), 1)
    step = CHART_WIDTH / max(1, len(values) - 1)
    points = " ".join(f"{LEFT + i * step:.1f},{y + PLOT_HEIGHT - value / most * PLOT_HEIGHT:.1f}" for i, value in enumerate(values))
    bottom = y + PLOT_HEIGHT
    return [f'<text class="name" x="{LEFT}" y="{y - 10}">{words}</text>',
            f'<path class="axis" d="M{LEFT} {y}h{CHART_WIDTH}M{LEFT} {bottom}h{CHART_WIDTH}"/>',
            f'<text class="soft" x="{LEFT - 8}" y="{y + 5}" text-anchor="end">{number(most)}</text>',
            f'<text class="soft" x="{LEFT - 8}" y="{bottom + 4}" text-anchor="end">0</text>',
            f'<polyline class="{kind}" points="{points}"/>',
            f'<text class="soft" x="{LEFT + CHART_WIDTH}" y="{bottom + 18}" text-anchor="end">{clock(float(rows[-1]["seconds"]))}</text>']


def draw(text):
    rows = list(csv.DictReader(text.splitlines()))
    # The last second is a part of one.
    rows = rows[:-1] or rows
    height = TOP + ROW * len(PANELS)
    title = f"Loading {int(rows[-1]['items']):,} items"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f"<title>{title}</title>", f"<style>{STYLE}</style>", f'<rect class="back" width="{WIDTH}" height="{height}"/>']
    for i, (member, kind, words) in enumerate(PANELS):
        parts += panel(rows, member, kind, words, TOP + ROW * i)
    return "\n".join(parts + ["</svg>", ""])


def test(program):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "load.csv")
        done = subprocess.run([program, "20000", pathlib.Path(folder, "data"), file], check=True, capture_output=True, text=True)
        for words in ("loaded 20000 items", "writers stalled", "rows of", "GetItem:", "Query of 10:"):
            assert words in done.stdout, done.stdout
        text = check(draw(file.read_text(encoding="utf-8")))
    assert text.count("<polyline") == len(PANELS), text


if __name__ == "__main__":
    if sys.argv[1] == "--test":
        test(sys.argv[2])
    else:
        pathlib.Path(sys.argv[2]).write_text(check(draw(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
