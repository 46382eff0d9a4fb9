"""One record by its key."""

from odp_client import Client, NotFoundError

with Client() as client:
    first = next(client.@DATASET@.list(page_size=1))
    key = [first[column] for column in client.@DATASET@.key]  # of one part or of several
    print(client.@DATASET@.get(key))
    try:
        client.@DATASET@.get(["0"] * len(key))
    except NotFoundError as error:
        print("not there:", error.code)
