"""Conditions of any length, in CQL2: text, or JSON as here."""

from odp_client import Client

condition = {
    "op": "and",
    "args": [
        {"op": ">", "args": [{"property": "@NUMBER@"}, 1]},
        {"op": "in", "args": [{"property": "@FIELD@"}, ["@VALUE@"]]},
    ],
}

with Client() as client:
    found = client.@DATASET@.search(filter=condition, fields=["@FIELD@", "@NUMBER@"], page_size=100)
    total = sum(record["@NUMBER@"] for record in found)
    print(f"sum of @NUMBER@: {total}")
