"""Queries of `meteor evaluate --queries`, and how well they are answered (docs/queries.md)."""

import dataclasses
import itertools
import json
import sys

import numpy
import scipy.sparse

RARE_BELOW = 10  # past records that hold the true unit


@dataclasses.dataclass
class Window:
    """The queries that one window asks."""
    begin: int
    contexts: scipy.sparse.csr_matrix  # queries by units, 1 where the context holds one
    candidates: numpy.ndarray  # queries by units; -1 where a query has fewer
    answers: numpy.ndarray  # which of its candidates is the true one


def read_windows(path, records):
    """All windows in their order. Ends the program if a query does not agree with the record that it names."""
    with open(path, encoding="utf-8") as file:
        queries = map(json.loads, file)
        return [gather(path, list(group), records) for _, group in itertools.groupby(queries, key=lambda query: query["window"])]


def gather(path, queries, records):
    contexts, ends, candidates = [], [0], []
    for query in queries:
        tokens = [f"{attribute}:{unit}" for attribute, units in query["context"].items() for unit in units]
        choices = [f"{query['target']}:{unit}" for unit in query["candidates"]]
        unknown = [token for token in tokens + choices if token not in records.numbers]
        if unknown:
            sys.exit(f"{path}: a query of record {query['record']} names {unknown[0]}, which is not in the stream")
        context = sorted(records.numbers[token] for token in tokens)
        candidates.append([records.numbers[token] for token in choices])
        if {*context, candidates[-1][query["answer"]]} != records.tokens(query["record"]):
            sys.exit(f"{path}: a query of record {query['record']} does not hold the units that the record has in the stream")
        if records.times[query["record"] - 1] < query["begin"]:
            sys.exit(f"{path}: record {query['record']} is older than its window; predictors would learn what they are asked")
        contexts += context
        ends.append(len(contexts))
    longest = max(map(len, candidates))
    padded = numpy.array([row + [-1] * (longest - len(row)) for row in candidates])
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(contexts), numpy.float32), contexts, ends), (len(queries), len(records.numbers)))
    return Window(queries[0]["begin"], matrix, padded, numpy.array([query["answer"] for query in queries]))


def balance(contexts, attributes):
    """Weighs each unit of a context by one over how many of its attribute are there, so that all attributes weigh the same."""
    kinds = attributes.max() + 1
    query = numpy.repeat(numpy.arange(contexts.shape[0]), numpy.diff(contexts.indptr))
    group = query * kinds + attributes[contexts.indices]
    weights = (1 / numpy.bincount(group, minlength=1)[group]).astype(numpy.float32)
    return scipy.sparse.csr_matrix((weights, contexts.indices, contexts.indptr), contexts.shape)


def ranks_of(scores, window):
    """Of the true candidates. Ties share their mean rank; a score that is not a number is above the true one's, as in meteor."""
    rows = numpy.arange(len(scores))
    true = scores[rows, window.answers][:, None]
    there = window.candidates >= 0
    equal = (scores == true) & there
    equal[rows, window.answers] = False
    above = ~(scores < true) & ~equal & there
    above[rows, window.answers] = False
    return 1 + above.sum(axis=1) + equal.sum(axis=1) / 2


def summary(ranks, rare):
    """What `meteor evaluate --json` says of the same queries, by the same names."""
    ranks, rare = numpy.concatenate(ranks), numpy.concatenate(rare)
    return {"mrr": float((1 / ranks).mean()), "recall@1": float((ranks <= 1).mean()), "recall@5": float((ranks <= 5).mean()),
            "mrr_rare": float((1 / ranks[rare]).mean()) if rare.any() else None,
            "queries": len(ranks), "queries_rare": int(rare.sum())}
