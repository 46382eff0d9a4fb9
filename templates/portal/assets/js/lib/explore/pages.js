/* A file on a server, read in parts as SQLite wants them: synchronously, in pieces of the file's own pages, which are kept. What follows what was read is fetched
 * ahead, in growing runs; what is known to be wanted soon comes side by side (want()). A server without ranges sends the whole file, once, with progress. */

const KEPT = 64 << 20; /* bytes of pages; what was used longest ago goes */
const AHEAD = 1 << 20; /* the longest run */
const RUNS = 6; /* places that are read on from, at the same time */
const SIDE_BY_SIDE = 16;

export class OverBudget extends Error {}

/* RANGE(from, to) -> Uint8Array of the bytes from FROM up to TO; fetchRange the same as a promise. SIZE of the file and of its PAGEs, in bytes. */
export class Pages {
    constructor({ size, page, range, fetchRange }) {
        Object.assign(this, { size, page, range, fetchRange });
        this.kept = new Map(); /* by number, used last at the end */
        this.runs = []; /* {next, length}, in pages; used last at the end */
        this.whole = null; /* all bytes, once they are here */
        this.moved = 0;
        this.requests = 0;
        this.budget = Infinity; /* of bytes that may still be moved */
        this.over = false;
    }

    /* ---- what is here ---- */

    keep(first, bytes) {
        for (let at = 0; at < bytes.length; at += this.page)
            this.kept.set(first + at / this.page, bytes.subarray(at, at + this.page));
        while (this.kept.size * this.page > KEPT)
            this.kept.delete(this.kept.keys().next().value);
    }

    use(number) {
        const found = this.kept.get(number);
        if (found !== undefined) {
            this.kept.delete(number);
            this.kept.set(number, found);
        }
        return found;
    }

    spend(bytes) {
        if (bytes > this.budget) {
            this.over = true;
            throw new OverBudget();
        }
        this.budget -= bytes;
        this.moved += bytes;
        this.requests++;
    }

    edge(number) {
        return Math.min(number * this.page, this.size);
    }

    /* ---- reading ---- */

    /* How many pages to fetch from NUMBER on: twice as many as last time where a run goes on. */
    length(number) {
        const i = this.runs.findIndex((run) => run.next === number);
        const run = i < 0 ? { length: 0 } : this.runs.splice(i, 1)[0];
        run.length = Math.max(1, Math.min(run.length * 2, AHEAD / this.page));
        let n = 1;
        while (n < run.length && (number + n) * this.page < this.size && !this.kept.has(number + n))
            n++;
        run.next = number + n;
        this.runs.push(run);
        if (this.runs.length > RUNS)
            this.runs.shift();
        return n;
    }

    fetch(number) {
        const to = this.edge(number + this.length(number));
        const from = this.edge(number);
        this.spend(to - from);
        this.keep(number, this.range(from, to));
    }

    at(number) {
        if (!this.kept.has(number))
            this.fetch(number);
        return this.use(number);
    }

    /* Bytes FROM … FROM + INTO.length into INTO; behind the end zeros. False: not all were there. */
    read(from, into) {
        if (this.whole !== null) {
            into.set(this.whole.subarray(from, Math.min(from + into.length, this.size)));
        } else {
            for (let at = 0; at < into.length && from + at < this.size;) {
                const number = Math.floor((from + at) / this.page);
                const skip = from + at - number * this.page;
                const part = this.at(number).subarray(skip, skip + into.length - at);
                into.set(part, at);
                at += part.length;
            }
        }
        const there = Math.max(0, Math.min(into.length, this.size - from));
        into.fill(0, there);
        return there === into.length;
    }

    /* Pages that will be read, by number: those that are missing are fetched side by side, neighbours at once. */
    async want(numbers) {
        const missing = Array.from(new Set(numbers)).filter((number) => this.whole === null && !this.kept.has(number)).sort((a, b) => a - b);
        const runs = [];
        for (const number of missing) {
            const last = runs[runs.length - 1];
            if (last !== undefined && last.to === number)
                last.to++;
            else
                runs.push({ from: number, to: number + 1 });
        }
        const next = async () => {
            for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
                const [from, to] = [this.edge(run.from), this.edge(run.to)];
                this.spend(to - from);
                this.keep(run.from, await this.fetchRange(from, to));
            }
        };
        await Promise.all(Array.from({ length: SIDE_BY_SIDE }, next));
    }
}

/* ---- a server ---- */

function checked(bytes, from, to) {
    if (bytes.length !== to - from)
        throw new Error(`${bytes.length} bytes for ${from}-${to}`);
    return bytes;
}

/* As a worker may: without giving way. */
function rangeOf(address) {
    return (from, to) => {
        const request = new XMLHttpRequest();
        request.open("GET", address, false);
        request.responseType = "arraybuffer";
        request.setRequestHeader("Range", `bytes=${from}-${to - 1}`);
        request.send();
        if (request.status !== 206)
            throw new Error(`${request.status} ${address}`);
        return checked(new Uint8Array(request.response), from, to);
    };
}

function fetchRangeOf(address) {
    return async (from, to) => {
        const answer = await fetch(address, { headers: { Range: `bytes=${from}-${to - 1}` } });
        if (answer.status !== 206)
            throw new Error(`${answer.status} ${address}`);
        return checked(new Uint8Array(await answer.arrayBuffer()), from, to);
    };
}

/* All bytes of ANSWER, with PROGRESS(read, total). */
async function readAll(answer, total, progress) {
    const bytes = new Uint8Array(total);
    const reader = answer.body.getReader();
    let read = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            break;
        if (read + value.length > total)
            throw new Error(`more than ${total} bytes`);
        bytes.set(value, read);
        read += value.length;
        progress(read, total);
    }
    return checked(bytes.subarray(0, read), 0, total);
}

const HEAD = 65536; /* the schema and what is near it */

/* The SQLite file at ADDRESS, of TOTAL bytes. */
export async function openPages(address, total, progress) {
    const answer = await fetch(address, { headers: { Range: `bytes=0-${Math.min(HEAD, total) - 1}` } });
    if (!answer.ok)
        throw new Error(`${answer.status} ${address}`);
    const partial = answer.status === 206;
    const bytes = partial ? checked(new Uint8Array(await answer.arrayBuffer()), 0, Math.min(HEAD, total)) : await readAll(answer, total, progress);
    const page = (bytes[16] << 8) | bytes[17];
    const pages = new Pages({ size: total, page: page === 1 ? 65536 : page, range: rangeOf(address), fetchRange: fetchRangeOf(address) });
    if (partial)
        pages.keep(0, bytes);
    else
        pages.whole = bytes;
    pages.moved = bytes.length;
    pages.load = async (tell) => {
        const all = await fetch(address);
        if (!all.ok)
            throw new Error(`${all.status} ${address}`);
        pages.whole = await readAll(all, total, tell);
        pages.kept.clear();
    };
    return pages;
}

/* ---- SQLite's B-trees: where a table's records lie ---- */

const u16 = (page, at) => (page[at] << 8) | page[at + 1];
const u32 = (page, at) => u16(page, at) * 65536 + u16(page, at + 2);

/* The integer of 1 to 9 bytes at AT. */
function varint(page, at) {
    let value = 0;
    for (let i = 0; i < 8; i++) {
        value = value * 128 + (page[at + i] & 127);
        if (page[at + i] < 128)
            return value;
    }
    return value * 256 + page[at + 8];
}

/* The child of interior PAGE with the record FID, from 1. */
function childOf(page, fid) {
    let [low, high] = [0, u16(page, 3)];
    while (low < high) {
        const mid = (low + high) >> 1;
        const cell = u16(page, 12 + 2 * mid);
        if (varint(page, cell + 4) < fid)
            low = mid + 1;
        else
            high = mid;
    }
    return low === u16(page, 3) ? u32(page, 8) : u32(page, u16(page, 12 + 2 * low));
}

/* Fetches what leads to the records FIDS of the table whose root is page ROOT (from 1), level by level, and their leaves. */
export async function wantRecords(pages, root, fids) {
    let at = fids.map((fid) => ({ fid, page: root - 1 }));
    while (at.length > 0) {
        await pages.want(at.map(({ page }) => page));
        at = at.filter(({ page }) => page > 0 && pages.at(page)[0] === 5).map(({ fid, page }) => ({ fid, page: childOf(pages.at(page), fid) - 1 }));
    }
}
