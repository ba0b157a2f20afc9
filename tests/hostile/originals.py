"""Well-formed models, checkpoints and streams of every scheme, which the program itself makes."""

import pathlib
import subprocess

SCHEMES = {
    "none": ["compression.scheme=none"],
    "clusters": ["compression.scheme=clusters"],
    "clusters_in_bytes": ["compression.scheme=clusters", "compression.precision=int8"],
    "spectral": ["compression.scheme=spectral", "compression.budget=60 %"],
    "quantised": ["compression.scheme=quantised"],
    "hashed": ["compression.scheme=hashed"],
    "centroids": ["compression.scheme=centroids"],
}
WINDOWS_OF_CHECKPOINT = 8
SMALL = ["learning.dimension=8", "learning.epochs=1", "evaluation.pretrain=4 windows", "compression.cluster_fraction=0.05",
         "compression.basis_fraction=0.2", "parallel.staleness=1",
         "parallel.shards=2", "attribute.items.min_count=2"]


def overrides(scheme):
    """The command line's part that sets what the original of a scheme was made with."""
    settings = SMALL + SCHEMES[scheme] + ([] if scheme == "hashed" else ["model.expire=10 days"])
    return [word for setting in settings for word in ("--set", setting)]


class Originals:
    """Makes them in a folder: stream.csv, stream.jsonl, and of each scheme SCHEME.h5 and SCHEME.checkpoint.h5, which is from
    the middle of a run and holds a window that waits to be compressed."""

    def __init__(self, meteor, sources, folder):
        self.folder = folder
        self.config = sources / "configs" / "shopping.toml"
        self.stream = folder / "stream.csv"
        run = lambda *words: subprocess.run([meteor, *map(str, words)], check=True)
        run("generate", "--kind", "shopping", "--records", 300, "--seed", 5, "--days", 14, "--output", self.stream)
        for scheme in SCHEMES:
            checkpoints = folder / f"{scheme}.checkpoints"
            train = ["train", "--quiet", "--config", self.config, *overrides(scheme), "--input", self.stream]
            run(*train, "--model", self.model(scheme))
            run(*train, "--checkpoint-dir", checkpoints, "--max-windows", WINDOWS_OF_CHECKPOINT)
            [last] = checkpoints.glob(f"checkpoint-*{WINDOWS_OF_CHECKPOINT}.h5")
            last.rename(self.checkpoint(scheme))
        self.lines = self.stream.read_text().splitlines()
        self.user, items = self.lines[-1].split(",")[1:3]
        self.item = items.split()[0]

    def model(self, scheme):
        return self.folder / f"{scheme}.h5"

    def checkpoint(self, scheme):
        return self.folder / f"{scheme}.checkpoint.h5"


def model_commands(originals, scheme, file):
    """What users do with a model, as command lines for the folder of a case."""
    train = ["train", "--quiet", "--config", originals.config, *overrides(scheme), "--input", originals.stream]
    return [["inspect", file, "--json"], ["nn", "--model", file, "--unit", f"items:{originals.item}"],
            ["nn", "--model", file, "--unit", f"user:{originals.user}", "--attribute", "items"],
            ["predict", "--model", file, "--target", "items", "--context", f"user={originals.user}"],
            ["predict", "--model", file, "--target", "user", "--context", f"items={originals.item}", "--scoring", "mean"],
            ["export", "--model", file, "--attribute", "items", "--format", "word2vec", "--output", "/dev/stdout"],
            ["export", "--model", file, "--attribute", "user", "--format", "npy", "--output", "user.npy"],
            [*train, "--init-model", file, "--model", "further.h5"]]


def checkpoint_commands(originals, scheme, file):
    return [["train", "--quiet", "--config", originals.config, *overrides(scheme), "--input", originals.stream,
             "--checkpoint-dir", pathlib.Path(file).parent, "--resume", "require", "--model", "resumed.h5"],
            *model_commands(originals, scheme, file)]
