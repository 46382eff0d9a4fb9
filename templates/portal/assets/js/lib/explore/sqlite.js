/* A connection to a query index (tools/lib/catalog/index/search.h) in SQLite's WebAssembly build: its files are the Pages of one file, and it has the functions
 * that the query engine adds to SQLite (tools/odp-gateway/service/queries/engine/functions.c). */
import { DecimalSum } from "./decimals.js";
import { meetsBox, readGpb } from "./geometry.js";
import { compareDecimals } from "../table.js";
import { OverBudget } from "./pages.js";
import { foldCase, likeTest } from "./patterns.js";
import { compareBytes } from "./values.js";

const VFS = "odp";

/* SQLite, by the package's INIT, of the bytes of sqlite3.wasm. Its own file systems stay off; failures are thrown, so nothing is said besides. */
export function startSqlite(init, wasmBinary) {
    const quiet = () => undefined;
    globalThis.sqlite3ApiConfig = {
        disable: { vfs: { kvvfs: true, opfs: true, "opfs-vfs": true, "opfs-wl": true, "opfs-sahpool": true } },
        debug: quiet, log: quiet, warn: quiet, error: quiet,
    };
    return init({ wasmBinary, locateFile: (name) => name });
}

/* The file that is opened; SQLite's pointer of it. */
function makeVfs(sqlite3, pages) {
    const { capi, wasm } = sqlite3;
    const io = new capi.sqlite3_io_methods();
    const vfs = new capi.sqlite3_vfs();
    const ok = () => capi.SQLITE_OK;
    const readonly = () => capi.SQLITE_READONLY;
    const io_methods = {
        xClose: ok,
        xRead: (file, into, n, from) => {
            try {
                return pages.read(Number(from), wasm.heap8u().subarray(Number(into), Number(into) + n)) ? capi.SQLITE_OK : capi.SQLITE_IOERR_SHORT_READ;
            } catch (error) {
                pages.fault = error;
                return capi.SQLITE_IOERR;
            }
        },
        xWrite: readonly,
        xTruncate: readonly,
        xSync: ok,
        xFileSize: (file, out) => {
            wasm.poke(out, pages.size, "i64");
            return capi.SQLITE_OK;
        },
        xLock: ok,
        xUnlock: ok,
        xCheckReservedLock: (file, out) => {
            wasm.poke(out, 0, "i32");
            return capi.SQLITE_OK;
        },
        xFileControl: () => capi.SQLITE_NOTFOUND,
        xSectorSize: () => pages.page,
        xDeviceCharacteristics: () => capi.SQLITE_IOCAP_IMMUTABLE,
    };
    io.$iVersion = 1;
    vfs.$iVersion = 1;
    vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
    vfs.$mxPathname = 64;
    vfs.$zName = wasm.allocCString(VFS);
    const vfs_methods = {
        xOpen: (self, name, file, flags, out) => {
            if ((flags & capi.SQLITE_OPEN_MAIN_DB) === 0)
                return capi.SQLITE_CANTOPEN;
            const opened = new capi.sqlite3_file(file);
            opened.$pMethods = io.pointer;
            opened.dispose();
            wasm.poke(out, flags, "i32");
            return capi.SQLITE_OK;
        },
        xDelete: readonly,
        xAccess: (self, name, flags, out) => {
            wasm.poke(out, 0, "i32");
            return capi.SQLITE_OK;
        },
        xFullPathname: (self, name, n, out) => (wasm.cstrncpy(out, name, n) < n ? capi.SQLITE_OK : capi.SQLITE_CANTOPEN),
        xGetLastError: () => 0,
        xRandomness: (self, n) => n,
        xSleep: () => 0,
        xCurrentTime: (self, out) => {
            wasm.poke(out, 2440587.5, "double");
            return capi.SQLITE_OK;
        },
    };
    sqlite3.vfs.installVfs({ io: { struct: io, methods: io_methods }, vfs: { struct: vfs, methods: vfs_methods } });
}

/* ---- functions ---- */

const decoder = new TextDecoder();

/* The decimal of a value of the index: a number, or the text of one that no number is. */
const decimalOf = (value) => (value instanceof Uint8Array ? decoder.decode(value) : String(value));

/* Bytes in the order of decimals: sign, magnitude (0.1 <= digits * 10^-magnitude < 1), digits; of negative ones the complement. */
export function orderOf(text) {
    const [, minus, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
    const all = whole + fraction;
    const digits = all.replace(/^0+/, "");
    const short = digits.replace(/0+$/, "");
    if (short === "")
        return Uint8Array.of(1);
    const magnitude = digits.length - fraction.length + Number(exponent) + (1 << 30);
    const body = [24, 16, 8, 0].map((shift) => (magnitude >>> shift) & 255).concat(Array.from(short, (c) => c.charCodeAt(0)));
    return Uint8Array.from(minus ? [0, ...body.map((byte) => ~byte & 255), 255] : [2, ...body]);
}

/* Kept as long as the statement's pattern is the same. */
function remembered(make) {
    let [last, made] = [null, null];
    return (key) => {
        if (key !== last)
            [last, made] = [key, make(key)];
        return made;
    };
}

/* Of two values of a column that SQLite has as numbers, as texts of decimals, or as instants. */
function compareStored(a, b) {
    if (typeof a === "string")
        return compareBytes(a, b);
    return typeof a === "number" && typeof b === "number" ? a - b : compareDecimals(decimalOf(a), decimalOf(b));
}

/* An aggregate function: STEP(state, value, …) where there is a value, END(state). */
function addAggregate(db, name, arity, make, step, end) {
    const states = new Map();
    const stateOf = (ctx) => {
        const key = db.odpContext(ctx);
        if (!states.has(key))
            states.set(key, make());
        return states.get(key);
    };
    db.createFunction({
        name,
        arity,
        deterministic: true,
        xStep: (ctx, value, ...more) => {
            if (value !== null)
                step(stateOf(ctx), value, ...more);
        },
        xFinal: (ctx) => {
            const state = stateOf(ctx);
            states.delete(db.odpContext(ctx));
            return end(state);
        },
    });
}

function addFunctions(db) {
    const likes = remembered(likeTest);
    const boxes = remembered(JSON.parse);
    const plain = { deterministic: true };
    db.createFunction("odp_like", (ctx, text, pattern) => (text === null ? null : likes(pattern)(text) ? 1 : 0), { arity: 2, ...plain });
    db.createFunction("odp_casei", (ctx, text) => (text === null ? null : foldCase(text)), { arity: 1, ...plain });
    db.createFunction("odp_order", (ctx, value) => (value === null ? null : orderOf(decimalOf(value))), { arity: 1, ...plain });
    db.createFunction("odp_box", (ctx, shape, box) => (shape === null ? null : meetsBox(readGpb(shape), boxes(box)) ? 1 : 0), { arity: 2, ...plain });
    /* odp_sum(value, scale): SCALE is the column's decimals for an average, "" for a sum. */
    addAggregate(db, "odp_sum", 2, () => new DecimalSum(), (sum, value, scale) => {
        sum.scale = scale;
        sum.add(decimalOf(value));
    }, (sum) => (sum.scale === "" ? sum.text() : sum.average(Number(sum.scale))));
    /* odp_first(value, fid, sign): the first record with the least (-1) or greatest (1) value; min() and max() take any of equal ones. */
    addAggregate(db, "odp_first", 3, () => ({ fid: null }), (best, value, fid, sign) => {
        const order = best.fid === null ? 1 : sign * compareStored(value, best.value);
        if (order > 0 || (order === 0 && fid < best.fid))
            Object.assign(best, { value, fid });
    }, (best) => best.fid);
}

/* ---- the connection ---- */

export class Connection {
    /* SQLITE3: what the package's init() resolves to. */
    constructor(sqlite3, pages) {
        this.pages = pages;
        makeVfs(sqlite3, pages);
        this.db = new sqlite3.oo1.DB({ filename: "index", flags: "r", vfs: VFS });
        this.db.odpContext = (ctx) => String(sqlite3.capi.sqlite3_aggregate_context(ctx, 1));
        this.db.exec("PRAGMA query_only=1; PRAGMA temp_store=2; PRAGMA cache_size=-8192");
        addFunctions(this.db);
    }

    /* The rows of SQL with VALUES bound; VISIT(row) where not all are wanted at once. Throws OverBudget where that would cost more than pages.budget. */
    rows(sql, values = [], visit) {
        const rows = [];
        let statement = null;
        try {
            statement = this.db.prepare(sql);
            if (values.length > 0)
                statement.bind(values);
            while (statement.step())
                (visit || ((row) => rows.push(row)))(statement.get([]));
            return rows;
        } catch (error) {
            const fault = this.pages.fault;
            this.pages.fault = undefined;
            throw fault instanceof Error ? fault : error;
        } finally {
            if (statement !== null)
                statement.finalize();
        }
    }

    one(sql, values) {
        const rows = this.rows(sql, values);
        return rows.length === 0 ? null : rows[0][0];
    }

    /* RUN() with at most BYTES to be moved; null where that is not enough. */
    within(bytes, run) {
        const before = this.pages.budget;
        this.pages.budget = Math.min(before, bytes);
        const had = this.pages.budget;
        try {
            return run();
        } catch (error) {
            if (!(error instanceof OverBudget))
                throw error;
            return null;
        } finally {
            this.pages.budget = before - (had - this.pages.budget);
        }
    }
}
