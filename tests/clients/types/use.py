"""Every call of the Python library, as a program would use it, and what type checkers must refuse. It is checked by mypy and pyright at their strictest, never run:
what is right has exactly the type that stands there, what is wrong is wrong (an ignored error that is none is an error)."""
from __future__ import annotations

import datetime as dt
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import odp_client
from odp_client import (
    ApiError, AuthenticationError, BadRequestError, CatalogEntry, Change, Client, ConflictError, CursorExpiredError, Dataset, Download, GoneError, IntegrityError, IssuedKey, NotFoundError, OdpError,
    Page, PermissionDeniedError, ProtocolError, QuotaExceededError, Record, Records, RequestTimeoutError, Resource, ServerError, SignatureError, Sync, TransportError, Usage, Version, Webhook, Webhooks,
    verify)
from odp_client.datasets import Kumuh, KumuhFormat, KumuhStatusLahan, KumuhTingkat, KumuhWhere, Proyek, ProyekTimeline

if TYPE_CHECKING:
    from typing_extensions import assert_type


def client() -> None:
    assert_type(Client(), Client)
    whole = Client("odp_live_x", base_url="https://data.example.go.id/", timeout=5, retries=0, max_wait=1.5, language="en", decimals=True, ssl_context=ssl.create_default_context(), sleep=lambda s: None)
    with whole as same:
        assert_type(same, Client)
    whole.close()
    print(odp_client.__version__.upper())
    assert_type(whole.catalog(), List[CatalogEntry])
    assert_type(whole.catalog()[0].slug, str)
    assert_type(whole.register("Sari", "sari@example.org", organisation="Dinas PU", purpose="Peta"), IssuedKey)
    assert_type(whole.rotate(grace_hours=24).key, str)
    assert_type(whole.usage(), Usage)
    assert_type(whole.usage().remaining, Optional[int])
    assert_type(whole.usage().reset, dt.datetime)
    Client(retires=3)  # type: ignore[call-arg]
    Client(timeout="5")  # type: ignore[arg-type]
    whole.register("Sari")  # type: ignore[call-arg]
    whole.kumu.list()  # type: ignore[attr-defined]
    whole.webhooks = None  # type: ignore[assignment, misc]


def records(c: Client) -> None:
    assert_type(c.kumuh, Dataset[Kumuh, KumuhWhere, KumuhFormat])
    assert_type(c.kumuh.slug, str)
    found = c.kumuh.list(where={"tingkat": "Berat", "kode_provinsi": ["31", "32"], "luas_ha": 10, "tanggal_sk": dt.date(2024, 1, 1)}, sort=["-luas_ha", "nama_kawasan"],
                         bbox=(106.7, -6.4, 107.0, -6.1), datetime=("2023-01-01", None), fields=["nama_kawasan"], page_size=100, skip_geometry=True, labels=True, q="sungai", filter="luas_ha > 10")
    assert_type(found, Records[Kumuh])
    for record in found:
        assert_type(record, Kumuh)
        assert_type(record.id_kawasan, str)
        assert_type(record.luas_ha, float)
        assert_type(record.jumlah_penduduk, int)
        assert_type(record.tingkat, KumuhTingkat)
        assert_type(record.status_lahan, Optional[KumuhStatusLahan])
        assert_type(record.tanggal_sk, Optional[dt.date])
        assert_type(record["luas_ha"], Any)
        assert_type(record.to_dict(), Dict[str, Any])
        if record.tingkat == "Berat" and record.geometry is not None:
            print(record.geometry["coordinates"])
        record.luas  # type: ignore[attr-defined]
        record.luas_ha = 1.0  # type: ignore[assignment]
        record.luas_ha.upper()  # type: ignore[attr-defined]
        record.tanggal_sk.isoformat()  # type: ignore[union-attr]
        day: dt.date = record.tanggal_sk  # type: ignore[assignment]
        print(day)
        degree: KumuhStatusLahan = record.tingkat  # type: ignore[assignment]
        print(degree)
    wanted: KumuhWhere = {"tingkat": ["Sedang", "Berat"]}
    assert_type(c.kumuh.search("tepi sungai", where=wanted, filter={"op": ">", "args": [{"property": "luas_ha"}, 10]}), Records[Kumuh])
    for page in c.kumuh.pages(where=wanted):
        assert_type(page, Page[Kumuh])
        assert_type(page.records, Tuple[Kumuh, ...])
        assert_type(page.total, Optional[int])
        assert_type(page.version, Optional[str])
    assert_type(c.kumuh.get("31.01-0483"), Kumuh)
    assert_type(c.perumahan.get(("31.71", 2023)).jumlah_rumah, int)
    c.perumahan.get({"kode_kabkota": "31.71", "tahun": 2023})
    c.kumuh.list(where={"tingkat": "Gawat"})  # type: ignore[typeddict-item]
    c.kumuh.list(where={"tingkta": "Berat"})  # type: ignore
    c.kumuh.list(where={"jumlah_penduduk": "banyak"})  # type: ignore[typeddict-item]
    c.kumuh.list(sort=1)  # type: ignore[arg-type]
    c.kumuh.list(sorted=["luas_ha"])  # type: ignore[call-arg]
    c.kumuh.list("luas_ha > 10")  # type: ignore
    c.kumuh.list(page_size="100")  # type: ignore[arg-type]
    c.kumuh.list(bbox="106,-6,107,-5")  # type: ignore[arg-type]
    c.kumuh.get(None)  # type: ignore[arg-type]
    c.kumuh.get()  # type: ignore[call-arg]


def datasets(c: Client) -> None:
    assert_type(c.dataset("kumuh"), Dataset[Kumuh, KumuhWhere, KumuhFormat])
    for record in c.dataset("belum-ada").list(where={"apa": "saja"}):
        assert_type(record, Record)
        assert_type(record["kolom"], Any)
        record.kolom  # type: ignore[attr-defined]
    for milestone in c.proyek.timeline(where={"tonggak": "Tender", "tercapai": False}):
        assert_type(milestone, ProyekTimeline)
        assert_type(milestone.tanggal_aktual, Optional[dt.date])
    assert_type(next(iter(c.proyek.resource("timeline").list())), ProyekTimeline)
    assert_type(c.proyek.get("PRJ-00001"), Proyek)
    c.proyek.timeline(where={"tonggak": "Selesai"})  # type: ignore[typeddict-item]
    c.dataset(5)  # type: ignore[call-overload]
    c.proyek.resource()  # type: ignore[call-overload]


def files(c: Client) -> None:
    assert_type(c.kumuh.versions(), List[Version])
    assert_type(c.kumuh.versions()[0].version, str)

    def progress(done: int, total: int) -> None:
        print(done, total)

    got = c.kumuh.download("csv", Path("kumuh.csv"), version="2024-03-15", resume=False, progress=progress)
    assert_type(got, Download)
    assert_type((got.path, got.version, got.bytes, got.sha256, got.transferred), Tuple[Path, str, int, str, int])
    made = c.kumuh.sync("kumuh.geojson", format="geojson")
    assert_type(made, Sync)
    assert_type(made.path, Path)
    for change in c.kumuh.changes("2023-09-15", "2024-03-15"):
        assert_type(change, Change[Kumuh])
        assert_type(change.record, Optional[Kumuh])
        assert_type(change.cells, Dict[str, Tuple[Any, Any]])
    c.kumuh.download("shp", "kumuh.shp")  # type: ignore[arg-type]
    c.kumuh.download("csv")  # type: ignore[call-arg]
    c.kumuh.download("csv", "kumuh.csv", progress=lambda done: None)  # type: ignore[arg-type, misc]
    c.kumuh.sync("kumuh.csv", format="tsv")  # type: ignore[arg-type]
    got.sha256 = ""  # type: ignore[misc]


def webhooks(c: Client, body: bytes, headers: Mapping[str, str]) -> None:
    assert_type(c.webhooks, Webhooks)
    made = c.webhooks.create("https://penerima.example.org/odp", ["dataset.version.published"], datasets=["kumuh"], filter="kode_provinsi = '31'", description="Peta")
    assert_type(made, Webhook)
    assert_type(made.secret, str)
    assert_type(c.webhooks.list(), List[Webhook])
    assert_type(c.webhooks.get(made.id).state, str)
    assert_type(c.webhooks.confirm(made.id, "abc"), Webhook)
    assert_type(c.webhooks.test(made.id), Record)
    assert_type(c.webhooks.rotate_secret(made.id, grace_hours=1), Webhook)
    c.webhooks.delete(made.id)
    assert_type(verify(body, headers, made.secret), Dict[str, Any])
    verify(body, [("webhook-id", "msg_1")], [made.secret, "whsec_x"])
    c.webhooks.create("https://penerima.example.org/odp")  # type: ignore[call-arg]
    verify(body, headers)  # type: ignore[call-arg]
    verify(5, headers, made.secret)  # type: ignore[arg-type]


def errors(c: Client) -> None:
    try:
        c.kumuh.get("x")
    except QuotaExceededError as error:
        assert_type(error.reset, Optional[dt.datetime])
        assert_type(error.retry_after, Optional[float])
    except (NotFoundError, AuthenticationError, PermissionDeniedError, BadRequestError, ConflictError, CursorExpiredError, GoneError, ServerError) as error:
        assert_type(error.code, Optional[str])
    except ApiError as error:
        assert_type((error.status, error.problem), Tuple[int, Dict[str, Any]])
        print(error.retry_after)  # type: ignore[attr-defined]
    except (TransportError, RequestTimeoutError, ProtocolError, IntegrityError, SignatureError) as error:
        raise RuntimeError from error
    except OdpError:
        pass


def write(r: Resource[Kumuh, KumuhWhere, KumuhFormat], d: Dataset[Kumuh, KumuhWhere, KumuhFormat]) -> Records[Record]:
    """What is specific fits where anything does."""
    r.list()
    return d.list()
