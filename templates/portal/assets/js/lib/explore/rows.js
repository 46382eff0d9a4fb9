/* The records of one question, fetched a block at a time as they come into sight. What has been overtaken by scrolling is not asked for. */

const BLOCK = 100;
const KEPT = 60; /* blocks */

export class Rows {
    /* ASK(from, n) resolves to {rows, matched}; FIRST: the answer for the first block; TOLD(error?) when rows have come or could not. Where nobody knows how many
     * there are (matched null), there is one more than are known until the last block has come. */
    constructor(ask, first, told) {
        this.ask = ask;
        this.told = told;
        this.open = first.matched === null;
        this.length = this.open ? this.known(0, first.rows) : first.matched;
        this.blocks = new Map([[0, first.rows]]);
        this.busy = false;
        this.wanted = [0, 0];
    }

    known(from, rows) {
        this.open = this.open && rows.length === BLOCK;
        return from + rows.length + (this.open ? 1 : 0);
    }

    row(i) {
        const block = this.blocks.get(Math.floor(i / BLOCK));
        return block === undefined ? undefined : block[i % BLOCK];
    }

    want(from, to) {
        this.wanted = [from, to];
        if (!this.busy)
            this.fetch();
    }

    missing() {
        for (let b = Math.floor(this.wanted[0] / BLOCK); b * BLOCK < this.wanted[1]; b++)
            if (!this.blocks.has(b))
                return b;
        return -1;
    }

    async fetch() {
        const b = this.missing();
        if (b < 0)
            return;
        this.busy = true;
        try {
            const { rows } = await this.ask(b * BLOCK, BLOCK);
            this.blocks.set(b, rows);
            if (this.open && (b + 1) * BLOCK >= this.length)
                this.length = this.known(b * BLOCK, rows);
            if (this.blocks.size > KEPT)
                this.blocks.delete(this.blocks.keys().next().value);
            this.busy = false;
            this.told();
        } catch (error) {
            this.busy = false;
            this.told(error);
            return;
        }
        this.fetch();
    }
}

export const FIRST = BLOCK;

/* Rows that are all here: groups. */
export const rowsHere = (rows) => ({ length: rows.length, row: (i) => rows[i], want() {} });
