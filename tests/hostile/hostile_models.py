"""Changes models and checkpoints: what they say, and the HDF5 that they say it in."""

import functools
import hashlib
import json
import re
import zlib

import h5py
import numpy as np

SEAL_BYTES = 512
TYPES = {np.dtype(np.uint8): 0, np.dtype(np.uint16): 1, np.dtype(np.uint32): 2, np.dtype(np.uint64): 3, np.dtype(np.float32): 4}
NASTY_NUMBERS = [0, 1, -1, 2, 7, 255, 65535, 65536, 2**31, 2**32 - 1, 2**32, 2**53, 2**63, 2**64 - 1, 1e300, -1e300, 0.5, 1e-300]
NASTY_VALUES = [None, True, "", "1e300 days", [], {}, [[1, 2]], "9" * 30, "x\nmeteor: all is well\x1b[2J", "\u00e9" * 70000]
NASTY_FLOATS = [0, -0.0, 1, -1, 1e-45, 1e-38, 1e10, 1e20, 3e38, -3e38, np.inf, -np.inf, np.nan]


class Content:
    """All of a file: its attributes, its datasets, and how the latter are stored."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.attributes = dict(file.attrs)
            self.arrays = {}
            file.visititems(lambda name, item: self.arrays.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
        self.storage = {}  # how some of the datasets are stored, unlike what the program does
        self.last = None  # done to the file at the end

    def json_of(self, name):
        text = self.arrays[name].tobytes() if name in self.arrays else self.attributes[name]
        return json.loads(text)

    def set_json(self, name, value):
        text = (value if isinstance(value, str) else json.dumps(value)).encode()
        if name in self.arrays:
            self.arrays[name] = np.frombuffer(text, np.uint8)
        else:
            self.attributes[name] = np.bytes_(text)

    def hash(self):
        digest = hashlib.sha256()
        for name in sorted(self.arrays, key=str.encode):
            array = self.arrays[name]
            if array.dtype not in TYPES:
                continue
            digest.update(f"{name}:{TYPES[array.dtype]}:{'x'.join(map(str, array.shape))}\n".encode() + array.tobytes())
        return digest.hexdigest()

    def write(self, path):
        with h5py.File(path, "w", libver="latest", userblock_size=SEAL_BYTES) as file:
            for name, array in self.arrays.items():
                self.storage.get(name, Storage()).write(file, name, array)
            for name, value in self.attributes.items():
                file.attrs[name] = value
            if self.last:
                self.last(file)


@functools.cache
def compressed_zeros(megabytes):
    """So many zeros, as zlib packs them, without packing all of them."""
    pack = zlib.compressobj(1)
    begin = pack.compress(b"") + pack.flush(zlib.Z_FULL_FLUSH)
    piece = pack.compress(bytes(1 << 20)) + pack.flush(zlib.Z_FULL_FLUSH)
    end = pack.flush()[:-4]
    adler = 1
    for _ in range(megabytes):
        adler = zlib.adler32(bytes(1 << 20), adler)
    return begin + megabytes * piece + end + adler.to_bytes(4, "big")


class Storage:
    """How a dataset is stored: by default as the program does it."""

    def __init__(self, chunk=None, checksum=True, gzip=False, limited=True, bomb=0):
        self.chunk, self.checksum, self.gzip, self.limited, self.bomb = chunk, checksum, gzip, limited, bomb

    def write(self, file, name, array):
        layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        groups = h5py.h5p.create(h5py.h5p.LINK_CREATE)
        groups.set_create_intermediate_group(True)
        fits = self.chunk and len(self.chunk) == array.ndim  # a later change may have given it another shape
        chunk = self.chunk if fits else tuple(max(1, extent) for extent in array.shape)
        if self.chunk != ():
            layout.set_chunk(chunk)
            if self.gzip or self.bomb:
                layout.set_deflate(1)
            elif self.checksum:
                layout.set_fletcher32()
        most = array.shape if self.limited else (h5py.h5s.UNLIMITED,) * array.ndim
        kind = h5py.h5t.py_create(array.dtype)
        dataset = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(array.shape, most), layout, groups)
        if self.bomb:
            dataset.write_direct_chunk((0,) * array.ndim, compressed_zeros(self.bomb))
        elif array.size:
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array))


def seal(path):
    content = path.read_bytes()[SEAL_BYTES:]
    line = f"meteor: SHA-256 of all that follows these {SEAL_BYTES} bytes: {hashlib.sha256(content).hexdigest()}\n"
    path.write_bytes(line.encode().ljust(SEAL_BYTES, b"\0") + content)


def any_array(content, random, of=""):
    return random.choice(sorted(name for name in content.arrays if name.startswith(of)))


def change_values(content, random, of=""):
    name = any_array(content, random, of)
    array = content.arrays[name].copy()
    flat = array.reshape(-1)
    if not flat.size:
        return
    places = random.sample(range(flat.size), min(flat.size, random.choice([1, 1, 2, 10, flat.size])))
    for place in places:
        if array.dtype == np.float32:
            flat[place] = random.choice(NASTY_FLOATS)
        elif random.random() < 0.3:
            flat[place] = flat[random.randrange(flat.size)]
        else:
            nasty = [0, 1, flat.size - 1, flat.size, flat.size + 1, np.iinfo(array.dtype).max, random.getrandbits(64)]
            flat[place] = random.choice(nasty) & int(np.iinfo(array.dtype).max)
    content.arrays[name] = array


def change_values_of_run(content, random):
    """Of the window that waits, if there is one: it is what a run goes on with."""
    kinds = [kind for kind in ("run/waiting/", "run/", "embeddings/") if any(name.startswith(kind) for name in content.arrays)]
    change_values(content, random, kinds[0])


def change_shape(content, random):
    name = any_array(content, random)
    array = content.arrays[name]
    flat = array.reshape(-1)
    change = random.choice(["shorter", "longer", "empty", "flat", "column", "transposed", "twice", "cube"])
    content.arrays[name] = {
        "shorter": lambda: array[:-1] if len(array) else array,
        "longer": lambda: np.concatenate([array, array[-1:]]) if len(array) else np.zeros((3,) + array.shape[1:], array.dtype),
        "empty": lambda: array[:0],
        "flat": lambda: flat,
        "column": lambda: flat.reshape(-1, 1),
        "transposed": lambda: np.ascontiguousarray(array.T) if array.ndim == 2 else flat.reshape(1, -1),
        "twice": lambda: np.concatenate([array, array]),
        "cube": lambda: flat.reshape(1, 1, -1),
    }[change]()


def change_type(content, random):
    name = any_array(content, random)
    kinds = [*TYPES, *map(np.dtype, (np.int8, np.int64, np.float64, "S3", ">u4"))]
    with np.errstate(all="ignore"):
        content.arrays[name] = content.arrays[name].astype(random.choice(kinds))


def change_names(content, random):
    name, other = any_array(content, random), any_array(content, random)
    change = random.choice(["removed", "renamed", "swapped", "added", "many"])
    if change == "removed":
        del content.arrays[name]
    elif change == "renamed":
        content.arrays[name + random.choice(["_", "/deeper", "\u00e9"])] = content.arrays.pop(name)
    elif change == "swapped":
        content.arrays[name], content.arrays[other] = content.arrays[other], content.arrays[name]
    elif change == "added":
        content.arrays["units/more"] = content.arrays[name]
    else:
        for i in range(300):
            content.arrays[f"many/{i}"] = np.zeros(1, np.uint8)


def change_json(content, random):
    """Another number, type or key in the settings or in the state of the run."""
    name = random.choice([name for name in ("run/state", "settings", "attributes") if name in content.arrays or name in content.attributes])
    value = content.json_of(name)
    change = random.choice(["number", "number", "number", "type", "removed", "deep", "text"])
    if change == "deep":
        kind, end = random.choice([("[", "]"), ('{"a":', "}")])
        depth = random.choice([20, 1000, 200000])
        return content.set_json(name, kind * depth + "1" + end * depth)
    if change == "text":
        return content.set_json(name, random.choice(["", "null", "{}", "[]", "1", '"', '{"attribute":[]}', "\x00"]))
    place = value
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        if not keys:
            return None
        key = random.choice(keys)
        if not isinstance(place[key], (dict, list)) or not place[key]:
            break
        place = place[key]
    if change == "removed":
        del place[key]
    else:
        place[key] = random.choice(NASTY_NUMBERS if change == "number" else NASTY_VALUES)
    return content.set_json(name, value)


def change_attributes(content, random):
    name = random.choice(sorted(content.attributes))
    change = random.choice(["value", "value", "removed", "type"])
    if change == "removed":
        del content.attributes[name]
    elif change == "type":
        content.attributes[name] = random.choice([np.zeros(3), np.float32(7), "text of any length", np.bytes_(b"x" * 70), np.int64(-1)])
    elif isinstance(content.attributes[name], np.bytes_):
        content.attributes[name] = np.bytes_(random.choice([b"spectral", b"none", b"clusters", b"hashed", b"quantised", b"meteor model", b"\xff"]))
    else:
        content.attributes[name] = np.uint64(random.choice([0, 1, 2, 7, 9, 65535, 65536, 65537, 2**32, 2**63, 2**64 - 1]))


def change_storage(content, random):
    """The same values, or hardly any, stored as the program never would."""
    name = any_array(content, random)
    array = content.arrays[name]
    change = random.choice(["contiguous", "gzip", "no checksum", "bomb", "wide chunk", "tiny chunks", "unlimited"])
    row = int(np.prod(array.shape[1:], dtype=np.int64)) * array.dtype.itemsize
    if change == "contiguous":
        content.storage[name] = Storage(chunk=())
    elif change == "gzip":
        content.storage[name] = Storage(gzip=True)
    elif change == "no checksum":
        content.storage[name] = Storage(checksum=False)
    elif change == "bomb" and array.size:  # one chunk, of which next to nothing is used
        content.storage[name] = Storage(chunk=((600 << 20) // row,) + array.shape[1:], limited=False, bomb=600)
        content.arrays[name] = np.zeros_like(array)
    elif change == "wide chunk":
        content.storage[name] = Storage(chunk=((40 << 20) // max(row, 1),) + tuple(max(1, e) for e in array.shape[1:]), limited=False)
    elif change == "tiny chunks":
        content.arrays[name] = np.resize(array.reshape(-1), 5000)
        content.storage[name] = Storage(chunk=(1,))
    else:
        content.storage[name] = Storage(limited=False)


def change_links(content, random):
    name, other = any_array(content, random), any_array(content, random)
    change = random.choice(["soft", "external", "cycle", "alias", "lattice", "committed type", "deep", "virtual"])

    def last(file):
        if change == "soft":
            file["run/soft" if "run" in file else "units/soft"] = h5py.SoftLink("/" + name)
        elif change == "external":
            file["units/elsewhere"] = h5py.ExternalLink("/etc/passwd", "/x")
        elif change == "cycle":
            file["units/round"] = file["units"]
        elif change == "alias":
            del file[other]
            file[other] = file[name] if name in file else file["units"]
        elif change == "committed type":
            file["units/type"] = np.dtype("f4")
        elif change == "deep":
            file.create_group("units/" + "/".join("abcdefghijklmnop"))
        elif change == "virtual":
            layout = h5py.VirtualLayout(shape=(4,), dtype="f4")
            layout[:] = h5py.VirtualSource("elsewhere.h5", "x", shape=(4,))
            file.create_virtual_dataset("units/virtual", layout)
        else:  # few groups and many ways through them
            width, depth = random.choice([(40, 6), (300, 7), (9, 7)])
            groups = [file.create_group(f"lattice/{level}") for level in range(depth)]
            for upper, lower in zip(groups, groups[1:]):
                for way in range(width):
                    upper[str(way)] = lower

    content.last = last


CHANGES = [change_values, change_values, change_values, change_values_of_run, change_values_of_run, change_shape, change_type,
           change_names, change_json, change_json, change_attributes, change_storage, change_links]


def change_content(original, path, random):
    """Writes a changed copy of a file; returns what was done to it. Mostly the hashes fit what it says."""
    content = Content(original)
    done = [random.choice(CHANGES) for _ in range(random.choice([1, 1, 1, 2, 3]))]
    for change in done:
        try:
            change(content, random)
        except (KeyError, ValueError, TypeError, IndexError, RecursionError):
            pass  # an earlier change has left nothing to change
    if random.random() < 0.95 and "model_sha256" in content.attributes:
        content.attributes["model_sha256"] = np.bytes_(content.hash().encode())
    content.write(path)
    if random.random() < 0.97:
        seal(path)
    return ", ".join(change.__name__ for change in done)


def change_bytes(original, path, random):
    """Writes a copy with other bytes, resealed: HDF5's own structures may be anything."""
    data = bytearray(original.read_bytes())
    change = random.choice(["bits", "bytes", "numbers", "cut", "moved", "signatures"])
    for _ in range(random.choice([1, 1, 2, 5, 30])):
        at = random.randrange(SEAL_BYTES, len(data))
        if change == "bits":
            data[at] ^= 1 << random.randrange(8)
        elif change == "bytes":
            data[at] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
        elif change == "numbers":
            data[at:at + 8] = random.choice([0, 1, len(data), 2**31, 2**63, 2**64 - 1]).to_bytes(8, "little")
        elif change == "cut":
            del data[at:at + random.choice([1, 8, 100, 10000])]
        elif change == "moved":
            source = random.randrange(SEAL_BYTES, len(data))
            data[at:at + 64] = data[source:source + 64]
        else:  # beside the marks of HDF5's structures most bytes mean something
            marks = [m.start() for m in re.finditer(rb"OHDR|OCHK|FRHP|FADB|FAHD|BTHD|BTLF|FSHD|FHDB|EAHD", data)]
            at = random.choice(marks) + random.randrange(4, 60)
            data[min(at, len(data) - 1)] = random.randrange(256)
        if len(data) <= SEAL_BYTES + 1:
            break
    path.write_bytes(data)
    seal(path)
    return f"other bytes ({change})"
