// Every call of the JavaScript library, as a program would use it, and what the compiler must refuse. It is compiled, never run: what is right has exactly the type
// that stands there, what is wrong is wrong (an expected error that is none is an error).
import {
  ApiError, AuthenticationError, BadRequestError, Client, ConflictError, CursorExpiredError, GoneError, IntegrityError, NotFoundError, OdpError, PermissionDeniedError, ProtocolError,
  QuotaExceededError, RequestTimeoutError, ServerError, SignatureError, TransportError, verify,
} from "@odp/client";
import type {
  CatalogEntry, Change, ClientOptions, Dataset, DownloadedBlob, DownloadedFile, Geometry, IssuedKey, Kumuh, ListOptions, Page, Proyek, ProyekTimeline, Resource, Synced, Usage, Version,
  Webhook, WebhookMessage, WebhookWithSecret,
} from "@odp/client";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Both have one type, neither wider. */
declare function is<Expected>(): <Found>(found: Found, same: Same<Expected, Found>) => void;

export async function client(): Promise<void> {
  const options: ClientOptions = { apiKey: null, baseUrl: new URL("https://data.example.go.id/"), timeout: 5000, retries: 0, maxWait: 1500, language: "en", fetch, sleep: async () => undefined };
  const whole = new Client(options);
  is<Client>()(new Client(), true);
  is<string>()(whole.baseUrl, true);
  is<string>()(whole.release, true);
  is<CatalogEntry[]>()(await whole.catalog({ signal: new AbortController().signal }), true);
  is<IssuedKey>()(await whole.register({ name: "Sari", email: "sari@example.org", organisation: "Dinas PU", purpose: "Peta" }), true);
  is<string>()((await whole.rotate({ graceHours: 24 })).key, true);
  const usage = await whole.usage();
  is<Usage>()(usage, true);
  is<number | null>()(usage.remaining, true);
  whole.close();
  // @ts-expect-error no such option
  new Client({ retires: 3 });
  // @ts-expect-error milliseconds are a number
  new Client({ timeout: "5" });
  // @ts-expect-error there is no such dataset
  whole.kumu;
  // @ts-expect-error it is not set
  whole.webhooks = null;
  // @ts-expect-error an address is needed
  await whole.register({ name: "Sari" });
}

export async function records(c: Client): Promise<void> {
  const found = c.kumuh.list({
    where: { tingkat: "Berat", kode_provinsi: ["31", "32"], luas_ha: 10, tanggal_sk: new Date(0) }, sort: ["-luas_ha", "nama_kawasan"], bbox: [106.7, -6.4, 107, -6.1],
    datetime: ["2023-01-01", null], pageSize: 100, q: "sungai", filter: "luas_ha > 10", signal: new AbortController().signal,
  });
  is<AsyncGenerator<Kumuh, void, void>>()(found, true);
  for await (const record of found) {
    is<string>()(record.id_kawasan, true);
    is<number>()(record.luas_ha, true);
    is<"Ringan" | "Sedang" | "Berat">()(record.tingkat, true);
    is<"Legal" | "Ilegal" | "Campuran" | null>()(record.status_lahan, true);
    is<string | null>()(record.tanggal_sk, true);
    if (record.geometry !== null && record.geometry.type === "MultiPolygon") is<number[][][][]>()(record.geometry.coordinates, true);
    const geometry: Geometry | null = record.geometry;
    void geometry;
    // @ts-expect-error there is no such column
    record.luas;
    // @ts-expect-error it may be null
    record.tanggal_sk.length;
    // @ts-expect-error no such value
    if (record.tingkat === "Gawat") break;
    // @ts-expect-error a number is no text
    record.luas_ha.toUpperCase();
  }
  for await (const record of c.kumuh.list({ fields: ["nama_kawasan", "luas_ha"] })) {
    is<string>()(record.nama_kawasan, true);
    // @ts-expect-error this column was not asked for
    record.tingkat;
  }
  for await (const record of c.kumuh.list({ skipGeometry: true })) {
    is<number>()(record.skor, true);
    // @ts-expect-error it was left out
    record.geometry;
  }
  for await (const record of c.kumuh.list({ labels: true })) {
    (record.kode_kabkota_nama satisfies string | null | undefined)?.toUpperCase();
    is<number>()(record.skor, true);
  }
  for await (const record of c.kumuh.list({ fields: ["kode_kabkota"], labels: true })) {
    (record.kode_kabkota_nama satisfies string | null | undefined)?.toUpperCase();
    // @ts-expect-error this column was not asked for
    record.tingkat;
  }
  for await (const record of c.kumuh.list()) {
    // @ts-expect-error names were not asked for
    record.kode_kabkota_nama;
  }
  is<AsyncGenerator<Kumuh, void, void>>()(c.kumuh.search("tepi sungai", { where: { tingkat: ["Sedang", "Berat"] }, filter: { op: ">", args: [{ property: "luas_ha" }, 10] } }), true);
  for await (const page of c.kumuh.pages()) {
    is<Page<Kumuh>>()(page, true);
    is<number | null>()(page.total, true);
  }
  is<Kumuh>()(await c.kumuh.get("31.01-0483"), true);
  is<number>()((await c.perumahan.get(["31.71", 2023])).jumlah_rumah, true);
  await c.perumahan.get({ kode_kabkota: "31.71", tahun: 2023 });
  // @ts-expect-error no such value
  c.kumuh.list({ where: { tingkat: "Gawat" } });
  // @ts-expect-error no such column
  c.kumuh.list({ where: { tingkta: "Berat" } });
  // @ts-expect-error a number is meant
  c.kumuh.list({ where: { jumlah_penduduk: "banyak" } });
  // @ts-expect-error no such column
  c.kumuh.list({ sort: ["-luas"] });
  // @ts-expect-error no such column
  c.kumuh.list({ fields: ["luas"] });
  // @ts-expect-error no such option
  c.kumuh.list({ limit: 100 });
  // @ts-expect-error options are an object
  c.kumuh.list("luas_ha > 10");
  // @ts-expect-error four numbers
  c.kumuh.list({ bbox: [106, -6] });
  // @ts-expect-error null is asked for by a filter
  c.kumuh.list({ where: { status_lahan: null } });
  // @ts-expect-error no such key
  await c.kumuh.get(null);
  // @ts-expect-error its key has two parts
  await c.perumahan.get("31.71");
  // @ts-expect-error a promise is awaited
  c.kumuh.get("x").nama_kawasan;
}

export async function datasets(c: Client, options: ListOptions): Promise<void> {
  is<Client["kumuh"]>()(c.dataset("kumuh"), true);
  is<string>()(c.kumuh.slug, true);
  const unknown: Dataset = c.dataset("belum-ada");
  for await (const record of unknown.list(options)) record.kolom.apa;
  for await (const milestone of c.proyek.timeline({ where: { tonggak: "Tender", tercapai: false } })) {
    is<ProyekTimeline>()(milestone, true);
    is<string | null>()(milestone.tanggal_aktual, true);
  }
  for await (const milestone of c.proyek.resource("timeline").list()) is<ProyekTimeline>()(milestone, true);
  is<Proyek>()(await c.proyek.get("PRJ-00001"), true);
  const further: Resource = c.kumuh.resource("lain");
  void further;
  // @ts-expect-error there is no timeline
  c.kumuh.timeline();
  // @ts-expect-error no such value
  c.proyek.timeline({ where: { tonggak: "Selesai" } });
  // @ts-expect-error a slug is a text
  c.dataset(5);
}

export async function files(c: Client): Promise<void> {
  is<Version[]>()(await c.kumuh.versions(), true);
  const file = await c.kumuh.download("csv", "kumuh.csv", { version: "2024-03-15", resume: false, progress: (done, total) => void (done / total) });
  is<DownloadedFile>()(file, true);
  is<string>()(file.path + file.version + file.sha256, true);
  is<number>()(file.bytes - file.transferred, true);
  const memory = await c.kumuh.download("geojson");
  is<DownloadedBlob>()(memory, true);
  is<string>()(await memory.blob.text(), true);
  const made = await c.kumuh.sync("kumuh.geojson", { format: "geojson" });
  is<Synced>()(made, true);
  is<"current" | "patched" | "downloaded">()(made.action, true);
  for await (const change of c.kumuh.changes({ from: "2023-09-15", to: "2024-03-15" })) {
    is<Change<Kumuh>>()(change, true);
    if (change.op === "changed") is<[before: number | null, after: number | null] | undefined>()(change.cells?.luas_ha, true);
    else is<string | undefined>()(change.record.nama_kawasan, true);
  }
  // @ts-expect-error no such format
  await c.kumuh.download("shp", "kumuh.shp");
  // @ts-expect-error a path, a stream or nothing
  await c.kumuh.download("csv", 5);
  // @ts-expect-error no such format
  await c.kumuh.sync("kumuh.csv", { format: "tsv" });
  // @ts-expect-error a file is needed
  await c.kumuh.sync();
}

export async function webhooks(c: Client, body: Uint8Array, headers: Headers): Promise<string> {
  const made = await c.webhooks.create({ url: "https://penerima.example.org/odp", events: ["dataset.version.published"], datasets: ["kumuh", "baru"], filter: "kode_provinsi = '31'" });
  is<WebhookWithSecret>()(made, true);
  is<Webhook[]>()(await c.webhooks.list(), true);
  is<Webhook>()(await c.webhooks.get(made.id), true);
  is<Webhook>()(await c.webhooks.confirm(made.id, "abc"), true);
  await c.webhooks.test(made.id);
  is<string>()((await c.webhooks.rotateSecret(made.id, { graceHours: 1 })).secret, true);
  await c.webhooks.delete(made.id);
  const message = await verify(body, headers, [made.secret, "whsec_x"]);
  is<WebhookMessage>()(message, true);
  await verify("{}", { "webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": ["v1,x"] }, made.secret, { now: new Date() });
  await verify(new ArrayBuffer(1), new Map([["webhook-id", "msg_1"]]), made.secret);
  // @ts-expect-error no such event
  await c.webhooks.create({ url: "https://penerima.example.org/odp", events: ["dataset.published"] });
  // @ts-expect-error which events?
  await c.webhooks.create({ url: "https://penerima.example.org/odp" });
  // @ts-expect-error which secret?
  await verify(body, headers);
  // @ts-expect-error bytes are meant, not what they say
  await verify({ type: "x" }, headers, made.secret);
  // @ts-expect-error it is told when it is made
  (await c.webhooks.get(made.id)).secret;
  switch (message.type) {
    case "dataset.version.published":
    case "dataset.corrected":
      return message.data.version;
    case "quota.warning":
      is<80 | 100>()(message.data.percent, true);
      return message.data.tier;
    default:
      // @ts-expect-error only of some
      return message.data.version;
  }
}

export function errors(error: unknown): string | null {
  if (error instanceof QuotaExceededError) {
    is<Date | null>()(error.reset, true);
    is<number | null>()(error.retryAfter, true);
    return error.code;
  }
  for (const kind of [NotFoundError, AuthenticationError, PermissionDeniedError, BadRequestError, ConflictError, CursorExpiredError, GoneError, ServerError])
    if (error instanceof kind) is<string | null>()(error.detail, true);
  if (error instanceof ApiError) {
    is<number>()(error.status, true);
    is<string>()(error.request.url, true);
    // @ts-expect-error not of every error
    error.reset;
    // @ts-expect-error it does not change
    error.status = 200;
    return error.title;
  }
  if (error instanceof IntegrityError) return `${error.expected} ${error.found}`;
  for (const kind of [TransportError, RequestTimeoutError, ProtocolError, SignatureError, OdpError]) if (error instanceof kind) is<unknown>()(error.cause, true);
  return null;
}
