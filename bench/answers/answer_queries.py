"""usage: answer_queries.py --config FILE --input STREAM --queries FILE --predictor NAME [--json FILE]

Answers the queries of `meteor evaluate --queries` by a predictor that, before each window that is asked about, learns all records
of earlier windows, and prints what `meteor evaluate --json` says of its own answers: MRR, Recall@1, Recall@5 and the MRR
of units seen in fewer than ten past records. All units of a record are alike to a predictor: tokens named attribute:unit. A context
is weighed in two ways, so that all its units weigh the same or all its attributes; the results that come first are those of the better
one, which favours predictors a little. Input that does not agree with the queries ends the program."""

import argparse
import json
import resource
import sys
import time

import numpy

from counting import Ease, ItemKnn, Lift
from factors import PpmiSvd, WeightedAls, Word2Vec
from queries import RARE_BELOW, balance, ranks_of, read_windows, summary
from records import read_records

PREDICTORS = {"lift": Lift, "item-kNN": ItemKnn, "EASE": Ease, "ALS": WeightedAls, "PPMI-SVD": PpmiSvd, "word2vec": Word2Vec}
CONTEXTS = {"attributes": balance, "units": lambda contexts, attributes: contexts}  # what weighs the same in a context
FULL_DIMENSION = 300  # of the embeddings that sizes are compared with


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    for name in ("config", "input", "queries"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--predictor", required=True, choices=PREDICTORS)
    parser.add_argument("--json", help="where to write the results; they are printed otherwise")
    parser.add_argument("--windows", type=int, default=0, help="of those asked about, only the first so many; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dimension", type=int, default=300, help="of word2vec and PPMI-SVD")
    parser.add_argument("--epochs", type=int, default=5, help="of word2vec, over the past of the first window")
    parser.add_argument("--again", type=int, default=1, help="epochs of word2vec before each later window, over all of the past")
    parser.add_argument("--rate", type=float, default=0.05, help="of word2vec, alpha")
    parser.add_argument("--ease-penalty", type=float, default=100, help="λ")
    parser.add_argument("--ease-units", type=int, default=8000, help="the most frequent units, which EASE is limited to")
    parser.add_argument("--als-factors", type=int, default=128)
    parser.add_argument("--als-penalty", type=float, default=1)
    parser.add_argument("--als-alpha", type=float, default=20, help="how much more a unit that is there weighs than one that is not")
    parser.add_argument("--als-iterations", type=int, default=8)
    return parser.parse_args()


def answer(predictor, windows, records):
    """What the answers are worth, by both ways of weighing contexts, and what they cost in seconds of CPU time."""
    ranks, rare, seconds = {way: [] for way in CONTEXTS}, [], {"learn": 0, "answer": 0}
    for window in windows:
        past = records.before(window.begin)
        seen = numpy.bincount(past.indices, minlength=past.shape[1])
        rare.append(seen[window.candidates[numpy.arange(len(window.answers)), window.answers]] < RARE_BELOW)
        begin = time.process_time()
        predictor.learn(past)
        learnt = time.process_time()
        for way, weigh in CONTEXTS.items():
            contexts = weigh(window.contexts, records.attributes)
            ranks[way].append(ranks_of(predictor.score(contexts, numpy.maximum(window.candidates, 0)), window))
        seconds["learn"] += learnt - begin
        seconds["answer"] += (time.process_time() - learnt) / len(CONTEXTS)
    by_context = {way: summary(found, rare) for way, found in ranks.items()}
    best = max(CONTEXTS, key=lambda way: by_context[way]["mrr"])
    return {**by_context[best], "context": best, "by_context": by_context, "query_windows": len(windows), "cpu_seconds": seconds,
            "model_bytes": int(predictor.bytes()), "full_bytes": 4 * FULL_DIMENSION * int((seen > 0).sum()), "past_bytes": 4 * past.nnz}


def main():
    options = parse_options()
    records = read_records(options.config, options.input)
    windows = read_windows(options.queries, records)
    predictor = PREDICTORS[options.predictor](options, records)
    result = {"predictor": options.predictor, **answer(predictor, windows[:options.windows or None], records),
              "peak_rss_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
              "remarks": predictor.remarks() if hasattr(predictor, "remarks") else {},
              "options": {key: value for key, value in vars(options).items() if key not in ("config", "input", "queries", "json")}}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            out.write(text + "\n")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
