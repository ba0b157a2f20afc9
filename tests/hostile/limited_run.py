"""Runs the program on a file that may be made to mislead, within limits, and judges how it ends."""

import os
import resource
import signal
import subprocess
import threading
import unicodedata

CPU_SECONDS = 10
WALL_SECONDS = 120  # a process that waits uses no CPU; generous, since the machine may be busy
MOST_RESIDENT = 500 << 20
MOST_ADDRESSES = 8 << 30  # so that a test never takes the machine's memory; sanitisers reserve far more and have no limit
SANITISER_SIGNS = (b"AddressSanitizer", b"runtime error:", b"ThreadSanitizer")
# Refused (input, storage), done, or asked for what the file does not have.
PROPER_STATUSES = (0, 2, 3, 4)
# Numbers that are valid but absurd may diverge when they are learnt further; this is said in these words.
DIVERGED = b"not finite", b"too large"
NAME, WARNING = "meteor: ", "meteor: warning: "
LONGEST_SENTENCE = 2100  # characters; the middle of what is longer is left out


def fault_of_words(err, status):
    """What is wrong with what the program said on stderr; None if nothing is. A failure is told in one line beside warnings."""
    try:
        lines = err.decode().split("\n")
    except UnicodeDecodeError:
        return "words that are not UTF-8"
    if lines.pop():
        return "words that do not end with their line"
    for line in lines:
        if not line.startswith(NAME):
            return "words without the program's name"
        if any(unicodedata.category(character) == "Cc" for character in line):
            return "control characters"
        if len(line) > LONGEST_SENTENCE:
            return f"a line of {len(line)} characters"
    sentences = [line for line in lines if not line.startswith(WARNING)]
    if status != 0 and len(sentences) != 1:
        return f"{len(sentences)} sentences instead of one"
    return None


class Outcome:
    def __init__(self, command, status, resident, out, err, expired):
        self.command, self.status, self.resident = command, status, resident
        self.out, self.err, self.expired = out, err, expired

    def fault(self):
        """What is wrong with the way in which the program ended; None if nothing is."""
        if self.expired:
            return f"it had not ended after {WALL_SECONDS} s"
        if self.status < 0:
            name = signal.Signals(-self.status).name
            return f"more than {CPU_SECONDS} s of CPU time" if name in ("SIGXCPU", "SIGKILL") else f"it ended by {name}"
        if any(sign in self.err for sign in SANITISER_SIGNS):
            return "a sanitiser complains"
        diverged = self.status == 1 and any(words in self.err for words in DIVERGED)
        if self.status not in PROPER_STATUSES and not diverged:
            return f"status {self.status}"
        unclear = fault_of_words(self.err, self.status)
        if unclear:
            return f"status {self.status}: {unclear}"
        if self.status == 0 and any(word in (b"nan", b"-nan", b"inf", b"-inf") for word in self.out.split()):
            return "status 0, and a number that is none in the answer"
        if self.resident > MOST_RESIDENT and not sanitised():
            return f"{self.resident >> 20} MiB of memory"
        return None


def sanitised():
    return "METEOR_SANITISED" in os.environ


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not sanitised():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))


def run_limited(command, folder):
    """The outcome of a command in a folder. It leads a session of its own, and what it leaves behind is ended."""
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   preexec_fn=limit, start_new_session=True)
        expired = threading.Event()

        def end():
            expired.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(WALL_SECONDS, end)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    return Outcome(command, process.returncode, usage.ru_maxrss << 10, (folder / "out").read_bytes(),
                   (folder / "err").read_bytes(), expired.is_set())
