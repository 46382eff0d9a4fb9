"""A whole dataset as a file, proved by its digest. Call it again after a cut: it goes on."""

from odp_client import Client


def progress(done: int, total: int) -> None:
    print(f"\r{done} of {total} bytes", end="")


with Client() as client:
    file = client.@DATASET@.download("@FORMAT@", "@SLUG@.@FORMAT@", progress=progress)
    print(f"\n{file.path}: version {file.version}, SHA-256 {file.sha256}")
