"""Keeps a file up to date: transfers what has changed, where that is less than the file."""

from odp_client import Client

with Client() as client:
    for _ in range(2):  # the second time there is nothing to do
        done = client.@DATASET@.sync("@SLUG@.@FORMAT@")
        print(done.action, done.version, done.transferred, "bytes")
