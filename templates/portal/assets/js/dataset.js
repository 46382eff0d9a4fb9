/* A dataset's page: the plain table of first records becomes one that sorts, filters and pages; the map's picture becomes a map. Both are loaded when they come
 * into view, or when the reader asks where data are saved; without them the page says the same.
 *
 * The table opens with preview.json, the first records. What is sorted, filtered or searched are all records: the first time that somebody asks for it, or turns
 * to a page behind the first records, a published file is read. Where that cannot be, the controls say how many records they are about, and where all are. */
import { el } from "./lib/dom.js";
import { loadMap } from "./lib/lazy.js";
import { readRecords } from "./lib/records.js";
import { makeTable } from "./lib/table.js";
import { say } from "./lib/words.js";

const lang = document.documentElement.lang;
const saving = Boolean(navigator.connection && navigator.connection.saveData);
const number = (n) => new Intl.NumberFormat(lang).format(n);
const SIZES = [10, 25, 50, 100];

/* RUN once, when ELEMENT comes near the screen; not at all where data are saved. */
function whenSeen(element, run) {
    if (saving || !("IntersectionObserver" in window))
        return;
    const observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
            observer.disconnect();
            run();
        }
    }, { rootMargin: "100px" });
    observer.observe(element);
}

async function fetchText(address) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(String(answer.status));
    return answer.text();
}

const fetchJson = async (address) => JSON.parse(await fetchText(address));

/* ---- the table ---- */

/* Only addresses of the web and documents of this version are links. */
function hrefOf(field, value) {
    if (field.folder !== undefined)
        return field.folder + value.split("/").map(encodeURIComponent).join("/");
    return field.uri && /^https?:\/\//.test(value) ? value : null;
}

/* How far a table's records are here. PART: the others are read when they are wanted; FIRST: they stay where they are, there are too many; FAILED: for now. */
const ALL = "all", PART = "part", LOADING = "loading", FAILED = "failed", FIRST = "first";

/* A link to the file with all records; nothing where there is none. */
function wholeLink(config) {
    const whole = config.whole;
    return whole ? el("a", { href: whole.href, download: true }, say("ds_t_whole", { name: whole.name, size: whole.size })) : null;
}

class RecordTable {
    constructor(box, config, preview) {
        this.box = box;
        this.config = config;
        this.preview = preview;
        this.records = preview.rows;
        this.state = preview.rows.length === preview.total ? ALL : config.whole && config.whole.kind ? PART : FIRST;
        this.table = makeTable(config, lang, { yes: say("ds_t_yes"), no: say("ds_t_no") });
        this.sort = { column: -1, direction: 1 };
        this.page = 0;
        this.size = SIZES[0];
        this.filters = this.table.fields.map(() => null);
        this.search = null;
        this.wrap = box.querySelector(".table-wrap");
        this.element = box.querySelector("table");
        this.caption = this.element.querySelector("caption");
        this.build();
        this.update();
    }

    build() {
        const id = this.caption.id;
        this.status = el("p", { role: "status", class: "small muted" });
        this.coverage = el("p", { class: "cluster small", hidden: true });
        this.label = el("label", { for: `${id}-cari` });
        this.toggle = el("button", { type: "button", class: "button-secondary button-small", "aria-expanded": "false", "aria-controls": `${id}-saring`, click: () => this.toggleFilters() },
            say("ds_t_filters"));
        this.clear = el("button", { type: "button", class: "button-secondary button-small", hidden: true, click: () => this.reset() }, say("ds_t_reset"));
        this.input = el("input", { type: "search", id: `${id}-cari`, input: () => {
            this.search = this.table.search(this.input.value);
            this.changed();
        } });
        const tools = el("div", { class: "ds-tools" },
            el("div", { class: "field" }, this.label, this.input),
            el("div", { class: "cluster" }, this.toggle, this.clear));
        this.wrap.before(tools);
        this.element.tHead.replaceChildren(this.makeHead(), this.makeFilters(`${id}-saring`));
        this.box.querySelector(".ds-first").remove();
        this.help = el("p", { class: "small muted", hidden: true, id: `${id}-bantuan` }, say("ds_t_filter_help"));
        tools.after(this.help);
        this.wrap.after(this.makePager());
        this.wrap.before(this.status, this.coverage);
        this.tell();
        const left = this.button === document.activeElement; /* who is on the button goes on where it has led */
        this.button.remove();
        if (left)
            this.input.focus();
    }

    get button() {
        return this.box.querySelector("[data-table-open]") || el("span");
    }

    makeHead() {
        const cells = this.table.fields.map((field, i) => el("th", { scope: "col", class: this.table.isNumber(i) ? "number" : null },
            el("button", { type: "button", class: "ds-sort", click: () => this.sortBy(i) }, field.title),
            field.unit ? el("span", { class: "muted" }, ` (${field.unit})`) : null));
        if (this.config.report)
            cells.push(el("th", { scope: "col" }, say("ds_t_report_head")));
        this.heads = cells;
        return el("tr", null, ...cells);
    }

    makeFilters(id) {
        this.inputs = this.table.fields.map((field, i) => {
            const attributes = { "aria-label": say("ds_t_filter", { title: field.title }), class: "ds-filter" };
            if (field.labels !== undefined) {
                return el("select", { ...attributes, change: (event) => this.setFilter(i, this.table.choice(i, event.target.value)) },
                    el("option", { value: "" }, say("ds_t_all")), ...Object.entries(field.labels).map(([value, label]) => el("option", { value }, label)));
            }
            return el("input", { ...attributes, type: "text", autocomplete: "off", placeholder: this.table.isNumber(i) ? ">…" : null,
                "aria-describedby": this.table.isOrdered(i) ? `${id.replace(/-saring$/, "")}-bantuan` : null,
                input: (event) => this.setFilter(i, this.table.filter(i, event.target.value)) });
        });
        const cells = this.inputs.map((input) => el("td", null, input));
        if (this.config.report)
            cells.push(el("td", null));
        this.filterRow = el("tr", { id, class: "ds-filters", hidden: true }, ...cells);
        return this.filterRow;
    }

    makePager() {
        const step = (word, by) => el("button", { type: "button", class: "button-secondary button-small", click: () => this.turn(by) }, say(word));
        this.before = step("ds_t_previous", -1);
        this.after = step("ds_t_next", 1);
        this.where = el("span");
        const id = `${this.caption.id}-ukuran`;
        const size = el("select", { id, change: (event) => {
            this.size = Number(event.target.value);
            this.page = 0;
            this.update();
        } }, ...SIZES.map((n) => el("option", { value: n }, String(n))));
        return el("div", { class: "cluster ds-pager" }, this.before, this.where, this.after, el("label", { for: id, class: "small" }, say("ds_t_size")), size);
    }

    setFilter(i, filter) {
        this.filters[i] = filter;
        this.changed();
    }

    toggleFilters() {
        const open = this.filterRow.hidden;
        this.filterRow.hidden = !open;
        this.help.hidden = !open;
        this.toggle.setAttribute("aria-expanded", String(open));
    }

    reset() {
        this.filters.fill(null);
        this.search = null;
        this.input.value = "";
        this.inputs.forEach((input) => {
            input.value = "";
        });
        this.input.focus();
        this.changed();
    }

    /* Up, down, and as it was. */
    sortBy(i) {
        const { column, direction } = this.sort;
        this.sort = column !== i ? { column: i, direction: 1 } : direction === 1 ? { column: i, direction: -1 } : { column: -1, direction: 1 };
        this.changed();
    }

    changed() {
        this.page = 0;
        this.update();
    }

    turn(by) {
        this.page = Math.min(this.pages() - 1, Math.max(0, this.page + by));
        this.update();
    }

    /* What is asked of a row. */
    tests() {
        return this.filters.map((filter, i) => (filter === null ? null : (row) => filter(row[i]))).concat(this.search).filter(Boolean);
    }

    /* Where nothing is asked the records behind those that are here count, too. */
    pages() {
        const n = this.isBare() && (this.state === PART || this.state === LOADING) ? this.preview.total : this.rows.length;
        return Math.max(1, Math.ceil(n / this.size));
    }

    isBare() {
        return this.sort.column < 0 && this.tests().length === 0;
    }

    /* Nothing is drawn of a part where all are asked for: what would stand there would be wrong. */
    update() {
        const wanted = !this.isBare() || (this.page + 1) * this.size > this.records.length;
        if (wanted && this.state === PART)
            this.load();
        if (wanted && this.state === LOADING)
            return;
        const { column, direction } = this.sort;
        const tests = this.tests();
        const rows = this.records.filter((row) => tests.every((test) => test(row)));
        this.rows = column < 0 ? rows : this.table.sorted(rows, column, direction);
        this.page = Math.min(this.page, this.pages() - 1);
        this.heads.slice(0, this.table.fields.length).forEach((head, i) => {
            if (i === column)
                head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
            else
                head.removeAttribute("aria-sort");
        });
        this.clear.hidden = tests.length === 0;
        this.draw(tests.length > 0);
    }

    async load() {
        const whole = this.config.whole;
        this.state = LOADING;
        this.tell();
        this.status.textContent = say("ds_t_loading", { total: number(this.preview.total), name: whole.name, size: whole.size });
        try {
            this.records = readRecords(await fetchText(whole.href), whole.kind, this.preview);
            this.state = ALL;
        } catch (error) {
            this.state = FAILED;
        }
        this.tell();
        this.update();
    }

    /* How many records the controls are about. */
    tell() {
        const part = this.state === FAILED || this.state === FIRST;
        const numbers = { shown: number(this.records.length), total: number(this.preview.total) };
        this.element.setAttribute("aria-busy", String(this.state === LOADING));
        this.label.textContent = part ? say("ds_t_search_part", numbers) : say("ds_t_search");
        this.heads.slice(0, this.table.fields.length).forEach((head, i) => {
            head.querySelector("button").title = say(part ? "ds_t_sort_part" : "ds_t_sort", { title: this.table.fields[i].title, ...numbers });
        });
        this.status.classList.toggle("muted", !part);
        this.coverage.hidden = !part;
        const again = () => el("button", { type: "button", class: "button-secondary button-small", click: () => this.again() }, say("ds_t_again"));
        this.coverage.replaceChildren(...[part && wholeLink(this.config), this.state === FAILED && again()].filter(Boolean));
    }

    /* Who pressed the button that goes is on the search field then, as its neighbour. */
    again() {
        this.state = PART;
        this.input.focus({ preventScroll: true });
        this.load();
    }

    draw(filtered) {
        const from = this.page * this.size;
        const rows = this.rows.slice(from, from + this.size);
        const pages = this.pages();
        const columns = this.table.fields.length + (this.config.report ? 1 : 0);
        const here = { count: number(this.rows.length), shown: number(this.records.length), total: number(this.preview.total) };
        const part = { [FAILED]: "ds_t_failed_part", [FIRST]: "ds_t_first" }[this.state];
        this.element.tBodies[0].replaceChildren(...(rows.length > 0 ? rows.map((row) => this.makeRow(row))
            : [el("tr", null, el("td", { colspan: columns }, say(part ? "ds_t_none_part" : "ds_t_none", here)))]));
        this.where.textContent = say("ds_t_page", { page: number(this.page + 1), pages: number(pages) });
        this.before.setAttribute("aria-disabled", String(this.page === 0));
        this.after.setAttribute("aria-disabled", String(this.page === pages - 1));
        if (this.state !== LOADING)
            this.status.textContent = [filtered ? say("ds_t_matches", here) : part ? "" : say("ds_t_count", here), part ? say(part, here) : ""].filter(Boolean).join(" ");
    }

    makeRow(row) {
        const cells = row.map((value, i) => {
            const text = this.table.shown(i, value);
            const name = this.table.isKey(i) ? "th" : "td";
            const attributes = { scope: name === "th" ? "row" : null, class: this.table.isNumber(i) ? "number" : null };
            if (value === null)
                return el(name, attributes, el("span", { class: "muted", "aria-hidden": "true" }, "–"), el("span", { class: "visually-hidden" }, say("ds_t_empty")));
            const href = hrefOf(this.table.fields[i], value);
            return el(name, attributes, href === null ? text : el("a", { href }, text));
        });
        if (this.config.report) {
            const key = this.table.key(row);
            const href = this.config.report.split("@KEY@").join(encodeURIComponent(key || "—"));
            cells.push(el("td", null, el("a", { href, "aria-label": say("ds_t_report_row", { key }) }, say("ds_t_report"))));
        }
        return el("tr", null, ...cells);
    }
}

function setUpTable(box) {
    const config = JSON.parse(box.querySelector("script").textContent);
    config.report = box.dataset.report;
    let state = "plain";
    const open = async () => {
        if (state !== "plain")
            return;
        state = "loading";
        try {
            new RecordTable(box, config, await fetchJson(box.dataset.src));
            state = "open";
        } catch (error) {
            state = "plain";
            const rows = box.querySelectorAll("tbody tr").length;
            message.replaceChildren(say("ds_t_failed", { shown: number(rows), total: number(config.total) }), " ", wholeLink(config) || "");
        }
    };
    const message = el("span", { role: "status", class: "small" });
    box.querySelector(".table-wrap").before(el("p", { "data-table-open": true, class: "cluster" },
        el("button", { type: "button", class: "button-secondary button-small", click: open }, say("ds_t_interactive")), message));
    whenSeen(box, open);
}

/* ---- the map ---- */

function setUpMap(box) {
    const button = document.querySelector(`[data-map-open="${CSS.escape(box.id)}"]`);
    const status = button ? button.parentElement.querySelector("[role=status]") : el("span");
    let loading = false;
    const open = async () => {
        if (loading)
            return;
        loading = true;
        status.textContent = say("ds_t_map_loading");
        try {
            const [odpMap, places] = await Promise.all([loadMap(box), fetchJson(box.dataset.src)]);
            odpMap.show(box, places, { title: box.dataset.title });
            if (button)
                button.remove();
            status.textContent = "";
        } catch (error) {
            loading = false;
            status.textContent = say("ds_t_map_failed");
        }
    };
    if (button)
        button.addEventListener("click", open);
    whenSeen(box, open);
}

document.querySelectorAll(".ds-table[data-src]").forEach(setUpTable);
document.querySelectorAll(".ds-map[data-src]").forEach(setUpMap);
