"""Files: what versions.json names, downloaded, proved, brought up to date, compared."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import IO, Any, Callable, Dict, Generator, Iterator, List, Optional, Tuple, Union

from . import _delta, _json
from ._delta import File
from ._session import Session, log, objects
from ._transport import Response
from .errors import (
    ApiError,
    IntegrityError,
    ProtocolError,
    QuotaExceededError,
    ServerError,
    TransportError,
)
from .models import Download, Sync, Version

Target = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int], object]
Step = Tuple[str, str, str]

_LARGEST_CHANGE = 64 * 1024 * 1024
_HASH = re.compile(r"sha256:([0-9a-f]{64})")
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


# ---- versions.json ----------------------------------------------------------------------------


def _index(session: Session, path: str) -> str:
    return session.url(f"data/{path.partition('/')[0]}/versions.json")


def versions(session: Session, slug: str) -> List[Version]:
    url = _index(session, slug)
    found = [Version(item) for item in objects(session.json("GET", url, keyed=False), url)]
    if not all(isinstance(version.get("version"), str) for version in found):
        raise ProtocolError(f"{url} has a version without a name")
    return found


def _resource(version: Version, path: str) -> Dict[str, Any]:
    """What the version has of the resource at ``path``; {} where it is not there."""
    name = path.partition("/")[2]
    resources = [item for item in version.get("resources") or [] if isinstance(item, dict)]
    if not name:
        return resources[0] if resources else {}
    return next((item for item in resources if item.get("name") == name), {})


def _described(item: Dict[str, Any], url: str) -> File:
    match = _HASH.fullmatch(str(item.get("hash")))
    size = item.get("bytes")
    if match is None or type(size) is not int or not 0 <= size < 2**53:
        raise ProtocolError(f"{url} names a file without its size or digest")
    return File(size, match[1])


def _entries(version: Version, path: str, kind: str) -> List[Dict[str, Any]]:
    listed = _resource(version, path).get(kind) or []
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _file_of(version: Version, path: str, format: str) -> Optional[Dict[str, Any]]:
    found = (item for item in _entries(version, path, "files") if item.get("name") == format)
    return next(found, None)


def _current(all_versions: List[Version], path: str) -> Version:
    for version in all_versions:
        if version.get("state") == "published" and _resource(version, path):
            return version
    raise ValueError(f"{path} has no version that is published")


def _names_of(all_versions: List[Version]) -> str:
    names = [str(version.get("version")) for version in all_versions]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} older" if len(names) > 10 else "")


def _find(
    all_versions: List[Version], path: str, format: str, name: Optional[str]
) -> Tuple[Version, Dict[str, Any]]:
    """The version called ``name`` (None: the newest) and its file."""
    if name is None:
        version = _current(all_versions, path)
    else:
        named = next((v for v in all_versions if v.get("version") == name), None)
        if named is None:
            raise ValueError(f"{path} has no version {name!r}; it has: {_names_of(all_versions)}")
        version = named
    found = _file_of(version, path, format)
    if found is None:
        there = ", ".join(str(item.get("name")) for item in _entries(version, path, "files"))
        state = f"{path} {version['version']} ({version.get('state')})"
        raise ValueError(f"{state} has no format {format!r}; it has: {there or 'none'}")
    return version, found


# ---- one file ---------------------------------------------------------------------------------


class _Fetched:
    """A file that is being downloaded into a part beside its place."""

    def __init__(
        self, session: Session, url: str, file: File, part: Path, progress: Optional[Progress]
    ) -> None:
        self.session = session
        self.url = url
        self.file = file
        self.part = part
        self.progress = progress
        self.transferred = 0
        self._etag = ""

    def run(self, resume: bool) -> None:
        """Makes the part whole and proves it, else IntegrityError."""
        resumed = resume and self.part.exists() and self.part.stat().st_size > 0
        while True:
            found = self._complete(resumed)
            if found == self.file:
                return
            if not resumed:
                self.part.unlink()
                raise IntegrityError(
                    f"{self.url} is not the file that it should be",
                    expected=self.file.sha256,
                    found=found.sha256,
                )
            log.warning("%s: the part on disk was of another file; downloading it anew", self.url)
            resumed = False
            self._etag = ""

    def _complete(self, resumed: bool) -> File:
        size = self.file.bytes
        with open(self.part, "r+b" if resumed else "wb") as out:
            sha256, done = hashlib.sha256(), 0
            for piece in iter(lambda: out.read(1 << 20) if resumed else b"", b""):
                sha256.update(piece)
                done += len(piece)
            tries, furthest = 0, done
            self._tell(min(done, size))
            while done < size:
                response = self._ask(done)
                if response.status != 206 and done > 0:  # it begins again
                    sha256, done = hashlib.sha256(), 0
                    out.seek(0)
                    out.truncate()
                try:
                    with contextlib.closing(response):
                        for piece in response.chunks():
                            sha256.update(piece)
                            out.write(piece)
                            done += len(piece)
                            self.transferred += len(piece)
                            if done > size:
                                break
                            self._tell(done)
                    if done < size and response.status == 200 and response.delimited:
                        break  # whole, and too short
                    if done < size:
                        raise TransportError(f"{self.url} ended after {done} of {size} bytes")
                except TransportError as error:
                    if done > furthest:  # as long as it goes on, tries are not used up
                        tries, furthest = 0, done
                    if tries >= self.session.retries:
                        raise
                    self.session.back_off(tries, str(error))
                    tries += 1
            out.flush()
            os.fsync(out.fileno())
            return File(done, sha256.hexdigest())

    def _tell(self, done: int) -> None:
        if self.progress is not None:
            self.progress(done, self.file.bytes)

    def _ask(self, done: int) -> Response:
        headers = {"Accept": "*/*", "Accept-Encoding": "identity"}
        if done > 0:
            headers["Range"] = f"bytes={done}-"
            if self._etag:
                headers["If-Range"] = self._etag
        response = self.session.open(self.url, headers, accept=(416,) if done > 0 else ())
        if response.status == 416 or (
            response.status == 206 and not _fits(response, done, self.file.bytes)
        ):
            response.close()
            self._etag = ""
            headers.pop("Range", None)
            headers.pop("If-Range", None)
            response = self.session.open(self.url, headers)
        if response.status != 200 and (response.status != 206 or "Range" not in headers):
            response.close()
            raise ProtocolError(f"{self.url}: {response.status} is no file")
        etag = response.header("ETag")
        self._etag = etag if etag.startswith('"') else ""
        return response


def _fits(response: Response, done: int, size: int) -> bool:
    match = _RANGE.fullmatch(response.header("Content-Range").strip())
    return match is not None and int(match[1]) == done and match[3] in ("*", str(size))


def _part(path: Path, file: File) -> Path:
    return path.with_name(f"{path.name}.{file.sha256[:16]}.part")


def _target(path: Target) -> Path:
    target = Path(path)
    if target.is_dir() or not target.name:
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder: a file's name is needed")
    return target


@contextlib.contextmanager
def _alone(part: Path) -> Generator[Path, None, None]:
    """The part, or another name where somebody else is at work on it right now."""
    try:
        import fcntl
    except ImportError:  # no such locks here
        yield part
        return
    with contextlib.ExitStack() as stack:
        mine = part
        while True:
            if part.is_symlink():  # it would lead elsewhere
                part.unlink()
            lock: IO[bytes] = stack.enter_context(open(part, "ab", opener=_not_through_links))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                mine = part.with_name(f"{part.name[:-5]}.{_own()}.part")
                break
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.lstat(part), os.fstat(lock.fileno())):
                    break
            stack.pop_all().close()  # who had it has just given it its name
        try:
            yield mine
        finally:
            with contextlib.suppress(OSError):  # nothing came, or somebody else's name for it
                if mine != part or part.stat().st_size == 0:
                    mine.unlink()


def _not_through_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _own() -> str:
    """A piece of a name that nobody else has."""
    return f"{os.getpid()}-{secrets.token_hex(4)}"


def download(
    session: Session,
    path: str,
    format: str,
    target: Target,
    version: Optional[str],
    resume: bool,
    progress: Optional[Progress],
) -> Download:
    place = _target(target)
    index = _index(session, path)
    found, item = _find(versions(session, path), path, format, version)
    file = _described(item, index)
    transferred = _fetch(session, index, item, file, place, resume, progress)
    return Download(place, found.version, file.bytes, file.sha256, transferred)


def _fetch(
    session: Session,
    index: str,
    item: Dict[str, Any],
    file: File,
    place: Path,
    resume: bool = True,
    progress: Optional[Progress] = None,
) -> int:
    url = session.follow(index, item.get("url"))
    with _alone(_part(place, file)) as part:
        fetched = _Fetched(session, url, file, part, progress)
        fetched.run(resume)
        os.replace(part, place)
    return fetched.transferred


# ---- a file brought up to date ----------------------------------------------------------------


def _format_of(place: Path, version: Version, path: str) -> str:
    """What the file's name ends in; "excel.csv" rather than "csv"."""
    names = [str(item.get("name")) for item in _entries(version, path, "files")]
    for format in sorted(names, key=len, reverse=True):
        if place.name.lower().endswith(f".{format}"):
            return format
    raise ValueError(f"the format cannot be told by the name of {str(place)!r}: name it")


def sync(session: Session, path: str, target: Target, format: Optional[str]) -> Sync:
    place = _target(target)
    index = _index(session, path)
    known = versions(session, path)
    format = format or _format_of(place, _current(known, path), path)
    newest, item = _find(known, path, format, None)
    file = _described(item, index)
    have = _version_on_disk(known, path, format, place, index)
    if have is not None and have[1] == file:
        return Sync(place, newest.version, "current", 0, file.sha256)
    transferred = 0
    if have is not None:
        chain = _chain(known, path, format, have[0], newest, index)
        if chain and 2 * sum(delta.bytes for _, delta, _ in chain) < file.bytes:
            done, transferred = _patch(session, index, chain, place)
            if done:
                return Sync(place, newest.version, "patched", transferred, file.sha256)
    transferred += _fetch(session, index, item, file, place)
    return Sync(place, newest.version, "downloaded", transferred, file.sha256)


def _version_on_disk(
    known: List[Version], path: str, format: str, place: Path, index: str
) -> Optional[Tuple[Version, File]]:
    if not place.exists():
        return None
    files = []
    for version in known:
        item = _file_of(version, path, format)
        if item is not None:
            files.append((version, _described(item, index)))
    size = place.stat().st_size
    if all(file.bytes != size for _, file in files):
        return None  # of no version: no need to read it
    with open(place, "rb") as source:
        have = _delta.digest(source)
    return next(((version, file) for version, file in files if file == have), None)


_Link = Tuple[Dict[str, Any], File, File]  # a delta as it is listed, itself, what it makes


def _chain(
    known: List[Version], path: str, format: str, old: Version, new: Version, index: str
) -> List[_Link]:
    """The deltas that lead from ``old`` to ``new``, in their order; [] where there is no way."""
    by_name = {version.get("version"): version for version in known}
    chain: List[_Link] = []
    at = new
    while at is not old:
        deltas = _entries(at, path, "deltas")
        item = next((d for d in deltas if d.get("name") == format), None)
        result = _file_of(at, path, format)
        before = by_name.get(item.get("from")) if item is not None else None
        if item is None or result is None or before is None or len(chain) > len(known):
            return []
        chain.append((item, _described(item, index), _described(result, index)))
        at = before
    return chain[::-1]


def _patch(session: Session, index: str, chain: List[_Link], place: Path) -> Tuple[bool, int]:
    """(whether the file at ``place`` is the new one now, bytes that came)."""
    transferred = 0
    at, made = place, []
    try:
        for item, packed, result in chain:
            delta = _part(place, packed).with_suffix(f".{_own()}.delta")
            made.append(delta)
            transferred += _fetch(session, index, item, packed, delta)
            following = _part(place, result).with_suffix(f".{_own()}.part")
            made.append(following)
            with open(at, "rb") as old, open(delta, "rb") as source, open(following, "wb") as new:
                _delta.apply(old, source, new, result)
                new.flush()
                os.fsync(new.fileno())
            at = following
        os.replace(at, place)
        return True, transferred
    except (QuotaExceededError, ServerError):
        raise
    except (IntegrityError, ProtocolError, ApiError) as error:
        log.warning("%s; downloading the whole file", error)
        return False, transferred
    finally:
        for path in made:
            path.unlink(missing_ok=True)


# ---- what changed -----------------------------------------------------------------------------


def steps(
    session: Session, path: str, from_version: Optional[str], to_version: Optional[str]
) -> List[Step]:
    """(from, to, address of the changes) of each step, the oldest first."""
    index = _index(session, path)
    listed = versions(session, path)
    known = {v.get("version"): v for v in listed}
    for name in (from_version, to_version):
        if name is not None and name not in known:
            raise ValueError(f"{path} has no version {name!r}; it has: {_names_of(listed)}")
    at: str = to_version or _current(list(known.values()), path).version
    found: List[Step] = []
    while at != from_version and len(found) <= len(known):
        changed = _resource(known[at], path).get("changes") if at in known else None
        before = changed.get("from") if isinstance(changed, dict) else None
        if not isinstance(changed, dict) or not isinstance(before, str):
            begin = from_version or "a version before"
            raise ValueError(f"{path}: no changes lead from {begin} to {to_version or at}")
        found.append((before, at, session.follow(index, changed.get("json"))))
        at = before
        if from_version is None:
            break
    else:
        if at != from_version:
            raise ValueError(f"{path}: the changes before {to_version or 'now'} go in a circle")
    return found[::-1]


def changes(session: Session, url: str, before: str, after: str) -> Iterator[Dict[str, Any]]:
    """The changes of one file, each once: a connection that breaks is begun again behind them."""
    given, tries = 0, 0
    headers = {"Accept": "application/json", "Accept-Encoding": "gzip"}
    while True:
        response = session.open(url, headers)
        try:
            with contextlib.closing(response):
                for number, item in enumerate(_changes_of(session, response, before, after)):
                    if number >= given:
                        given, tries = number + 1, 0
                        yield item
            return
        except TransportError as error:
            if tries >= session.retries:
                raise
            session.back_off(tries, str(error))
            tries += 1


def _changes_of(
    session: Session, response: Response, before: str, after: str
) -> Iterator[Dict[str, Any]]:
    url = response.url
    reader = _json.Reader(response.chunks(), _LARGEST_CHANGE, session.decimals)
    told = {"from": before, "to": after}
    known, given = set(), 0
    for name, value in reader.members("changes"):
        known.add(name)
        if name in told:
            if not isinstance(value, dict) or value.get("version") != told[name]:
                raise ProtocolError(f"{url} is of other versions than {before} and {after}")
        elif name == "note":
            text = value.get("en") if isinstance(value, dict) else value
            raise ValueError(f"the changes from {before} to {after} are not told: {text}")
        elif name == "changes":
            if not known.issuperset(told) or not isinstance(value, dict) or not _is_change(value):
                raise ProtocolError(f"{url} has a change that is none, or not of known versions")
            yield value
            given += 1
        elif name == "summary" and isinstance(value, dict):
            counts: List[Any] = [value.get(kind) for kind in ("added", "removed", "changed")]
            if all(isinstance(n, int) for n in counts) and sum(counts) != given:
                raise ProtocolError(f"{url} has {given} changes and counts otherwise")
    if not known.issuperset(told) or not reader.streamed:
        raise ProtocolError(f"{url} does not say what changed")


def _is_change(item: Dict[str, Any]) -> bool:
    cells = item.get("cells") or {}
    return (
        item.get("op") in ("added", "removed", "changed")
        and isinstance(item.get("key"), (dict, type(None)))
        and isinstance(item.get("record"), (dict, type(None)))
        and isinstance(cells, dict)
        and all(isinstance(pair, list) and len(pair) == 2 for pair in cells.values())
    )
