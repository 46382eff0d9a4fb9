"""Commands timed by turns: what a benchmark does with them, whatever they do.

A contest is a list of contenders that do the same work. Every round each of them runs once, the first one changing from round to
round, so that a slow minute of the machine hits all alike; a round before the first warms caches and is not counted. Outputs are
removed and the disk is quiet before each start."""
import dataclasses
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import threading
import time


@dataclasses.dataclass
class Contender:
    name: str
    does: str                       # what of the work it does, and what not
    command: list                   # argv
    outputs: list = dataclasses.field(default_factory=list)  # paths it makes, removed before each run
    threads: int = 1
    ours: bool = False
    env: dict = dataclasses.field(default_factory=dict)
    prepare: object = None          # called before each run, outside of the time
    at_most: int = 0                # rounds it takes part in; 0: all of them
    seconds: list = dataclasses.field(default_factory=list)
    cpu: list = dataclasses.field(default_factory=list)
    memory: float = 0.0             # peak of one process, MiB
    failed: str = ""


def remove(path):
    path = pathlib.Path(path)
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        for folder, _, _ in os.walk(path):
            os.chmod(folder, 0o755)
        shutil.rmtree(path, ignore_errors=True)


def run_once(contender, cwd, limit):
    """Adds one run's seconds, CPU seconds and peak memory; notes a failure, which ends the contender's part."""
    for path in contender.outputs:
        remove(cwd / path)
    if contender.prepare:
        contender.prepare()
    os.sync()
    errors = cwd / "stderr.txt"
    with open(errors, "wb") as said:
        start = time.monotonic()
        process = subprocess.Popen(contender.command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, **contender.env},
                                   start_new_session=True)
        timer = None
        if limit:
            timer = threading.Timer(limit, lambda: os.killpg(process.pid, signal.SIGKILL))
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
    if process.returncode != 0:
        contender.failed = f"exit {process.returncode}: {errors.read_text(errors='replace').strip()[-300:]}"
        return False
    contender.seconds.append(seconds)
    contender.cpu.append(usage.ru_utime + usage.ru_stime)
    contender.memory = max(contender.memory, usage.ru_maxrss / 1024)
    return True


def contest(contenders, cwd, rounds, limit=900, say=lambda text: print(text, file=sys.stderr, flush=True)):
    """Runs them all. Those that fail are left out with a word."""
    for contender in contenders:  # warming; who runs once only is so slow that a cold start does not count
        if contender.at_most == 1:
            continue
        if run_once(contender, cwd, limit):
            contender.seconds.clear()
            contender.cpu.clear()
        else:
            say(f"  {contender.name}: left out: {contender.failed}")
    for n in range(rounds):
        order = contenders[n % len(contenders):] + contenders[:n % len(contenders)]
        for contender in order:
            if not contender.failed and (contender.at_most == 0 or n < contender.at_most):
                run_once(contender, cwd, limit)
        say(f"  round {n + 1} of {rounds}")
    return [c for c in contenders if c.seconds and not c.failed]


def ratio(theirs, ours):
    """How many times longer THEIRS takes: median over the rounds, lowest, highest; rounds are compared each with its own."""
    pairs = [a / b for a, b in zip(theirs.seconds, ours.seconds)]
    return statistics.median(pairs), min(pairs), max(pairs)


def fastest(contenders, ours):
    """The contender (ours or a peer) with the shortest median; None where there is none."""
    group = [c for c in contenders if c.ours == ours]
    return min(group, key=lambda c: statistics.median(c.seconds)) if group else None
