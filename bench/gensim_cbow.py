"""usage: gensim_cbow.py RECORDS DIMENSION NEGATIVES EPOCHS

Learns the records of a file, one a line, with gensim's CBOW in one worker, and prints the seconds of train() as JSON. The
window covers whole records; nothing is left out or drawn shorter."""

import json
import sys
import time

from gensim.models import word2vec

records, dimension, negatives, epochs = sys.argv[1], *map(int, sys.argv[2:])
if word2vec.FAST_VERSION < 0:
    sys.exit("gensim_cbow.py: gensim runs without its C extension")
with open(records, encoding="utf-8") as lines:
    sentences = [line.split() for line in lines]
longest = max(map(len, sentences))
if longest > word2vec.MAX_WORDS_IN_BATCH:
    sys.exit(f"gensim_cbow.py: a record has {longest} units, and gensim cuts sentences at {word2vec.MAX_WORDS_IN_BATCH}")
model = word2vec.Word2Vec(sg=0, hs=0, cbow_mean=1, vector_size=dimension, negative=negatives, window=longest,
                          shrink_windows=False, sample=0, min_count=1, alpha=0.05, workers=1, seed=1)
model.build_vocab(sentences)
begin = time.perf_counter()
model.train(sentences, total_examples=model.corpus_count, epochs=epochs)
print(json.dumps({"seconds": time.perf_counter() - begin}))
