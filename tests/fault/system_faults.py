"""Fails the Nth call of what else a build asks of the system: memory mapped, threads, looks at files (stat, readdir), modes, locks, modules loaded, temporary
files; and fails it from the Nth on. The same is asked as in faults.py: never half a site, no lie, a sentence that says what to do, and the next run works.
Without threads of its own a build goes on with those there are. `full` takes a sample, `deep` (ODP_FAULT_ALL=1) up to 400 of each."""
import os

import faults
import odp

DEEP = bool(os.environ.get("ODP_FAULT_ALL"))


class System(faults.Machine):
    def sample(self, total, quick):
        most = 400 if DEEP else quick
        step = max(1, total // most)
        return sorted({*range(1, total + 1, step), total})

    def kind(self, kind, allowed, quick=3, more=""):
        """Fails sampled calls of KIND ("+" and an error in MORE); the exit code must be one of ALLOWED."""
        done, total = self.build(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(total, 0, f"no {kind} was seen")
        numbers, sentences = self.sample(total, quick), set()
        for n in numbers:
            with self.subTest(f"{kind}:{n}{more}"):
                self.back_to_old()
                done, _ = self.build(kind, n, more)
                self.assertIn(done.returncode, allowed, done.stderr[-2000:])
                self.whole_after(done)
                sentences.add(done.stderr.strip().split("\n")[-1] if done.returncode else "")
                self.next_run()
        print(f"{kind}{more}: {len(numbers)} of {total}, {len(sentences - {''})} sentences, one: {sorted(sentences)[-1][:200]}", flush=True)

    def test_mmap(self):
        self.kind("mmap", (0, 3), quick=6)  # 0: the record of the spare, which then goes

    def test_mode(self):
        self.kind("mode", (3,))

    def test_look(self):
        # What cannot be looked at may be refused like a file that is not there; 2: of the catalogue.
        self.kind("look", (0, 1, 2, 3), quick=12)

    def test_list(self):
        self.kind("list", (0, 1, 3), quick=6)

    def test_lock(self):
        self.kind("lock", (3,))

    def test_eio_from_then_on(self):
        self.kind("fsync", (0, 3), quick=4, more="+")

    def test_no_more_files(self):
        self.kind("open", (0, 1, 3), quick=6, more="+")  # 0: after the switch


class Threads(faults.Machine):
    def threads(self, jobs):
        self.options = ("--jobs", str(jobs))
        done, total = self.build("thread", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(total, jobs - 1)
        went_on, refused, own = 0, 0, jobs - 1  # threads of the pool
        numbers = range(1, total + 1) if DEEP else sorted({1, own - 1, own, own + 1, total})
        for n in numbers:
            for more in ("", "+"):
                with self.subTest(f"--jobs {jobs}, thread:{n}{more}"):
                    self.back_to_old()
                    done, _ = self.build("thread", n, more)
                    # Its own it can do without; what draws (pango) cannot, and gives no way back.
                    self.assertIn(done.returncode, (0,) if n <= own and not more else (0, 3), done.stderr)
                    self.whole_after(done)
                    went_on, refused = went_on + (done.returncode == 0), refused + (done.returncode == 3)
                    self.next_run()
        print(f"thread: --jobs {jobs}: {len(numbers)} of {total}, alone and all from it on: {went_on} went on, {refused} refused", flush=True)

    def test_two(self):
        self.threads(2)

    def test_four(self):
        self.threads(4)

    def test_verify_and_check(self):
        for words in (["verify", "build/site"], ["check", "--jobs", "4"]):
            done, total = faults.run(words, self.dir, "thread:0")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(total, 0)
            for n in range(1, total + 1):
                done, _ = faults.run(words, self.dir, f"thread:{n}+")
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    odp.main()
