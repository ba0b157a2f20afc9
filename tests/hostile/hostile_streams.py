"""Changes streams: text that claims to be CSV or JSON lines, plain or compressed."""

import gzip
import json

NASTY_TIMES = ["", "yesterday", "-1", "1e300", "nan", "99999999999999999999", "2024-13-45T99:99:99Z", "0", "-9223372036854775808"]
NASTY_TEXTS = ["", " ", '"', '""', "\x00", "\x1b[2J", "\u202e", "a" * 70000, "i1 " * 20000, "\ufeff", "\\", ",", "\r",
               "x\nmeteor: all is well"]


def as_jsonl(lines):
    names = lines[0].split(",")
    return [json.dumps(dict(zip(names, line.split(",")))) for line in lines[1:]]


def change_field(line, random):
    fields = line.split(",")
    fields[random.randrange(len(fields))] = random.choice(NASTY_TIMES + NASTY_TEXTS)
    return ",".join(fields)


def change_json_line(line, random):
    value = json.loads(line)
    key = random.choice(list(value))
    value[key] = random.choice([None, True, 1e300, -1, 2**64, [], {}, [[1]], ["a", None], *NASTY_TIMES, *NASTY_TEXTS])
    return random.choice([json.dumps(value), line[:-1], line + line, "[" * 100000, '{"a":' * 100000, json.dumps(value, ensure_ascii=False)])


def change_stream(lines, folder, random):
    """Writes a changed stream; returns its path, its settings and what was done to it."""
    in_json = random.random() < 0.5
    changed = as_jsonl(lines) if in_json else list(lines)
    for _ in range(random.choice([1, 1, 3, 20, len(lines)])):
        at = random.randrange(len(changed))
        try:
            changed[at] = change_json_line(changed[at], random) if in_json else change_field(changed[at], random)
        except (ValueError, TypeError, AttributeError, RecursionError):
            pass  # it has been changed before, and is no object any more
    what = random.choice(["lines", "lines", "bytes", "cut", "joined", "shuffled", "bad UTF-8", "nothing"])
    if what == "shuffled":
        changed = changed[:1] + random.sample(changed[1:], len(changed) - 1)
    data = bytearray((" " if what == "joined" else "\n").join(changed).encode("utf-8", "surrogatepass"))
    if what == "bytes":
        for _ in range(50):
            data[random.randrange(len(data))] = random.randrange(256)
    elif what == "cut":
        del data[random.randrange(len(data)):]
    elif what == "bad UTF-8":
        data[random.randrange(len(data))] = 0xFF
    elif what == "nothing":
        data = bytearray(random.choice([b"", b"\n", b"\x00" * 10, changed[0].encode("utf-8", "replace")]))
    path = folder / ("stream.jsonl" if in_json else "stream.csv")
    if random.random() < 0.2:
        data = bytearray(gzip.compress(bytes(data), 1))
        path = path.with_name(path.name + ".gz")
        if random.random() < 0.5:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)
    return path, ["--set", f"stream.format={'jsonl' if in_json else 'csv'}"], f"a stream ({what})"
