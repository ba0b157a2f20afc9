"""Predictors that give each unit a vector. Each learns from a matrix of past records by units and then scores candidates."""

import numpy
import scipy.sparse

from counting import count_pairs

QUERIES_AT_ONCE = 2000


def unit_length(rows):
    lengths = numpy.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / numpy.where(lengths > 0, lengths, 1)


def products(queries, vectors, candidates):
    """Of each query's vector with those of its candidates."""
    scores = numpy.empty(candidates.shape)
    for first in range(0, len(candidates), QUERIES_AT_ONCE):
        rows = slice(first, first + QUERIES_AT_ONCE)
        scores[rows] = numpy.einsum("qd,qcd->qc", queries[rows], vectors[candidates[rows]])
    return scores


class MeanCosine:
    """Scores a candidate by the cosine of its vector with the mean of the context's, all at length one first, as gensim's
    most_similar has it. A unit that was never seen has a vector of zeros, and a cosine of 0."""

    def score(self, contexts, candidates):
        vectors = unit_length(self.vectors)
        return products(unit_length(contexts @ vectors), vectors, candidates)

    def bytes(self):
        return 4 * self.vectors.shape[1] * self.known

    def keep(self, vectors):
        """Units that the stream will show later have zeros."""
        self.known = len(vectors)
        self.vectors = numpy.zeros((self.units, vectors.shape[1]), numpy.float32)
        self.vectors[:self.known] = vectors


def known_units(past):
    """Units are numbered as the stream shows them, so these are the first."""
    return int(past.indices.max()) + 1


class Word2Vec(MeanCosine):
    """gensim's skip-gram with negative sampling; a record is a sentence, and the window covers it whole. The first window learns
    `epochs` passes over the past; each later one goes on from there with `again` passes over all of the past, old and new. A
    vector is the sum of a unit's input and output vectors (Levy, Goldberg and Dagan 2015). One worker: with more the result would
    not be the same twice."""

    def __init__(self, options, records):
        from gensim.models import word2vec
        if word2vec.FAST_VERSION < 0:
            raise ImportError("gensim runs without its C extension")
        self.units, self.epochs, self.again, self.learnt = len(records.numbers), options.epochs, options.again, 0
        self.longest = int(numpy.diff(records.units.indptr).max())
        if self.longest > word2vec.MAX_WORDS_IN_BATCH:
            raise ValueError(f"a record has {self.longest} units, and gensim cuts sentences at {word2vec.MAX_WORDS_IN_BATCH}")
        self.model = word2vec.Word2Vec(sg=1, hs=0, vector_size=options.dimension, negative=5, window=self.longest, alpha=options.rate,
                                       shrink_windows=False, sample=0, min_count=1, workers=1, seed=options.seed)

    def learn(self, past):
        sentences = [list(map(str, part)) for part in numpy.split(past.indices, past.indptr[1:-1])]
        self.model.build_vocab(sentences[self.learnt:], update=self.learnt > 0)  # which adds to its counts
        self.model.train(sentences, total_examples=len(sentences), epochs=self.again if self.learnt else self.epochs)
        self.learnt = len(sentences)
        places = [self.model.wv.key_to_index[str(unit)] for unit in range(known_units(past))]
        self.keep(self.model.wv.vectors[places] + self.model.syn1neg[places])


class PpmiSvd(MeanCosine):
    """Positive pointwise mutual information of pairs, with counts of contexts smoothed to the power 0.75, and its largest singular
    vectors times the root of the singular values (Levy, Goldberg and Dagan 2015)."""

    def __init__(self, options, records):
        self.dimension, self.units, self.random = options.dimension, len(records.numbers), numpy.random.default_rng(options.seed)
        self.start = None

    def learn(self, past):
        left, values = self.decompose(ppmi(past))
        self.keep(left * numpy.sqrt(values).astype(numpy.float32))

    def decompose(self, matrix):
        """Subspace iteration: left singular vectors and values. It starts from those of the window before, which are nearly the same."""
        width = min(self.dimension + 10, matrix.shape[0])
        block = self.random.standard_normal((matrix.shape[0], width), numpy.float32)
        if self.start is not None:
            block[:, :self.start.shape[1]] *= 0.01 / numpy.sqrt(len(block))
            block[:len(self.start), :self.start.shape[1]] += self.start
        for _ in range(4 if self.start is None else 1):
            block, _ = numpy.linalg.qr(matrix @ (matrix.T @ block))
        across = matrix.T @ block
        squares, axes = numpy.linalg.eigh((across.T @ across).astype(float))
        self.start = block @ axes[:, ::-1].astype(numpy.float32)
        return self.start[:, :self.dimension], numpy.sqrt(numpy.maximum(squares[::-1], 0))[:self.dimension]


def ppmi(past):
    past = past[:, :known_units(past)]
    pairs = count_pairs(past).tocoo()
    different = pairs.row != pairs.col
    row, column, count = pairs.row[different], pairs.col[different], pairs.data[different].astype(float)
    sums = numpy.bincount(row, count, pairs.shape[0])
    smoothed = sums**0.75
    information = numpy.log(count / sums[row] / (smoothed[column] / smoothed.sum()))
    positive = information > 0
    return scipy.sparse.csr_matrix((information[positive].astype(numpy.float32), (row[positive], column[positive])), pairs.shape)


class WeightedAls:
    """Weighted alternating least squares (Hu, Koren and Volinsky 2008) of the matrix of records by units: what a record holds
    weighs 1 + alpha, what it does not 1. The record of a query gets its vector from the context, by the same least squares; a
    candidate's score is the product with it. A unit that was never seen has a vector of zeros, and a score of 0."""

    def __init__(self, options, records):
        self.factors, self.penalty, self.alpha = options.als_factors, options.als_penalty, options.als_alpha
        self.iterations, self.units, self.seed = options.als_iterations, len(records.numbers), options.seed

    def learn(self, past):
        self.known = known_units(past)
        by_record = past[:, :self.known]
        by_unit = by_record.T.tocsr()
        random = numpy.random.default_rng(self.seed)
        units = (random.standard_normal((self.known, self.factors)) / numpy.sqrt(self.factors)).astype(numpy.float32)
        for _ in range(self.iterations):
            records = self.solve(by_record, units)
            units = self.solve(by_unit, records)
        self.vectors = numpy.zeros((self.units, self.factors), numpy.float32)
        self.vectors[:self.known] = units

    def solve(self, rows, vectors):
        """The best vector for each row, given the vectors V of the columns. With A those of the row's own n columns and G = V'V plus
        the penalty, it is (1 + alpha)(G + alpha A'A)^-1 A'1. Short rows take an n by n system instead, by Woodbury's identity."""
        gram = vectors.T @ vectors + self.penalty * numpy.eye(self.factors, dtype=numpy.float32)
        through = vectors @ numpy.linalg.inv(gram)
        lengths = numpy.diff(rows.indptr)
        solved = numpy.zeros((rows.shape[0], self.factors), numpy.float32)
        for length in numpy.unique(lengths[lengths > 0]):
            alike = numpy.flatnonzero(lengths == length)
            for part in numpy.array_split(alike, 1 + len(alike) * length // 50_000):
                columns = rows.indices[rows.indptr[part][:, None] + numpy.arange(length)]
                near = vectors[columns]
                if length < self.factors:
                    system = numpy.eye(length, dtype=numpy.float32) + self.alpha * (through[columns] @ near.transpose(0, 2, 1))
                    weights = numpy.linalg.solve(system, numpy.ones((len(part), length, 1), numpy.float32))
                    solved[part] = (1 + self.alpha) * (weights.transpose(0, 2, 1) @ through[columns])[:, 0]
                else:
                    system = gram + self.alpha * (near.transpose(0, 2, 1) @ near)
                    solved[part] = (1 + self.alpha) * numpy.linalg.solve(system, near.sum(axis=1)[:, :, None])[:, :, 0]
        return solved

    def score(self, contexts, candidates):
        known = contexts[:, :self.known]
        return products(self.solve(known.tocsr(), self.vectors[:self.known]), self.vectors, candidates)

    def bytes(self):
        return 4 * self.factors * (self.known + self.factors)
