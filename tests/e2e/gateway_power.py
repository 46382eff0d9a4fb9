"""Power loss at any moment. A gateway's service is recorded by tests/fault/gateway_shim.c: every write, change of size, name and sync below its state folder, in the order in which
they were made, with the pages of the mapped key table as they were at each sync. From that log states are made that a disk may have after the power was lost after any of
these steps, and a gateway is started on each of them.

The model is strict. Of a file's bytes only those are sure that were written before a completed fsync, fdatasync or msync of that file; of the writes after it any are on
the disk, in any order, whole or torn at a sector (512 bytes), and so are changes of its size. A name (made, renamed, linked, removed) is sure after an fsync of its folder
only; of the later ones in a folder either the first few have happened, or any of them that can, each whole (a rename is one step). The write-ahead log's index (-shm) is
always lost: SQLite makes it anew.

Each state must be one that a gateway starts on, where every key that was acknowledged before that moment works, a revoked or replaced one is as was acknowledged, subscriptions are
there and can be read, the audit has no hole, and SQLite finds nothing wrong. What nobody had acknowledged yet may be there or not. Seed and states: ODP_POWER_SEED (1;
another each time with the argument `deep`), ODP_POWER_STATES (30; with the argument `deep` 1,000)."""
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import sys

import gatewaylib
import gatewayshimlib

DEEP = "deep" in sys.argv
SEED = int(os.environ.get("ODP_POWER_SEED", "0")) or (random.SystemRandom().randrange(1, 1 << 32) if DEEP else 1)
STATES = int(os.environ.get("ODP_POWER_STATES", "1000" if DEEP else "30"))
PAGE, SECTOR = 4096, 512


class File:
    """Sparse bytes."""

    def __init__(self, size=0, pages=None):
        self.size, self.pages = size, pages if pages is not None else {}

    def copy(self):
        return File(self.size, dict(self.pages))

    def write(self, at, data):
        self.size = max(self.size, at + len(data))
        while data:
            number, inside = divmod(at, PAGE)
            piece = data[:PAGE - inside]
            if len(piece) == PAGE:
                self.pages[number] = piece
            else:
                page = bytearray(self.pages.get(number, bytes(PAGE)))
                page[inside:inside + len(piece)] = piece
                self.pages[number] = bytes(page)
            at, data = at + len(piece), data[len(piece):]

    def cut(self, size):
        if size < self.size:
            last, inside = divmod(size, PAGE)
            self.pages = {n: p for n, p in self.pages.items() if n < last or (n == last and inside)}
            if inside and last in self.pages:
                self.pages[last] = self.pages[last][:inside] + bytes(PAGE - inside)
        self.size = size

    def apply(self, op):
        if op[0] == "write":
            self.write(op[1], op[2])
        elif op[0] == "cut":
            self.cut(op[1])
        else:  # room
            self.size = max(self.size, op[1] + op[2])

    def put(self, path):
        with open(path, "wb") as f:
            f.truncate(self.size)
            for number, page in self.pages.items():
                f.seek(number * PAGE)
                f.write(page[:max(0, self.size - number * PAGE)])
        path.chmod(0o600)


class Disk:
    """What the log says up to some step: what is sure, and what is under way."""

    def __init__(self, root):
        self.root, self.files, self.by_number = str(root), {}, {}
        self.sure, self.names, self.later = {}, {}, {}  # path -> file id or "/"; as the processes see it; folder -> steps
        self.next = 0

    def new_file(self, number):
        self.next += 1
        self.by_number[number] = self.next
        self.files[self.next] = [File(), []]  # what is sure, what was done since
        return self.next

    def folder(self, path):
        return path.rpartition("/")[0]

    def name(self, *step):
        """("set", path, file) | ("gone", path) | ("move", from, to)"""
        change(self.names, step)
        self.later.setdefault(self.folder(step[1]), []).append(step)

    def step(self, words, data):
        kind = words[0]
        if kind == "create":
            self.name("set", words[2], self.new_file(words[1]))
        elif kind == "write" and words[1] in self.by_number:
            self.files[self.by_number[words[1]]][1].append(("write", int(words[2]), data))
        elif kind in ("cut", "room") and words[1] in self.by_number:
            self.files[self.by_number[words[1]]][1].append((kind, int(words[2]), int(words[3])))
        elif kind == "sync" and words[1] in self.by_number:
            file = self.files[self.by_number[words[1]]]
            for op in file[1]:
                file[0].apply(op)
            file[1] = []
        elif kind == "sync":
            for step in self.later.pop(words[2].rstrip("/"), []):
                change(self.sure, step)
        elif kind == "mkdir":
            self.name("set", words[1], "/")
        elif kind == "rename":
            self.name("move", words[1], words[2])
        elif kind == "link" and words[1] in self.names:
            self.name("set", words[2], self.names[words[1]])
        elif kind in ("unlink", "rmdir"):
            self.name("gone", words[1])

    def after_power_loss(self, rng):
        """(names, contents): one of the states that the disk may be in."""
        names = dict(self.sure)
        for steps in self.later.values():
            if rng.random() < 0.5:
                chosen = steps[:rng.randint(0, len(steps))]
            else:
                share = rng.random()
                chosen = [s for s in steps if rng.random() < share]
            for step in chosen:
                change(names, step)
        contents = {}
        for number in set(names.values()) - {"/"}:
            sure, later = self.files[number]
            file = sure.copy()
            for op in some(rng, later):
                file.apply(op)
            contents[number] = file
        return names, contents


def change(names, step):
    if step[0] == "set":
        names[step[1]] = step[2]
    elif step[0] == "gone":
        names.pop(step[1], None)
    elif step[1] in names:
        names[step[2]] = names.pop(step[1])


def some(rng, later):
    """Those of the writes since the last sync that have reached the disk."""
    way = rng.choice(("none", "all", "first", "any", "torn"))
    if way == "none" or not later:
        return []
    if way == "all":
        return later
    if way == "first":
        return later[:rng.randint(0, len(later))]
    share = rng.random()
    chosen = [op for op in later if rng.random() < share]
    if way == "torn":
        rng.shuffle(chosen)
        chosen = [(op[0], op[1], op[2][:rng.randint(0, len(op[2]) // SECTOR) * SECTOR]) if op[0] == "write" and rng.random() < 0.5 else op for op in chosen]
    return chosen


def parse(log):
    """[(offset of its end, words, bytes)]"""
    data, at, steps = log.read_bytes(), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        words = re.split(r"[ \t]", data[at:end].decode())
        at = end + 1
        n = int(words[3]) if words[0] == "write" else 0
        steps.append((at + n, words, data[at:at + n]))
        at += n
    return steps


class Power(gatewaylib.Case):
    def setUp(self):
        super().setUp()
        gatewayshimlib.needs_shim()
        self.log = self.dir / "log"
        self.state = self.dir / "state"
        self.site = self.small_site(tiers=[("public", 1000, 1000), ("government", None, 1000)])
        self.facts = []  # (bytes of the log when it was acknowledged, what, key, more)

    def serve(self, state, env=None):
        g = self.here = gatewayshimlib.Service(self.site, state, "--registrations", "1000", "--webhook-loopback", env=env)
        self.addCleanup(g.destroy)
        return g.start()

    def sure(self, what, key, more=None):
        self.facts.append((self.log.stat().st_size, what, key, more))

    def register(self, g, n):
        body = json.dumps({"name": "Uji", "email": f"n{n}@example.org"}).encode()
        answer = g.ask("/auth/register", method="POST", headers=["Content-Type: application/json"], body=body)
        self.assertEqual(answer.status, 201, answer)
        key = answer.json()["data"][0]["key"]
        self.sure("works", key)
        return key

    def record(self):
        """A life: keys come, are replaced, revoked and suspended; the service ends, is killed, starts again; a backup is put back."""
        shim = gatewayshimlib.Shim(self.dir, self.state, self.log)
        shim.set("logging", 1)
        g = self.serve(self.state, shim.env())
        n, keys, before = 0, [], {}
        for life in range(3):
            for _ in range(4):
                keys.append(self.register(g, n))
                n += 1
            new = g.ask("/auth/rotate", keys[-1], "POST").json()["data"][0]["key"]
            self.sure("works", new)
            before[new] = keys[-1]  # of the same account: suspended and resumed with it
            keys[-1] = new
            old = keys.pop(0)
            self.assertEqual(g.ask("/auth/key", old, "DELETE").status, 200)
            for key in filter(None, (old, before.get(old))):
                self.sure("revoked", key)
            g.run("keys", "suspend", keys[0][:14], env={})
            for key in filter(None, (keys[0], before.get(keys[0]))):
                self.sure("suspended", key)
            g.run("keys", "resume", keys[0][:14], env={})
            for key in filter(None, (keys[0], before.get(keys[0]))):
                self.sure("works", key)
            made = self.subscribe(g, keys[1], f"http://127.0.0.1:34567/{life}")
            self.assertIn(made.status, (201, 202), made)
            self.sure("subscribed", keys[1], made.json()["data"][0]["id"])
            if life == 1:
                g.process.send_signal(signal.SIGKILL)
                g.wait()
                gatewaylib.wait_for("the service to end", lambda: not g.processes())
            else:
                self.assertEqual(g.stop(), 0)
            g = self.serve(self.state, shim.env())
        self.assertEqual(g.stop(), 0)
        shim.set("logging", 0)
        return parse(self.log)

    def subscribe(self, g, key, url):
        """Once the service has looked at the site: until then it cannot tell how many webhooks a tier has (503)."""
        body = json.dumps({"url": url, "events": ["release.published"]}).encode()
        answers = []

        def answered():
            answers.append(g.ask("/v1/webhooks", key, "POST", headers=["Content-Type: application/json"], body=body))
            return answers[-1].status != 503
        gatewaylib.wait_for("the site to be read", answered, pause=0.2)
        return answers[-1]

    def expected(self, offset):
        """{key: what must hold} of what was acknowledged before OFFSET of the log, without what was going on at that moment."""
        want, subscriptions = {}, []
        for i, (at, what, key, more) in enumerate(self.facts):
            if at > offset:
                if what in ("revoked", "suspended") or any(k == key for _, _, k, _ in self.facts[:i]):
                    want.pop(key, None)  # may have happened already
                continue
            if what == "subscribed":
                subscriptions.append((key, more))
            else:
                want[key] = what
        return want, subscriptions

    def check(self, folder, offset, what):
        g = self.serve(folder)
        want, subscriptions = self.expected(offset)
        got = {key[:14]: g.ask("/auth/key", key).status for key in want}
        self.assertEqual(got, {key[:14]: 200 if state == "works" else got[key[:14]] if got[key[:14]] in (401, 403) else "401 or 403" for key, state in want.items()},
                         f"{what}\n{g.log_text()[-1500:]}")
        self.assertEqual(g.ask("/auth/key", gatewaylib.make_key()).status, 401, what)
        for key, name in subscriptions:
            if want.get(key) == "works":
                answer = g.ask(f"/v1/webhooks/{name}", key)
                self.assertEqual(answer.status, 200, (what, answer, g.log_text()[-1500:]))
                self.assertIn("127.0.0.1", answer.body.decode(), what)
        g.run("check", env={})
        fresh = g.ask("/auth/register", method="POST", headers=["Content-Type: application/json"], body=b'{"name":"Baru","email":"baru@example.org"}').json()["data"][0]["key"]
        self.assertEqual(g.ask("/auth/key", fresh).status, 200, what)
        self.assertEqual(g.stop(), 0, what)
        store = sqlite3.connect(folder / "store.sqlite")
        self.assertEqual(store.execute("PRAGMA integrity_check").fetchone(), ("ok",), what)
        self.assertEqual(store.execute("SELECT max(seq) - count(*) FROM audit").fetchone(), (0,), what)
        store.close()
        return len(want)

    def test_power_loss(self):
        rng = random.Random(SEED)
        steps = self.record()
        kinds = {}
        for _, words, _ in steps:
            kinds[words[0]] = kinds.get(words[0], 0) + 1
        print(f"\nseed {SEED}; {len(steps)} steps {kinds}; {len(self.facts)} acknowledged", file=sys.stderr)
        self.assertTrue({"create", "write", "sync", "rename", "room", "cut", "mkdir"} <= set(kinds), kinds)
        # Most of the moments are those just before and after something was acknowledged, and around syncs.
        marks = [i for i, (_, words, _) in enumerate(steps) if words[0] in ("sync", "rename", "cut", "create")]
        moments = sorted(min(len(steps), max(0, rng.choice(marks) + rng.randint(-1, 2))) if rng.random() < 0.7 else rng.randint(0, len(steps)) for _ in range(STATES))
        disk, at, held = Disk(self.state), 0, 0
        for i, moment in enumerate(moments):
            while at < moment:
                disk.step(*steps[at][1:])
                at += 1
            names, contents = disk.after_power_loss(rng)
            folder = self.dir / "lost"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
            inside = {p[len(str(self.state)) + 1:]: f for p, f in names.items() if p.startswith(str(self.state) + "/")}
            for name in sorted(inside):
                if inside[name] == "/":
                    (folder / name).mkdir(mode=0o700, exist_ok=True, parents=True)
                elif (folder / name).parent.is_dir():
                    contents[inside[name]].put(folder / name)
            with self.subTest(moment=moment, state=i, seed=SEED):
                offset = steps[moment - 1][0] if moment else 0
                try:
                    held += self.check(folder, offset, f"after step {moment} of {len(steps)} {steps[moment - 1][1] if moment else ''}: {sorted(inside)}")
                finally:
                    self.here.destroy()
        print(f"{len(moments)} states; {held} acknowledged keys asked for in them; lost 0", file=sys.stderr)
        self.assertGreater(held, len(moments) // 2)


if __name__ == "__main__":
    if DEEP:
        sys.argv.remove("deep")
    gatewaylib.main()
