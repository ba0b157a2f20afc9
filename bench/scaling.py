"""usage: scaling.py WINDOW_BENCH FOLDER [--only vocabulary,m,d,negatives,windows] [--repeat 5]

How the cost of a unit-step grows with the vocabulary, the length of records (m), the dimension, the negatives and the length of the
window. Runs the benchmark window_bench, keeps what it measured in FOLDER/scaling.json (--only measures some of it anew), prints
tables with the growth over the whole range, and draws scaling.svg, both axes logarithmic."""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys

VARIED = {"vocabulary": "units in the vocabulary", "m": "units in a record", "d": "dimension", "negatives": "negatives a unit",
          "windows": "times a day of Online Retail"}
USUAL = {"vocabulary": 10000, "m": 22, "d": 300, "negatives": 3, "windows": 1}


def measure(options, kept):
    for varied in options.only.split(","):
        rest = "/".join(f"{key}:[0-9]+" if key == varied else f"{key}:{USUAL[key]}" for key in USUAL)
        out = options.folder / "run.json"
        subprocess.run([options.window_bench, f"--benchmark_filter=^learn_window/{rest}$", f"--benchmark_repetitions={options.repeat}",
                        "--benchmark_min_time=0.2", f"--benchmark_out={out}", "--benchmark_out_format=json"], check=True, stdout=subprocess.DEVNULL)
        for run in json.loads(out.read_text())["benchmarks"]:
            if run.get("aggregate_name") == "median":
                kept[run["run_name"]] = {"all": run["s/unit_step"], "learning": run["learning_s/unit_step"]}
    (options.folder / "scaling.json").write_text(json.dumps(kept, indent=1) + "\n")


def series(kept, varied):
    """(value, seconds of a unit-step), ascending."""
    points = []
    for name, cost in kept.items():
        sizes = {key: int(value) for key, value in re.findall(r"(\w+):(\d+)", name)}
        if all(sizes[key] == USUAL[key] for key in USUAL if key != varied):
            points.append((sizes[varied], cost))
    return sorted(points, key=lambda point: point[0])


def line_through(points):
    """a and b of y = a + b·x, and the largest relative distance of a point from it; each point weighs by 1/y²."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    b = (sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points))
         / sum(w * (x - mean_x)**2 for w, (x, _) in zip(weights, points)))
    a = mean_y - b * mean_x
    return a, b, max(abs(y / (a + b * x) - 1) for x, y in points)


def table(kept):
    for varied, words in VARIED.items():
        points = series(kept, varied)
        if len(points) < 2:
            continue
        print(f"\n{words:32} {'ns/unit-step':>13} {'of it learning':>15}")
        for value, cost in points:
            print(f"{value:32} {1e9 * cost['all']:13.0f} {1e9 * cost['learning']:15.0f}")
        growth = points[-1][1]["all"] / points[0][1]["all"] - 1
        a, b, off = line_through([(value, 1e9 * cost["learning"]) for value, cost in points])
        print(f"from {points[0][0]} to {points[-1][0]}: {100 * growth:+.1f} %; learning = {a:.0f} + {b:.3g}·x ns within {100 * off:.0f} %")


def draw(kept, path):
    width, height, pad = 250, 210, 40
    panels = []
    for number, (varied, words) in enumerate((v, w) for v, w in VARIED.items() if len(series(kept, v)) > 1):
        points = series(kept, varied)
        left, low, high = number * width, points[0][0], points[-1][0]

        def place(x, seconds):
            across = math.log(x / low) / math.log(high / low)
            return left + pad + across * (width - 2 * pad), 30 + math.log10(1e-5 / seconds) / 2 * (height - 60)

        parts = [f'<text x="{left + pad}" y="16" font-weight="bold">{words}</text>']
        for seconds in (1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5):
            x, y = place(low, seconds)
            parts.append(f'<path d="M{x} {y:.1f}H{left + width - pad}" stroke="#ddd"/><text x="{x - 4}" y="{y + 4:.1f}" '
                         f'text-anchor="end">{1e9 * seconds:.0f}</text>')
        for value, _ in points:
            parts.append(f'<text x="{place(value, 1e-7)[0]:.1f}" y="{height - 12}" text-anchor="middle" font-size="9">{value}</text>')
        for what, colour in (("all", "#0072b2"), ("learning", "#d55e00")):
            where = [place(value, cost[what]) for value, cost in points]
            parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                         + " ".join(f"{x:.1f},{y:.1f}" for x, y in where) + '"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in where]
        panels.append("\n".join(parts))
    legend = (f'<text x="{pad}" y="{height + 10}" fill="#0072b2">ns a unit-step</text>'
              f'<text x="{pad + 110}" y="{height + 10}" fill="#d55e00">of it in the learning step</text>')
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width * len(panels)} {height + 20}" '
                    f'font-family="sans-serif" font-size="11" style="background:#fff">\n' + "\n".join(panels) + legend + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("window_bench")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(VARIED))
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = options.folder / "scaling.json"
    kept = json.loads(found.read_text()) if found.exists() else {}
    measure(options, kept)
    table(kept)
    draw(kept, options.folder / "scaling.svg")
    print(f"\n{options.folder / 'scaling.svg'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
