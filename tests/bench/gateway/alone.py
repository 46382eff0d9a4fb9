"""GETs of one file, one after the other over a kept connection, for so many seconds: alone.py PORT PATH KEYS SECONDS; prints how many.

The bodies are thrown away where they lie in the kernel (MSG_TRUNC), so that a large one costs this client next to nothing. Bound to the server's own
core it makes what the server uses for a request steady: nobody works beside it, and the kernel does the same in the same order each time."""
import itertools
import re
import socket
import sys
import time

ROOM = bytearray(1 << 20)


def get(connection, path, key):
    """The whole answer comes, or it raises."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
    head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.I)
    if not head.startswith(b"HTTP/1.1 200") or not length:
        raise SystemExit(f"not a file of known length: {head[:200]!r}")
    left = int(length[1]) - len(body)
    while left:
        n = connection.recv_into(ROOM, min(left, len(ROOM)), socket.MSG_TRUNC)
        if n == 0:
            raise SystemExit(f"{left} bytes are missing")
        left -= n


def main():
    port, path, keys, seconds = sys.argv[1:]
    connection, done = socket.create_connection(("127.0.0.1", int(port)), 10), 0
    keys, end = itertools.cycle(open(keys).read().split()), time.monotonic() + float(seconds)
    while time.monotonic() < end:
        get(connection, path, next(keys))
        done += 1
    print(done)


if __name__ == "__main__":
    main()
