"""usage: compression.py METEOR CONFIGS FOLDER [--streams A,B] [--variants X,Y] [--seeds 3]

Quality against memory: runs `meteor evaluate` for every stream, variant and seed, keeps each result in FOLDER (what is
there is not run again), prints a table of mean MRRs (by pooled scoring, and by the paper's) with the share of full embeddings'
bytes, and draws compression.svg.
Streams are those of the folder METEOR_DATA_DIR that are there, or else a generated one. Variants with categories are run for
streams that have them: items and categories in NAME.clusters.csv beside NAME.csv."""

import statistics
import sys

from evaluations import categories_of, evaluate, find_streams, mean, parse_options


PAPER = ["learning.epochs=5"]  # with the paper's loss five epochs are better than three


def spectral(percent):
    return ["compression.scheme=spectral", f"compression.budget={percent} %"]


VARIANTS = {
    "uncompressed": ["method=uncompressed"],
    "full": ["method=full", *PAPER],
    **{f"spectral {percent} %": spectral(percent) for percent in (2, 3, 5, 10, 20, 30)},
    "clusters": ["compression.scheme=clusters"],
    "paper": ["method=paper", *PAPER],
    "clusters int8": ["compression.scheme=clusters", "compression.precision=int8", "compression.basis_fraction=0.25"],
    "subspace int8": ["compression.scheme=clusters", "compression.clusters=subspace", "compression.precision=int8",
                      "compression.basis_fraction=0.25"],
    "uncompressed with categories": ["method=uncompressed"],
    "spectral 10 % with categories": spectral(10),
    "clusters int8 with categories": ["compression.scheme=clusters", "compression.precision=int8",
                                      "compression.basis_fraction=0.25"],
    **{f"dimension {d}": [f"method=dim_reduct:{d}", *PAPER] for d in (100, 50, 25)},
    **{name: [f"method={name}"] for name in ("lift", "lift:0.1", "bayes")},
}
COLOURS = {"spectral": "#0072b2", "clusters": "#d55e00", "subspace": "#cc79a7", "dimension": "#009e73"}


def table(results, variants):
    for name, rows in results.items():
        best = mean(rows["uncompressed"], "mrr") if "uncompressed" in rows else None
        print(f"\n{name}\n{'variant':30} {'loss':>8} {'MRR':>7} {'± seeds':>8} {'of unc.':>8} {'MRR rare':>9} {'by means':>9} "
              f"{'bytes':>8}")
        for variant in (v for v in variants if v in rows):
            runs = rows[variant]
            spread = statistics.stdev(run["mrr"] for run in runs) if len(runs) > 1 else 0
            relative = f"{mean(runs, 'mrr') / best:8.3f}" if best else " " * 8
            print(f"{variant:30} {runs[0]['loss']:>8} {mean(runs, 'mrr'):7.4f} {spread:8.4f} {relative} {mean(runs, 'rare'):9.4f} "
                  f"{mean(runs, 'mean'):9.4f} {mean(runs, 'share'):6.1f} %")


def chart(name, rows, left):
    """A panel: share of full embeddings' bytes against the share of uncompressed embeddings' MRR."""
    width, height, pad = 260, 200, 36
    points = {v: (mean(r, "share"), 100 * mean(r, "mrr") / mean(rows["uncompressed"], "mrr")) for v, r in rows.items()
              if v != "uncompressed" and "categories" not in v}
    points = {v: point for v, point in points.items() if point[0] < 35}
    low, high = min(75, min(y for _, y in points.values()) - 2), max(101, max(y for _, y in points.values()) + 1)

    def place(share, quality):
        return left + pad + min(share, 35) / 35 * (width - pad), pad + (high - quality) / (high - low) * (height - pad)

    parts = [f'<text x="{left + pad}" y="20" font-weight="bold">{name}</text>']
    for quality in range(int(low // 5 + 1) * 5, int(high) + 1, 5):
        x, y = place(0, quality)
        parts.append(f'<path d="M{x} {y:.1f}H{left + width}" stroke="#ccc"/><text x="{x - 4}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{quality}</text>')
    for share in (0, 10, 20, 30):
        x, _ = place(share, 100)
        parts.append(f'<text x="{x:.1f}" y="{height + 16}" text-anchor="middle">{share}</text>')
    for family, colour in COLOURS.items():
        line = sorted(p for v, p in points.items() if v.startswith(family))
        where = [place(*p) for p in line]
        if not where:
            continue
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                     + " ".join(f"{x:.1f},{y:.1f}" for x, y in where) + '"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in where]
    return "\n".join(parts)


def draw(results, path):
    panels = [chart(name, rows, 280 * i) for i, (name, rows) in enumerate(results.items())]
    drawn = [family for family in COLOURS if any(v.startswith(family) for rows in results.values() for v in rows)]
    legend = "".join(f'<text x="{36 + 110 * i}" y="245" fill="{COLOURS[family]}">{family}</text>'
                     for i, family in enumerate(drawn))
    axis = '<text x="480" y="245">% of full embeddings\' bytes against % of the MRR without compression (pooled)</text>'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {280 * len(panels)} 255" font-family="sans-serif" '
                    f'font-size="11" style="background:#fff">\n' + "\n".join(panels) + legend + axis + "\n</svg>\n")


def main():
    options = parse_options(variants="", seeds=3)
    variants = options.variants.split(",") if options.variants else list(VARIANTS)
    results = {}
    for stream in find_streams(options).items():
        usual = [v for v in variants if "categories" not in v or categories_of(stream[1][0]).exists()]
        results[stream[0]] = {variant: [evaluate(options, stream, variant, VARIANTS[variant], seed)
                                        for seed in range(1, options.seeds + 1)]
                              for variant in usual}
    table(results, variants)
    if "uncompressed" in variants and len(variants) > 1:
        draw(results, options.folder / "compression.svg")
        print(f"\n{options.folder / 'compression.svg'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
