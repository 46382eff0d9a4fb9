"""Attacks on odp-build: hundreds of damaged CSV files, shapefiles, zips, workbooks and descriptors, each made anew and always the same. What must hold of every
one stands in hostilelib.py. `hostile.py deep` runs all of them, without it those that are quick; `hostile.py deep TEXT` those whose name has TEXT in it."""
import collections
import concurrent.futures
import itertools
import os
import sys
import unittest

import hostilebook
import hostilecsv
import hostilejson
import hostilelib
import hostileshape
import odp

DEEP = "deep" in sys.argv
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""
# What was lost once is always tried: an operation without a name was read behind its end; a link to a device was read before it was looked at; a link to
# nothing was no dataset; libcsv moved a long cell anew for each 128 bytes; a title of one word was wider than an int holds.
ALWAYS = ("operation ''", "data.csv is a link to /proc/self/mem", "dataset.json is a link to nothing", ".prj is /dev/zero", ".shx is a fifo", "doubled quotes, 10 MB", "dataset /title = long")


class Hostile(odp.Case):
    def fight(self, attacks):
        ring = hostilelib.Range(self.dir)
        chosen = (a for a in attacks(True) if ONLY in a.name and a.name.endswith(ALWAYS)) if not DEEP else ()
        chosen = itertools.chain(chosen, (a for a in attacks(DEEP) if ONLY in a.name))
        lost, tried = {}, collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for attack, wrong in pool.map(lambda a: (a, ring.attack(a)), chosen):
                tried["attacks"] += 1
                if wrong:
                    lost[attack.name] = wrong
                    print(f"LOST {attack.name}: {'; '.join(wrong)[:3000]}", file=sys.stderr, flush=True)
        print(f"{self.id()}: {tried['attacks']} tried, {tried['attacks'] - len(lost)} survived, {len(lost)} lost", file=sys.stderr)
        self.assertEqual(lost, {})
        self.assertTrue(ONLY or tried["attacks"] > 40)

    def test_csv(self):
        self.fight(hostilecsv.attacks)

    def test_shapefiles_and_zips(self):
        self.fight(hostileshape.attacks)

    def test_workbooks(self):
        self.fight(hostilebook.attacks)

    def test_descriptors_and_paths(self):
        self.fight(hostilejson.attacks)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
