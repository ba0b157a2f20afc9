"""Predictors that count pairs of units in records. Each learns from a matrix of past records by units and then scores candidates."""

import numpy
import scipy.linalg
import scipy.sparse

PAIRS_AT_ONCE = 4_000_000


def sums_over_contexts(pair_score, contexts, candidates):
    """For each candidate the sum of pair_score(candidates, units) over the units of its query's context, by their weights."""
    lengths = numpy.diff(contexts.indptr)
    scores = numpy.zeros(candidates.shape)
    step = max(1, PAIRS_AT_ONCE // (candidates.shape[1] * max(1, lengths.max(initial=1))))
    for first in range(0, len(candidates), step):
        rows = slice(first, min(first + step, len(candidates)))
        units = slice(contexts.indptr[rows.start], contexts.indptr[rows.stop])
        query = numpy.repeat(numpy.arange(rows.stop - rows.start), lengths[rows])
        pairs = pair_score(candidates[rows][query], contexts.indices[units][:, None]) * contexts.data[units][:, None]
        numpy.add.at(scores[rows], query, pairs)
    return scores


def count_pairs(past):
    """How many records hold both units of a pair, and on the diagonal how many hold a unit."""
    pairs = (past.T @ past).tocsr()
    pairs.sort_indices()
    return pairs


def look_up(matrix, rows, columns):
    shape = numpy.broadcast_shapes(rows.shape, columns.shape)
    both = [numpy.broadcast_to(part, shape).flatten() for part in (rows, columns)]
    return numpy.asarray(matrix[both[0], both[1]]).reshape(shape)


class Lift:
    """meteor's own lift:0.1, computed again. If its MRR is meteor's where attributes weigh the same, then so are the records, the past,
    the candidates and the ranks."""

    def __init__(self, options, records):
        self.kappa = 0.1

    def learn(self, past):
        self.records, self.pairs = past.shape[0], count_pairs(past)
        self.counts = self.pairs.diagonal().astype(float)

    def score(self, contexts, candidates):
        def lift(a, b):
            return (look_up(self.pairs, a, b) + self.kappa) / (self.counts[a] * self.counts[b] / max(1, self.records) + self.kappa)
        return sums_over_contexts(lift, contexts, candidates)

    def bytes(self):
        return pair_bytes(self.pairs)


def pair_bytes(pairs):
    """As meteor counts for lift: twelve bytes a pair and four a unit."""
    units = int((pairs.diagonal() > 0).sum())
    return 12 * (pairs.nnz - units) // 2 + 4 * units


class ItemKnn:
    """The cosine of two units' columns in the matrix of records by units, summed over the context. A unit that was never seen
    has no neighbour: its cosines are 0."""

    def __init__(self, options, records):
        pass

    def learn(self, past):
        self.pairs = count_pairs(past)
        self.lengths = numpy.sqrt(numpy.maximum(1, self.pairs.diagonal().astype(float)))

    def score(self, contexts, candidates):
        def cosine(a, b):
            return look_up(self.pairs, a, b) / (self.lengths[a] * self.lengths[b])
        return sums_over_contexts(cosine, contexts, candidates)

    def bytes(self):
        return pair_bytes(self.pairs)


class Ease:
    """EASE (Steck 2019): the linear model without diagonal that best gives a record's units from each other, in closed form. Its
    dense inverse limits it to the most frequent units; others score 0 and say nothing."""

    def __init__(self, options, records):
        self.penalty, self.limit, self.units = options.ease_penalty, options.ease_units, len(records.numbers)

    def learn(self, past):
        counts = numpy.asarray(past.sum(axis=0)).ravel()
        frequent = numpy.argsort(-counts, kind="stable")[:self.limit]
        frequent = frequent[counts[frequent] > 0]
        self.left_out = int((counts > 0).sum()) - len(frequent)
        self.kept_share = float(counts[frequent].sum() / counts.sum())
        columns = past[:, frequent]
        gram = numpy.asarray((columns.T @ columns).todense(), order="F")
        gram[numpy.diag_indices_from(gram)] += self.penalty
        factor, fault = scipy.linalg.lapack.spotrf(gram, lower=1, overwrite_a=1)
        inverse, second_fault = scipy.linalg.lapack.spotri(factor, lower=1, overwrite_c=1)
        if fault or second_fault:
            raise ArithmeticError("EASE: the matrix cannot be inverted; take a larger --ease-penalty")
        self.inverse = inverse  # its lower triangle
        self.diagonal = inverse.diagonal().copy()
        self.place = numpy.full(self.units, -1)
        self.place[frequent] = numpy.arange(len(frequent))

    def score(self, contexts, candidates):
        def weight(candidate, unit):
            c, u = numpy.broadcast_arrays(self.place[candidate], self.place[unit])
            values = -self.inverse[numpy.maximum(c, u), numpy.minimum(c, u)] / self.diagonal[c]
            return numpy.where((c >= 0) & (u >= 0), values, 0)
        return sums_over_contexts(weight, contexts, candidates)

    def bytes(self):
        return self.inverse.nbytes

    def remarks(self):
        return {"units_left_out": self.left_out, "share_of_occurrences_kept": self.kept_share}
