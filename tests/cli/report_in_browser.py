"""usage: report_in_browser.py CHROMIUM RESULTS REPORT: the page in a real browser, and its numbers beside the JSON files.

The browser shows the page with a script of ours at its end, which clicks, measures, and leaves what it saw in the page."""

import html.parser
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

FAULTS = []


def check(holds, sentence):
    if not holds:
        FAULTS.append(sentence)


def browse(chromium, page):
    """What the page has become once its scripts have run, and what the browser complained of."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--hide-scrollbars", "--allow-file-access-from-files", f"--user-data-dir={profile}",
             "--enable-logging=stderr", "--window-size=1280,900", "--virtual-time-budget=5000", "--dump-dom",
             page.absolute().as_uri()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, env={**os.environ, "HOME": profile})
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, complaints


class Elements(html.parser.HTMLParser):
    """Every element's name and attributes, in their order, and the text of some."""

    def __init__(self, text):
        super().__init__()
        self.all = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.all.append((tag, dict(attributes), []))

    def handle_data(self, data):
        if self.all:
            self.all[-1][2].append(data)


def read_runs(results):
    """Objects of all runs, by stream and variant."""
    runs = {}
    for file in sorted(results.glob("runs/*/*.json")):
        run = json.loads(file.read_text())
        runs.setdefault((run["stream"], run["variant"]), []).append(run)
    return runs


def figure(run, key):
    if key == "share":
        return run["model_bytes"] / run["full_bytes"]
    if key == "mrr_pooled":
        return run["by_scoring"]["pooled"]["mrr"]
    return 1000 / run["records_per_second"] if key == "ms_per_record" else run[key]


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15)


def check_numbers(elements, runs):
    """Every cell that names its origin holds the mean over that origin's files; all runs are somewhere."""
    seen, compared = set(), 0
    for _, attributes, text in elements.all:
        if "data-key" not in attributes:
            continue
        origin = attributes["data-stream"], attributes["data-variant"]
        seen.add(origin)
        files = [run for run in runs[origin] if str(run["seed"]) == attributes.get("data-seed", str(run["seed"]))]
        values = [figure(run, attributes["data-key"]) for run in files]
        mean, shown = statistics.fmean(values), float(attributes["data-value"])
        check(near(mean, shown), f"{origin} {attributes['data-key']}: {shown} is shown, {mean} is measured")
        if "data-deviation" in attributes:
            check(math.isclose(statistics.stdev(values), float(attributes["data-deviation"]), rel_tol=1e-9, abs_tol=1e-12),
                  f"{origin}: deviation {attributes['data-deviation']}")
        if attributes["data-key"] == "mrr" and "data-seed" not in attributes:
            check(text[0].split()[-1] == f"{mean:.3f}", f"{origin}: the text {text[0]!r} is not {mean:.3f}")
        compared += 1
    check(seen == set(runs), f"not on the page: {sorted(set(runs) - seen)}")
    check(compared > 6 * len(runs), f"only {compared} numbers name their origin")


def check_charts(elements, runs):
    """Every chart can be read aloud and has points; those of retrieval are where the files say."""
    charts, chart, section = [], None, ""
    for tag, attributes, _ in elements.all:
        if tag == "section":
            section = attributes["id"]
        if tag == "svg" and attributes.get("role") == "img":
            chart = {"section": section, "stream": attributes.get("data-stream"), "points": []}
            charts.append(chart)
            check("aria-labelledby" in attributes, "a chart has no name")
        if "data-y" in attributes and chart is not None:
            chart["points"].append((float(attributes.get("data-x", 0)), float(attributes["data-y"])))
    check(all(chart["points"] for chart in charts), "a chart is empty")
    for chart in charts:
        for x, y in chart["points"] if chart["section"] == "retrieval" else ():
            check(any(near(x, statistics.fmean(figure(run, "share") for run in files)) and
                      near(y, statistics.fmean(run["mrr"] for run in files))
                      for (stream, _), files in runs.items() if stream == chart["stream"]),
                  f"the point {x}, {y} of {chart['stream']} is nobody's")
    return charts


SORTING = """<script>
const table = document.querySelector('#summary table');
const column = () => Array.from(table.tBodies[0].rows, row => row.cells[1].dataset.value || '').join(' ');
const button = table.querySelectorAll('thead button')[1];
const state = () => button.closest('th').getAttribute('aria-sort');
const out = {before: state()};
button.focus();
out.focused = document.activeElement === button;
button.click();
out.descending = column(); out.first = state();
button.click();
out.ascending = column(); out.second = state();
table.querySelector('thead button').click();
out.third = state();
out.names = Array.from(table.tBodies[0].rows, row => row.cells[0].textContent.trim()).join(' ');
for (const details of document.querySelectorAll('details')) details.open = true;
document.body.insertAdjacentHTML('beforeend', '<output id="seen"></output>');
const seen = document.getElementById('seen');
for (const name in out) seen.dataset[name] = out[name];
</script>"""

NARROW = """<!DOCTYPE html><meta charset="utf-8"><iframe id="phone" src="%s" style="width:360px;height:800px;border:0"></iframe>
<output id="seen"></output><script>
document.getElementById('phone').addEventListener('load', event => {
  const page = event.target.contentDocument, root = page.documentElement;
  for (const details of page.querySelectorAll('details')) details.open = true;
  const seen = document.getElementById('seen').dataset;
  seen.page = root.scrollWidth;
  seen.window = root.clientWidth;
  seen.wide = Array.from(page.querySelectorAll('svg'), svg => svg.getBoundingClientRect().right).filter(x => x > 361).length;
});
</script>"""


def seen_by(text):
    return next((attributes for tag, attributes, _ in Elements(text).all if attributes.get("id") == "seen"), {})


def check_sorting(chromium, report, folder):
    page = folder / "sorted.html"
    page.write_text(report.read_text().replace("</body>", SORTING + "</body>"))
    text, complaints = browse(chromium, page)
    check(not complaints, f"sorting: {complaints}")
    seen = seen_by(text)
    numbers = [float(value) for value in seen.get("data-descending", "").split()]
    check(len(numbers) > 2 and numbers == sorted(numbers, reverse=True), f"not sorted downwards: {numbers}")
    numbers = [float(value) for value in seen.get("data-ascending", "").split()]
    check(len(numbers) > 2 and numbers == sorted(numbers), f"not sorted upwards: {numbers}")
    states = [seen.get("data-" + name) for name in ("before", "focused", "first", "second", "third")]
    check(states == ["none", "true", "descending", "ascending", "none"], f"aria-sort and focus: {states}")


def check_phone(chromium, report, folder):
    page = folder / "phone.html"
    page.write_text(NARROW % report.absolute().as_uri())
    seen = seen_by(browse(chromium, page)[0])
    check(int(seen.get("data-page", 9999)) <= int(seen.get("data-window", 0)) == 360, f"the page is wider than a phone: {seen}")
    check(seen.get("data-wide") == "0", f"charts are wider than a phone: {seen}")


def main(chromium, results, report):
    text, complaints = browse(chromium, report)
    check(not complaints, f"the browser complains: {complaints}")
    check("METEOR" in text, "the browser shows nothing")
    elements, runs = Elements(text), read_runs(results)
    check_numbers(elements, runs)
    charts = check_charts(elements, runs)
    with tempfile.TemporaryDirectory() as folder:
        check_sorting(chromium, report, pathlib.Path(folder))
        check_phone(chromium, report, pathlib.Path(folder))
    for fault in FAULTS:
        print(f"FAILED: {fault}", file=sys.stderr)
    print(f"{len(runs)} variants, {len(charts)} charts in {sorted({chart['section'] for chart in charts})}")
    return 1 if FAULTS or not charts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
