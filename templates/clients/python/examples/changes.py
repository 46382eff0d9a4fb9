"""What changed with the newest version."""

from collections import Counter

from odp_client import Client

with Client() as client:
    versions = client.@DATASET@.versions()
    print("versions:", ", ".join(version.version for version in versions))
    if versions[0].get("previous"):
        print(Counter(change.op for change in client.@DATASET@.changes()))
