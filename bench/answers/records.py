"""Records of a stream as meteor reads them: a matrix of records by units, in the order of the input."""

import csv
import dataclasses
import datetime
import sys
import tomllib

import numpy
import scipy.sparse


@dataclasses.dataclass
class Records:
    """Units are numbered in the order in which the stream shows them, so that those of the first n records come first."""
    times: numpy.ndarray  # of each record, never falling
    units: scipy.sparse.csr_matrix  # 1 where a record holds a unit
    numbers: dict  # of units, by "attribute:name"
    attributes: numpy.ndarray  # of each unit, by its place in the configuration

    def before(self, time):
        """The records of earlier times. Units that none of them holds have empty columns."""
        return self.units[:numpy.searchsorted(self.times, time, side="left")]

    def tokens(self, number):
        """The units of a record, numbered from 1 on."""
        return set(self.units[number - 1].indices)


def read_config(path):
    """The column of time and, by name, column and separator of each attribute. Ends the program where more would be needed."""
    with open(path, "rb") as file:
        config = tomllib.load(file)
    stream = config.get("stream", {})
    if stream.get("format", "csv") != "csv":
        sys.exit(f"{path}: only streams of CSV can be read here")
    attributes = {}
    for attribute in config["attribute"]:
        beyond = [key for key in ("tokens", "latitude", "longitude", "time", "min_count") if key in attribute]
        if beyond or "column" not in attribute:
            sys.exit(f"{path}: attribute {attribute['name']}: only a column and its separator can be read here, not {', '.join(beyond)}")
        attributes[attribute["name"]] = (attribute["column"], attribute.get("separator"))
    return stream.get("time", "timestamp"), attributes


def parse_time(text):
    """Unix seconds, from themselves or from ISO 8601 (without a zone: UTC)."""
    try:
        return float(text)
    except ValueError:
        time = datetime.datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)).timestamp()


def read_records(config, path):
    """The stream must be sorted by time: then the records before a window's begin are those of all earlier windows."""
    time_column, attributes = read_config(config)
    times, numbers, columns, ends, attribute_of = [], {}, [], [0], []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            times.append(parse_time(row[time_column].strip()))
            held = {}
            for attribute, (name, (column, separator)) in enumerate(attributes.items()):
                for part in row[column].split(separator) if separator else [row[column]]:
                    if unit := part.strip():
                        token = f"{name}:{unit}"
                        if token not in numbers:
                            numbers[token] = len(numbers)
                            attribute_of.append(attribute)
                        held[numbers[token]] = None
            columns += held
            ends.append(len(columns))
    times = numpy.array(times)
    if (numpy.diff(times) < 0).any():
        sys.exit(f"{path}: record {numpy.argmax(numpy.diff(times) < 0) + 2} is older than the one before it; sort the stream by time")
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(columns), numpy.float32), columns, ends), (len(times), len(numbers)))
    matrix.sort_indices()
    return Records(times, matrix, numbers, numpy.array(attribute_of))
