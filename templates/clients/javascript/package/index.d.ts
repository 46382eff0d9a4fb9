/* Declarations of the library; what depends on the catalogue is in datasets.d.ts. They need no other declarations: neither DOM nor @types/node. */
import type { DatasetProperties, Datasets } from "./datasets.js";

export * from "./datasets.js";

/* ---- the client ---------------------------------------------------------------------------------------------------------------------- */

export interface ClientOptions {
  /** The API key. In Node.js by default what the environment says in `ODP_KEY`; null: none. */
  apiKey?: string | null | undefined;
  /** The root of the site, by default what the environment says in `ODP_BASE_URL`, else that of the one the package came from. */
  baseUrl?: string | URLType | undefined;
  /** Milliseconds for connecting, and for each wait on the wire: 30 000. */
  timeout?: number | undefined;
  /** How often what fails for a moment is tried again: 3. */
  retries?: number | undefined;
  /** Milliseconds that one request waits in all when the server asks it to: 60 000. */
  maxWait?: number | undefined;
  /** In which the portal says what is wrong; by default its own. */
  language?: "id" | "en" | undefined;
  /** What asks instead of the global fetch: for tests, proxies, logs. */
  fetch?: FetchType | undefined;
  /** What waits instead of a timer: for tests. */
  sleep?: ((milliseconds: number, signal?: AbortSignalType) => Promise<unknown>) | undefined;
}

/** What every call takes: with `signal` it is given up. */
export interface CallOptions {
  signal?: AbortSignalType | undefined;
}

/**
 * The API of the portal, with a property for each dataset: `client.airBersih` is `client.dataset("air-bersih")`; one that would hide a member of the client has
 * an underscore behind it (`client.usage_`). A client may be shared; it shows its key nowhere.
 */
export class Client {
  constructor(options?: ClientOptions);
  /** The root of the site. */
  readonly baseUrl: string;
  /** The release of the API that this package was made from. */
  readonly release: string;
  /** Subscriptions: who is told of new data. */
  readonly webhooks: Webhooks;
  /** A dataset by its slug, also one that is newer than the package. */
  dataset<S extends DatasetName>(slug: S): Dataset<Datasets[S]>;
  dataset(slug: string): Dataset;
  /** The catalogue. No key is needed. */
  catalog(options?: CallOptions): Promise<CatalogEntry[]>;
  /** A key of the public tier, at once. This client goes on with it. */
  register(person: Registration, options?: CallOptions): Promise<IssuedKey>;
  /** A new key; the old one works for the hours of grace. This client goes on with the new one. */
  rotate(options?: CallOptions & { graceHours?: number | undefined }): Promise<IssuedKey>;
  /** What the key may do, and has done. Costs no quota. */
  usage(options?: CallOptions): Promise<Usage>;
  /** Ends what is under way; nothing can be asked after that. */
  close(): void;
}
export interface Client extends DatasetProperties {}

/**
 * The message of a webhook, if it is ours and of now; else SignatureError.
 * @param payload the body as its bytes came: parsed and written again it is another text
 * @param headers of the request, of any usual kind: Headers, IncomingMessage.headers, Map, pairs
 * @param secret `whsec_…`; two while a secret is being replaced
 */
export function verify(
  payload: string | Uint8Array | ArrayBuffer,
  headers: HeadersLike,
  secret: string | readonly string[],
  options?: { /** The time, a Date or seconds since 1970: for tests. */ now?: Date | number | undefined },
): Promise<WebhookMessage>;

export type HeadersLike =
  | Iterable<readonly [name: string, value: string]>
  | { forEach(callback: (value: string, name: string) => void): void; get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/* ---- datasets ------------------------------------------------------------------------------------------------------------------------ */

/** The slug of a dataset that the package knows. */
export type DatasetName = keyof Datasets & string;

/** What is known of a table: of its records, keys, names. */
export interface TableShape {
  record: object;
  key: unknown;
  queryable: string;
  format: string;
}
export interface DatasetShape extends TableShape {
  timeline: TableShape;
  resources: { [name: string]: TableShape };
}

/** A record of which nothing is known. */
export interface AnyRecord {
  [column: string]: any;
}
export interface AnyTable {
  record: AnyRecord;
  key: string | number | readonly (string | number)[] | { readonly [column: string]: string | number };
  queryable: string;
  format: string;
}
export interface AnyDataset extends AnyTable {
  timeline: AnyTable;
  resources: { [name: string]: AnyTable };
}

/**
 * A table of records: a dataset's own, or a further one. Records are plain objects as the API has them: dates are texts, and a whole number that a `number` cannot
 * hold exactly (beyond 2^53) is a BigInt, never a rounded one. Columns that are newer than the package are there, too.
 */
export interface Resource<T extends TableShape = AnyTable> {
  /** Its name: of the dataset's own table the dataset's slug. */
  readonly name: string;
  /** The columns of its primary key; none where the package does not know the table. */
  readonly key: readonly (keyof T["record"] & string)[];
  /**
   * All records, page by page as they are wanted, of the version that it began with. An iterator that failed goes on where it was when it is asked again
   * (also by another `for await` over it).
   */
  list<F extends FieldName<T>, L extends boolean | undefined = false>(options: ListOptions<T> & { fields: readonly F[]; labels?: L }): AsyncGenerator<Picked<T, F> & Named<L>, void, void>;
  list<L extends boolean | undefined = false>(options: ListOptions<T> & { skipGeometry: true; labels?: L }): AsyncGenerator<WithoutGeometry<T> & Named<L>, void, void>;
  list<L extends boolean | undefined = false>(options?: ListOptions<T> & { labels?: L }): AsyncGenerator<T["record"] & Named<L>, void, void>;
  /** The same, a page at a time. */
  pages<F extends FieldName<T>, L extends boolean | undefined = false>(options: ListOptions<T> & { fields: readonly F[]; labels?: L }): AsyncGenerator<Page<Picked<T, F> & Named<L>>, void, void>;
  pages<L extends boolean | undefined = false>(options: ListOptions<T> & { skipGeometry: true; labels?: L }): AsyncGenerator<Page<WithoutGeometry<T> & Named<L>>, void, void>;
  pages<L extends boolean | undefined = false>(options?: ListOptions<T> & { labels?: L }): AsyncGenerator<Page<T["record"] & Named<L>>, void, void>;
  /** The records that have these words, by a request whose filter may be long, or an object (CQL2 JSON). */
  search<F extends FieldName<T>, L extends boolean | undefined = false>(q: string | null | undefined, options: SearchOptions<T> & { fields: readonly F[]; labels?: L }): AsyncGenerator<Picked<T, F> & Named<L>, void, void>;
  search<L extends boolean | undefined = false>(q: string | null | undefined, options: SearchOptions<T> & { skipGeometry: true; labels?: L }): AsyncGenerator<WithoutGeometry<T> & Named<L>, void, void>;
  search<L extends boolean | undefined = false>(q?: string | null, options?: SearchOptions<T> & { labels?: L }): AsyncGenerator<T["record"] & Named<L>, void, void>;
  /** One record by its key; a key of several columns as a list or an object of its parts. NotFoundError where there is none. */
  get(id: T["key"], options?: CallOptions): Promise<T["record"]>;
  /** A published file, whole and proved, written to a path (Node.js). A download that was cut is gone on with, also the next time. */
  download(format: T["format"], target: string | URLType, options?: DownloadOptions): Promise<DownloadedFile>;
  /** The same into a stream: it is closed when the file is right, else aborted. */
  download(format: T["format"], target: WritableStreamType, options?: DownloadOptions): Promise<Downloaded>;
  /** The same in memory. */
  download(format: T["format"], target?: null, options?: DownloadOptions): Promise<DownloadedBlob>;
  /** What was added, removed and changed: by default between the newest version and the one before. Across several versions step by step. */
  changes(options?: ChangesOptions): AsyncGenerator<Change<T["record"]>, void, void>;
  /** Makes the file at a path (Node.js) the newest version's, by deltas where that is less. */
  sync(path: string | URLType, options?: SyncOptions<T>): Promise<Synced>;
}

/** A dataset: its own table, its versions, its further resources. */
export interface Dataset<D extends DatasetShape = AnyDataset> extends Resource<D> {
  /** Its name in addresses. */
  readonly slug: string;
  /** The milestones of a dataset that has a timeline, asked for as in list. */
  timeline<F extends FieldName<D["timeline"]>, L extends boolean | undefined = false>(this: Timed<D, this>, options: ListOptions<D["timeline"]> & { fields: readonly F[]; labels?: L }): AsyncGenerator<Picked<D["timeline"], F> & Named<L>, void, void>;
  timeline<L extends boolean | undefined = false>(this: Timed<D, this>, options?: ListOptions<D["timeline"]> & { labels?: L }): AsyncGenerator<D["timeline"]["record"] & Named<L>, void, void>;
  /** A further resource. */
  resource<N extends keyof D["resources"] & string>(name: N): Resource<D["resources"][N]>;
  resource(name: string): Resource;
  /** What was published, newest first. Addresses in it are whole. */
  versions(options?: CallOptions): Promise<Version[]>;
}
type Timed<D extends DatasetShape, This> = [D["timeline"]] extends [never] ? never : This;

export interface ListOptions<T extends TableShape = AnyTable> extends CallOptions {
  /** Columns and what they must be equal to; a list: one of these. */
  where?: Where<T> | undefined;
  /** CQL2: a text such as `luas_ha > 10 AND tingkat IN ('Sedang','Berat')`, or an object (CQL2 JSON). */
  filter?: string | { readonly [member: string]: unknown } | undefined;
  /** Words, all of which a record must have in its texts. */
  q?: string | undefined;
  /** West, south, east, north. */
  bbox?: readonly [number, number, number, number] | readonly [number, number, number, number, number, number] | undefined;
  /** A day or an instant, or from – to; null is open. */
  datetime?: string | Date | readonly [string | Date | null, string | Date | null] | undefined;
  /** Columns; `-` before one is descending. */
  sort?: readonly Sorting<T>[] | undefined;
  /** Only these columns: then a record has no others. */
  fields?: readonly FieldName<T>[] | undefined;
  /** Records that are fetched at once. */
  pageSize?: number | undefined;
  /** True: records without their geometry. */
  skipGeometry?: boolean | undefined;
  /** True: names beside codes: after `kode_kabkota` comes `kode_kabkota_nama`, and `…_nama_en` where there are English names. */
  labels?: boolean | undefined;
}
export type SearchOptions<T extends TableShape = AnyTable> = Omit<ListOptions<T>, "q">;

/** The names of codes, with `labels`. */
type Named<L> = L extends true ? { readonly [column: `${string}_nama` | `${string}_nama_en`]: string | null } : unknown;
type Scalar = string | number | boolean;
type IsAny<V> = 0 extends 1 & V ? true : false;
type ParameterName =
  | "filter" | "filter-lang" | "filter-crs" | "q" | "bbox" | "bbox-crs" | "crs" | "datetime" | "properties" | "skipGeometry" | "labels" | "sortby" | "limit" | "offset" | "cursor"
  | "facets" | "aggregate" | "groupby" | "view" | "f";
/** Columns that hold a text, a number or a boolean. */
type ScalarColumn<R> = { [K in keyof R & string]: [NonNullable<R[K]>] extends [Scalar] ? K : never }[keyof R & string];
type Asked<V> = IsAny<V> extends true ? Scalar | bigint | Date : string extends V ? string | Date : number extends V ? number | bigint : V;

export type Where<T extends TableShape = AnyTable> = {
  [K in Exclude<ScalarColumn<T["record"]>, ParameterName>]?: Asked<NonNullable<T["record"][K]>> | readonly Asked<NonNullable<T["record"][K]>>[];
} & {
  [K in Exclude<T["queryable"], ParameterName>]?: Scalar | bigint | Date | readonly (Scalar | bigint | Date)[];
};
export type Sorting<T extends TableShape = AnyTable> = `${"" | "-" | "+"}${ScalarColumn<T["record"]> | T["queryable"]}`;
export type FieldName<T extends TableShape = AnyTable> = (keyof T["record"] & string) | T["queryable"];
/** A record with these columns alone. */
export type Picked<T extends TableShape, F extends string> = { [K in F]: K extends keyof T["record"] ? T["record"][K] : Scalar | null };
/** A record without its geometry. */
export type WithoutGeometry<T extends TableShape> = { [K in Exclude<keyof T["record"], "geometry">]: T["record"][K] };

export interface Page<R> {
  records: R[];
  /** All that match, on all pages; null where counting took too long. */
  total: number | null;
  version: string | null;
}

/* ---- files and changes ----------------------------------------------------------------------------------------------------------------- */

export interface DownloadOptions extends CallOptions {
  /** By default the newest one. */
  version?: string | undefined;
  /** False: what an earlier, unfinished download left is not used. */
  resume?: boolean | undefined;
  /** Told as bytes come. */
  progress?: ((done: number, total: number) => void) | undefined;
}
export interface Downloaded {
  version: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
  /** Bytes that came over the wire: fewer where a part was there. */
  transferred: number;
}
export interface DownloadedFile extends Downloaded {
  path: string;
}
export interface DownloadedBlob extends Downloaded {
  blob: BlobType;
}
export interface SyncOptions<T extends TableShape = AnyTable> extends CallOptions {
  /** By default what the path ends in: `.csv`, `.excel.csv`, `.geojson` … */
  format?: T["format"] | undefined;
  progress?: ((done: number, total: number) => void) | undefined;
}
export interface Synced {
  path: string;
  version: string;
  /** What was done: nothing, deltas were applied, the whole file was fetched. */
  action: "current" | "patched" | "downloaded";
  transferred: number;
  sha256: string;
}
export interface ChangesOptions extends CallOptions {
  /** By default the version before `to`. */
  from?: string | undefined;
  /** By default the newest version. */
  to?: string | undefined;
}

interface Step {
  /** The versions between which this happened. */
  from: string;
  to: string;
}
/** A record that came or went, as its own version had it, without its geometry. */
interface Whole<R> extends Step {
  /** The columns of the primary key; null where there is none. */
  key: Partial<R> | null;
  record: Partial<Omit<R, "geometry">>;
  geometry?: { before?: string; after?: string };
}
export interface Added<R = AnyRecord> extends Whole<R> {
  op: "added";
}
export interface Removed<R = AnyRecord> extends Whole<R> {
  op: "removed";
}
export interface Changed<R = AnyRecord> extends Step {
  op: "changed";
  key: Partial<R> | null;
  /** By column what it was and what it is; absent where only the geometry changed. */
  cells?: { [K in keyof R]?: [before: R[K] | null, after: R[K] | null] };
  /** What the geometry was and is, in words; absent where it did not change. */
  geometry?: { before?: string; after?: string };
}
export type Change<R = AnyRecord> = Added<R> | Removed<R> | Changed<R>;

/* ---- what the API tells of itself; members that are newer than the package are there, too ------------------------------------------------ */

/** A text in both languages. */
export interface Text {
  id: string;
  en: string;
}
export interface CatalogEntry {
  slug: string;
  name: string;
  title: Text;
  description: Text;
  /** CSV, Excel, … */
  formats: string[];
  /** A day, YYYY-MM-DD. */
  last_update: string;
  version: string;
  rows?: number;
  [member: string]: unknown;
}
export interface Version {
  version: string;
  date?: string;
  state: "published" | "thinned" | "withdrawn";
  digest?: string;
  release?: string | null;
  rows?: number;
  previous?: string;
  resources?: VersionResource[];
  [member: string]: unknown;
}
export interface VersionResource {
  name: string;
  rows?: number;
  schema?: string;
  files?: VersionFile[];
  changes?: { from: string; added: number; removed: number; changed: number; json?: string; csv?: string; html?: string; [member: string]: unknown };
  deltas?: { from: string; name: string; url: string; bytes: number; hash: string }[];
  [member: string]: unknown;
}
export interface VersionFile {
  /** CSV, … */
  format: string;
  /** What download calls it: csv, excel.csv, … */
  name: string;
  url: string;
  media_type: string;
  bytes: number;
  /** `sha256:` and 64 hexadecimal digits. */
  hash: string;
}

export interface Registration {
  name: string;
  email: string;
  organisation?: string | undefined;
  purpose?: string | undefined;
}
export interface Quota {
  tier: string;
  /** Requests a day; null: any number. */
  limit: number | null;
  /** Used today. */
  used: number;
  burst: number | null;
  concurrent: number | null;
  /** When the quota opens again: a time with zone. */
  reset: string;
}
export interface IssuedKey extends Quota {
  /** Shown this once. */
  key: string;
  created?: string | null;
  expires: string | null;
  email_confirmed?: boolean;
  confirmation_sent?: boolean;
  /** Until when the old key still works. */
  previous_valid_until?: string | null;
}
export interface Usage extends Quota {
  /** Only its beginning. */
  key: string;
  state: "active" | "rotated" | "suspended" | "expired" | "revoked";
  created?: string | null;
  expires?: string | null;
  email_confirmed?: boolean;
  /** What is left of today; null: any number. */
  remaining: number | null;
  /** The last 30 days, the oldest first. */
  days: { date: string; requests: number }[];
}

export type EventType = "dataset.version.published" | "dataset.corrected" | "dataset.deprecated" | "dataset.withdrawn" | "release.published" | "quota.warning";

export interface Subscription {
  /** https, and one that the internet can reach. */
  url: string;
  events: readonly EventType[];
  /** Without it: all. */
  datasets?: readonly (DatasetName | (string & {}))[] | undefined;
  /** CQL2, as a text or an object: only versions with a change of such a record. Needs `datasets`. */
  filter?: string | { readonly [member: string]: unknown } | undefined;
  description?: string | undefined;
}
export interface Webhook {
  id: string;
  url: string | null;
  events: string[];
  datasets: string[];
  filter: string | { [member: string]: unknown } | null;
  description: string;
  state: "unverified" | "active" | "paused" | "disabled";
  reason: "owner" | "failing" | "operator" | "sealed" | "gone" | "key" | null;
  created: string;
  changed: string;
  verified: string | null;
  failing_since: string | null;
  waits_until: string | null;
  previous_secret_valid_until: string | null;
  deliveries: { pending: number; delivered: number; failed: number };
}
export interface WebhookWithSecret extends Webhook {
  /** Shown this once: `whsec_…`. */
  secret: string;
}

/** Subscriptions of the key's account. */
export interface Webhooks {
  /** Subscribes. The answer has the secret, this once; the address gets a challenge. */
  create(subscription: Subscription, options?: CallOptions): Promise<WebhookWithSecret>;
  /** All of them. */
  list(options?: CallOptions): Promise<Webhook[]>;
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /** Unsubscribes, at once. */
  delete(id: string, options?: CallOptions): Promise<{ id: string; state: "deleted" }>;
  /** Confirms the address for a receiver that cannot answer the challenge by itself. */
  confirm(id: string, challenge: string, options?: CallOptions): Promise<Webhook>;
  /** Sends a `webhook.test`, or the challenge again. */
  test(id: string, options?: CallOptions): Promise<{ webhook: string; delivery: string }>;
  /** A new secret; for the hours of grace messages are signed with both. */
  rotateSecret(id: string, options?: CallOptions & { graceHours?: number | undefined }): Promise<WebhookWithSecret>;
}

interface Message<T extends string, D> {
  type: T;
  /** An instant in UTC. */
  timestamp: string;
  data: D;
}
export interface NewVersion {
  dataset: string;
  title: Text | null;
  version: string;
  previous: string | null;
  versions: string[];
  release: string | null;
  rows: number | null;
  resources: {
    name: string;
    rows: number | null;
    changes: { from: string; to: string; added: number; removed: number; changed: number; url: string | null }[];
    keys: { added: string[]; removed: string[]; changed: string[] } | null;
  }[];
  url: string;
  versions_url: string;
  /** What the subscription's filter found. */
  match: { applied: true; resources: { name: string; added: number; removed: number; changed: number; keys: { added: string[]; removed: string[]; changed: string[] } | null }[] } | { applied: false; why: Text } | null;
}
/** What comes to a webhook; `type` says which. */
export type WebhookMessage =
  | Message<"dataset.version.published", NewVersion>
  | Message<"dataset.corrected", NewVersion & { correction?: Text }>
  | Message<"dataset.deprecated", { dataset: string; title: Text | null; version: string | null; deprecated: string | null; sunset: string | null; replaced_by: string | null; url: string }>
  | Message<"dataset.withdrawn", { dataset: string; title: Text | null; version: string | null; reason: string | null; note: Text | null; versions_url: string | null }>
  | Message<"release.published", { release: string; previous: string | null; date: string | null; url: string; openapi_url: string }>
  | Message<"quota.warning", { key: string; tier: string; percent: 80 | 100; limit: number; used: number; resets: string }>
  | Message<"webhook.test", { webhook: string; message: Text }>
  | Message<"webhook.challenge", { webhook: string; challenge: string; answer: Text }>;

/* ---- errors -------------------------------------------------------------------------------------------------------------------------------- */

/** A problem document (RFC 9457). */
export interface Problem {
  type?: string;
  title?: string;
  status?: number;
  code?: string;
  detail?: string;
  [member: string]: unknown;
}
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
}

/** What all errors of this library have in common. Wrong arguments are TypeError or RangeError. */
export class OdpError extends Error {
  readonly cause?: unknown;
}
/** The server answered with an error. */
export class ApiError extends OdpError {
  constructor(status: number, problem: Problem, request: RequestInfo, retryAfter?: number | null);
  readonly status: number;
  /** Stable, for programs: "record-not-found"; null where the answer was no problem document. */
  readonly code: string | null;
  readonly title: string | null;
  readonly detail: string | null;
  /** The whole document. */
  readonly problem: Problem;
  readonly request: RequestInfo;
  /** Seconds that the server asks to wait; null where it does not say. */
  readonly retryAfter: number | null;
}
/** The request is wrong: 400, 406, 413, 414, 415, 422 and other 4xx. */
export class BadRequestError extends ApiError {}
/** No key, or not a valid one: 401. */
export class AuthenticationError extends ApiError {}
/** The key may not do this: 403. */
export class PermissionDeniedError extends ApiError {}
/** There is no such thing: 404. */
export class NotFoundError extends ApiError {}
/** It contradicts what is there: 409. */
export class ConflictError extends ApiError {}
/** It was there and was withdrawn: 410. */
export class GoneError extends ApiError {}
/** The version that a walk over pages began with is gone: begin again. */
export class CursorExpiredError extends GoneError {}
/** The quota is used up for longer than the client waits: 429. */
export class QuotaExceededError extends ApiError {
  /** When it opens again. */
  readonly reset: Date | null;
}
/** The server failed: 5xx. */
export class ServerError extends ApiError {}
/** No answer came; `cause` says why. */
export class TransportError extends OdpError {
  constructor(message: string, request: RequestInfo, options?: { cause?: unknown });
  readonly request: RequestInfo;
}
/** Nothing came for as long as `timeout` says. */
export class RequestTimeoutError extends TransportError {}
/** An answer that is none of ours. */
export class ProtocolError extends OdpError {
  constructor(message: string, request: RequestInfo, options?: { cause?: unknown });
  readonly request: RequestInfo;
}
/** A file is not the one that was published. */
export class IntegrityError extends OdpError {
  constructor(what: string, expected: string | number, found: string | number);
  /** Digest or size. */
  readonly expected: string | number;
  readonly found: string | number;
}
/** A webhook's message that is not ours, or not of now. */
export class SignatureError extends OdpError {}

/* ---- GeoJSON (RFC 7946) ------------------------------------------------------------------------------------------------------------------------ */

/** Longitude, latitude, sometimes height. */
export type Position = number[];
export interface Point {
  type: "Point";
  coordinates: Position;
}
export interface MultiPoint {
  type: "MultiPoint";
  coordinates: Position[];
}
export interface LineString {
  type: "LineString";
  coordinates: Position[];
}
export interface MultiLineString {
  type: "MultiLineString";
  coordinates: Position[][];
}
export interface Polygon {
  type: "Polygon";
  coordinates: Position[][];
}
export interface MultiPolygon {
  type: "MultiPolygon";
  coordinates: Position[][][];
}
export interface GeometryCollection {
  type: "GeometryCollection";
  geometries: Geometry[];
}
export type Geometry = Point | MultiPoint | LineString | MultiLineString | Polygon | MultiPolygon | GeometryCollection;

/* ---- what is there of the platform's own types, with DOM or with @types/node -------------------------------------------------------------------- */

type PlatformType<Name extends string, Otherwise> = typeof globalThis extends { [N in Name]: { prototype: infer T } } ? T : Otherwise;
type AbortSignalType = PlatformType<"AbortSignal", { readonly aborted: boolean }>;
type BlobType = PlatformType<"Blob", { readonly size: number; readonly type: string }>;
type URLType = PlatformType<"URL", { readonly href: string }>;
type WritableStreamType = PlatformType<"WritableStream", { getWriter(): unknown }>;
type FetchType = typeof globalThis extends { fetch: infer F } ? F : (input: any, init?: any) => Promise<any>;

export {};
