/* A table over any number of records, of which only those in sight are elements (WAI-ARIA grid pattern). One stop of Tab; arrows, Page, Home and End move; Enter
 * on a head sorts, on a cell opens the record.
 *
 * Browsers limit the height of an element. Where all rows would be higher, the bar scrolls a share of the way, and small movements are those of the rows. */
import { el } from "../dom.js";

const OVER = 8; /* rows drawn above and below those in sight */
const HIGHEST = 8000000; /* pixels */

export class Grid {
    /* BOX: the element that scrolls. HANDLERS: {sort(column, more), open(i)}. */
    constructor(box, handlers) {
        this.box = box;
        this.handlers = handlers;
        this.columns = [];
        this.source = { length: 0, row: () => undefined, want() {} };
        this.at = { row: 0, column: 0 };
        this.rows = new Map(); /* by number: elements in the page */
        this.top = 0;
        this.last = 0;
        this.head = el("div", { role: "row", class: "ex-row ex-head", "aria-rowindex": "1" });
        this.body = el("div", { role: "rowgroup", class: "ex-rows" });
        box.replaceChildren(el("div", { role: "rowgroup", class: "ex-heads" }, this.head), this.body);
        box.setAttribute("role", "grid");
        box.addEventListener("scroll", () => this.scrolled(), { passive: true });
        box.addEventListener("keydown", (event) => this.key(event));
        box.addEventListener("click", (event) => this.click(event));
        box.addEventListener("focusin", (event) => this.focused(event));
        new ResizeObserver(() => {
            this.look();
            this.draw();
        }).observe(box);
    }

    get rowHeight() {
        return this.height || (this.height = parseFloat(getComputedStyle(this.box).getPropertyValue("--ex-row")) || 36);
    }

    /* COLUMNS: [{key, title, unit, number, width, order: "ascending" | "descending" | null, about, facts() -> an element at the head or null, cell(value) -> text or [nodes]}]; SOURCE: {length, row(i) -> values or undefined,
     * want(from, to)}, which calls refresh() when rows have come. KEEP: the place that is in sight stays. */
    show(columns, source, label, keep) {
        const focused = this.box.contains(document.activeElement);
        this.columns = columns;
        this.source = source;
        this.box.setAttribute("aria-label", label);
        this.box.setAttribute("aria-colcount", String(columns.length));
        const [first, ...others] = columns.map((column) => `${column.width}px`);
        this.box.style.setProperty("--ex-first", first);
        this.box.style.setProperty("--ex-others", others.join(" ") || "0");
        this.box.style.setProperty("--ex-width", `${columns.reduce((sum, column) => sum + column.width, 0)}px`);
        this.head.replaceChildren(...columns.map((column, i) => this.makeHead(column, i)));
        this.rows.forEach((row) => row.remove());
        this.rows.clear();
        this.at.column = Math.max(0, Math.min(this.at.column, columns.length - 1));
        this.at.row = keep ? Math.min(this.at.row, source.length) : 0;
        this.measure();
        if (!keep)
            this.box.scrollTop = 0;
        this.top = this.last = 0;
        this.look();
        this.scrolled();
        if (focused)
            this.focus();
    }

    /* How high all rows are. */
    measure() {
        this.length = this.source.length;
        this.whole = this.length * this.rowHeight;
        this.real = Math.min(this.whole, HIGHEST);
        this.body.style.height = `${this.real}px`;
        this.box.style.setProperty("--ex-height", `${this.real + (this.headHeight || 58) + 18}px`); /* with the bar below */
        this.box.setAttribute("aria-rowcount", this.source.open ? "-1" : String(this.length + 1));
    }

    makeHead(column, i) {
        return el("div", { role: "columnheader", class: `ex-cell${column.number ? " number" : ""}`, "aria-colindex": i + 1, "aria-sort": column.order, tabindex: "-1", title: column.about || null },
            el("span", { class: "ex-title" }, column.title), column.unit ? el("span", { class: "ex-unit" }, column.unit) : null, column.facts ? column.facts() : null);
    }

    /* ---- what is in sight ---- */

    /* Sizes are asked for here alone: asked between changes, each would be computed anew. */
    look() {
        this.headHeight = this.head.offsetHeight;
        this.viewHeight = Math.max(0, this.box.clientHeight - this.headHeight);
    }

    scrolled() {
        const at = this.box.scrollTop;
        const [most, mostReal] = [Math.max(0, this.whole - this.viewHeight), Math.max(0, this.real - this.viewHeight)];
        const moved = at - this.last;
        if (this.whole <= HIGHEST)
            this.top = at;
        else if (Math.abs(moved) < 2 * this.viewHeight && at > 0 && at < mostReal - 1)
            this.top = Math.max(0, Math.min(most, this.top + moved));
        else
            this.top = mostReal > 0 ? (Math.max(0, Math.min(at, mostReal)) / mostReal) * most : 0;
        this.last = at;
        this.draw();
        if (this.whole > HIGHEST) {
            clearTimeout(this.settling);
            this.settling = setTimeout(() => this.settle(), 200);
        }
    }

    /* The bar is put where it belongs; the rows stay where they are. */
    settle() {
        const [most, mostReal] = [this.whole - this.viewHeight, this.real - this.viewHeight];
        const wanted = Math.round((this.top / most) * mostReal);
        if (Math.abs(wanted - this.box.scrollTop) > 1 && this.top > 0 && this.top < most) {
            this.box.scrollTop = this.last = wanted;
            this.draw();
        }
    }

    draw() {
        const height = this.rowHeight;
        const first = Math.max(0, Math.floor(this.top / height) - OVER);
        const last = Math.min(this.source.length, Math.ceil((this.top + this.viewHeight) / height) + OVER);
        this.source.want(first, last);
        const spare = [];
        const shift = this.whole <= HIGHEST ? 0 : this.box.scrollTop - this.top;
        this.rows.forEach((row, i) => {
            if (i >= first && i < last)
                return;
            if (row.contains(document.activeElement)) {
                this.box.tabIndex = 0; /* the focus waits here until its row comes back */
                this.box.focus({ preventScroll: true });
            }
            this.rows.delete(i);
            spare.push(row);
        });
        let before = null;
        for (let i = last - 1; i >= first; i--) {
            let row = this.rows.get(i);
            if (row === undefined) {
                row = spare.pop() || this.makeRow();
                this.fill(row, i);
                this.body.insertBefore(row, before);
                this.rows.set(i, row);
            }
            if (row.at !== i * height + shift) {
                row.at = i * height + shift;
                row.style.transform = `translateY(${row.at}px)`;
            }
            before = row;
        }
        spare.forEach((row) => row.remove());
        this.mark();
    }

    makeRow() {
        return el("div", { role: "row", class: "ex-row" }, ...this.columns.map((column, k) => el("div", { role: "gridcell", class: `ex-cell${column.number ? " number" : ""}`, "aria-colindex": k + 1, tabindex: "-1" })));
    }

    fill(row, i) {
        const values = this.source.row(i);
        const waits = values === undefined;
        row.number = i;
        row.setAttribute("aria-rowindex", String(i + 2));
        if (row.waits !== waits)
            row.classList.toggle("ex-wait", waits);
        row.waits = waits;
        this.columns.forEach((column, k) => {
            const content = waits ? "…" : column.cell(values[column.index]);
            const cell = row.children[k];
            if (typeof content !== "string")
                cell.replaceChildren(...content);
            else if (cell.firstChild !== null && cell.firstChild === cell.lastChild && cell.firstChild.nodeType === 3)
                cell.firstChild.data = content;
            else
                cell.textContent = content;
        });
    }

    /* Rows have come, perhaps with more behind them. */
    refresh() {
        if (this.length !== this.source.length) {
            this.measure();
            this.draw();
        }
        this.rows.forEach((row, i) => {
            if (row.waits && this.source.row(i) !== undefined) {
                const focused = row.contains(document.activeElement);
                this.fill(row, i);
                if (focused)
                    this.focus();
            }
        });
        this.mark();
    }

    /* ---- where the keyboard is ---- */

    cellAt({ row, column }) {
        const element = row === 0 ? this.head : this.rows.get(row - 1);
        return element === undefined ? null : element.children[column] || null;
    }

    /* One cell is the stop of Tab; where it is out of sight, the box. */
    mark() {
        const cell = this.cellAt(this.at);
        if (this.marked && this.marked !== cell)
            this.marked.tabIndex = -1;
        if (cell !== null)
            cell.tabIndex = 0;
        if (cell !== null && document.activeElement === this.box)
            cell.focus({ preventScroll: true });
        this.box.tabIndex = cell === null ? 0 : -1;
        this.marked = cell;
    }

    focused(event) {
        const cell = event.target.closest(".ex-cell");
        if (cell !== null)
            this.at = { row: cell.parentElement === this.head ? 0 : cell.parentElement.number + 1, column: Array.prototype.indexOf.call(cell.parentElement.children, cell) };
        if (cell !== null)
            this.mark();
    }

    /* The cell where the keyboard is, in sight and with the focus. */
    focus() {
        if (this.at.row > 0)
            this.reveal(this.at.row - 1);
        this.mark();
        const cell = this.cellAt(this.at);
        if (cell === null)
            return;
        this.revealColumn(this.at.column);
        cell.focus({ preventScroll: true });
    }

    /* Column K in sight, beside the first one where that stays. */
    revealColumn(k) {
        const cell = this.head.children[k];
        const first = this.head.firstElementChild;
        const sticky = k > 0 && getComputedStyle(first).position === "sticky" ? first.offsetWidth : 0;
        if (cell.offsetLeft - sticky < this.box.scrollLeft)
            this.box.scrollLeft = cell.offsetLeft - sticky;
        else if (cell.offsetLeft + cell.offsetWidth > this.box.scrollLeft + this.box.clientWidth)
            this.box.scrollLeft = cell.offsetLeft + cell.offsetWidth - this.box.clientWidth;
    }

    /* Row I in sight. */
    reveal(i) {
        const height = this.rowHeight;
        const wanted = Math.min(i * height, Math.max(this.top, (i + 1) * height - this.viewHeight));
        if (wanted === this.top && this.rows.has(i))
            return;
        if (this.whole <= HIGHEST) {
            this.box.scrollTop = wanted;
            this.scrolled();
            return;
        }
        this.top = wanted;
        this.box.scrollTop = this.last = Math.round((wanted / (this.whole - this.viewHeight)) * (this.real - this.viewHeight));
        this.draw();
    }

    key(event) {
        const { row, column } = this.at;
        const page = Math.max(1, Math.floor(this.viewHeight / this.rowHeight) - 1);
        const all = event.ctrlKey || event.metaKey;
        const steps = {
            ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
            PageUp: [Math.max(1, row - page), column], PageDown: [row + page, column], Home: [all ? 1 : row, 0], End: [all ? this.source.length : row, this.columns.length - 1],
        };
        const to = steps[event.key];
        if (event.target.closest("a") && event.key === "Enter")
            return;
        if (event.key === "Enter" || (event.key === " " && row === 0)) {
            event.preventDefault();
            this.act(row, column, event.shiftKey);
        } else if (to !== undefined && !event.altKey) {
            event.preventDefault();
            this.at = { row: Math.max(0, Math.min(to[0], this.source.length)), column: Math.max(0, Math.min(to[1], this.columns.length - 1)) };
            this.focus();
        }
    }

    click(event) {
        const row = event.target.closest(".ex-rows .ex-row");
        if (event.target.closest("a") || String(getSelection()) !== "")
            return;
        this.focused(event);
        if (row !== null)
            this.act(row.number + 1, this.at.column, false);
        else if (event.target.closest(".ex-cell") !== null)
            this.act(0, this.at.column, event.shiftKey);
    }

    act(row, column, more) {
        if (row === 0)
            this.handlers.sort(this.columns[column], more);
        else
            this.handlers.open(row - 1);
    }
}

/* Characters of the shortest line that TITLE fits into twice. */
function halfOf(title) {
    const words = title.split(/\s+/);
    const firsts = words.map((_, i) => Math.max(words.slice(0, i + 1).join(" ").length, words.slice(i + 1).join(" ").length));
    return Math.min(...firsts);
}

/* As wide as its head in two lines, its values and two years below its picture need; SAMPLE: some shown texts. */
export function widthOf(title, unit, sample) {
    const head = Math.max(halfOf(title), (unit || "").length);
    const value = sample.reduce((most, text) => Math.max(most, text.length), 0);
    const most = matchMedia("(max-width: 48rem)").matches ? 220 : 360;
    return Math.round(Math.min(most, Math.max(84, 28 + Math.max(8.9 * head, 8.1 * value))));
}
