"""All records that match, however many pages they take."""

from itertools import islice

from odp_client import Client

with Client() as client:  # the key comes from the environment: ODP_KEY
    records = client.@DATASET@.list(where={"@FIELD@": "@VALUE@"}, sort="-@NUMBER@")
    for record in islice(records, 10):
        print(record.@FIELD@, record.@NUMBER@)
