/* The page of all records of a table: what is asked of it is in the address, a worker answers (explore-worker.js), and this draws: table, filters, groups, map, one
 * record, downloads. Until the worker has opened the table the first records stand there, as they do without scripts. */
import { el } from "./lib/dom.js";
import { compareDecimals, decimal } from "./lib/table.js";
import { say } from "./lib/words.js";
import { drawChips } from "./lib/explore/chips.js";
import { Engine, latest } from "./lib/explore/client.js";
import { choose, Facets } from "./lib/explore/facets.js";
import { headFacts } from "./lib/explore/facts.js";
import { Grid, widthOf } from "./lib/explore/grid.js";
import { hrefOf, loadLists, nameOf, shown } from "./lib/explore/names.js";
import { drawGroups } from "./lib/explore/groupchart.js";
import { codePanel, columnsPanel, groupPanel, measureTitle, savePanel } from "./lib/explore/panels.js";
import { drawPaper, saveGroups } from "./lib/explore/paper.js";
import { drawPlaces } from "./lib/explore/places.js";
import { emptyQuestion, fieldOf, hasConditions, readQuestion, shownFields, writeQuestion } from "./lib/explore/question.js";
import { drawRecord, keyOf, partsOfKey } from "./lib/explore/record.js";
import { FIRST, Rows, rowsHere } from "./lib/explore/rows.js";
import { Suggest } from "./lib/explore/suggest.js";
import { isNumber } from "./lib/explore/values.js";

const PANELS = { "jelajah-kelompok": groupPanel, "jelajah-kolom": columnsPanel, "jelajah-unduh": savePanel, "jelajah-kode": codePanel };
const saving = Boolean(navigator.connection && navigator.connection.saveData);
const isGrouped = ({ groupby, aggregate }) => groupby.length > 0 || aggregate.length > 0;
const copyOf = (question) => JSON.parse(JSON.stringify(question));

class Explorer {
    constructor(box, page) {
        this.box = box;
        this.page = page;
        this.root = new URL(page.root, location.href).href;
        const wanted = new URLSearchParams(location.search).get("table");
        this.config = page.tables.find((table) => table.name === wanted) || page.tables[0];
        this.find = (name) => box.querySelector(name);
        this.home = this.find("#jelajah-cari");
        this.static = Array.from(box.querySelectorAll(".ex-static")).find((section) => section.dataset.table === this.config.name);
        this.matched = this.config.total;
        this.widths = new Map();
        this.read();
        this.inSight = this.question;
        this.buttons();
        box.querySelectorAll(".ex-static").forEach((section) => {
            section.hidden = section !== this.static;
        });
        box.querySelectorAll(".ex-tables a").forEach((link) => {
            if (link.dataset.table === this.config.name)
                link.setAttribute("aria-current", "page");
        });
    }

    number(n) {
        return decimal(String(n), this.config.lang);
    }

    get grouped() {
        return isGrouped(this.question);
    }

    /* Which view is there: only groups have a chart. */
    get seen() {
        return this.view === "chart" && !this.grouped ? "table" : this.view;
    }

    /* ---- the address ---- */

    read() {
        const parameters = new URLSearchParams(location.search);
        const { question, left } = readQuestion(parameters, this.config);
        this.question = question;
        this.left = left;
        const view = parameters.get("view");
        this.view = (view === "map" && this.config.geometry) || view === "chart" ? view : "table";
        this.home.value = question.q;
    }

    /* "?…" of what is seen; "" for all records as they are. */
    address() {
        const pairs = writeQuestion(this.question, this.config);
        if (this.config !== this.page.tables[0])
            pairs.push(["table", this.config.name]);
        if (this.view !== "table")
            pairs.push(["view", this.view]);
        const plain = (text) => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%20/g, "+").replace(/'/g, "%27");
        return pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${plain(value)}`).join("&")}`;
    }

    /* EDIT changes a copy of the question, which is asked then. TYPING: no entry of its own in the history. */
    change(edit, { typing = false } = {}) {
        const question = copyOf(this.question);
        edit(question);
        this.question = question;
        this.left = [];
        this.go(typing);
    }

    go(replace) {
        const address = location.pathname + this.address();
        if (address !== location.pathname + location.search)
            history[replace ? "replaceState" : "pushState"](null, "", address);
        this.update();
    }

    clear() {
        this.home.value = "";
        this.change((copy) => Object.assign(copy, { q: "", where: [], bbox: null }));
        this.home.focus();
    }

    choose(field, value) {
        this.home.value = "";
        this.change((copy) => {
            copy.q = "";
            choose(copy, field, [value]);
        });
    }

    empty() {
        return emptyQuestion();
    }

    /* ---- opening ---- */

    async open() {
        const loaded = loadLists(this.config.fields, this.root, this.config.lang);
        this.progress(0, 0);
        try {
            await Promise.all([this.connect(Boolean(this.question.bbox) || this.view === "map"), loaded]);
        } catch (error) {
            this.failed();
            return;
        }
        this.static.hidden = true;
        this.grid = this.grid || this.makeGrid();
        this.facets = new Facets(this.find(".ex-fields"), this);
        this.suggest = new Suggest(this.home, this.find(".ex-suggest"), this);
        this.asked = latest((answer) => this.answered(answer), (error) => this.unanswered(error));
        this.box.classList.add("ex-live");
        this.update();
    }

    /* Where data are saved the table is opened by the first who asks something of it. */
    wait() {
        const open = el("button", { type: "button", class: "button-small", click: () => this.open() }, say("ex_open", { size: this.size((this.config.file || { compressed: 0 }).compressed) }));
        this.find(".ex-status").replaceChildren(open);
    }

    /* SHAPES: with geometry, which is a larger file where the records have a smaller one. The engine that is there answers until the other can. */
    async connect(shapes) {
        const config = shapes && this.config.shapes ? { ...this.config, file: this.config.shapes } : { ...this.config };
        const engine = new Engine(this.root + this.page.assets.worker, ({ read, total }) => this.progress(read, total));
        try {
            await engine.ask("open", { config: { ...config, assets: this.page.assets }, base: this.root });
        } catch (error) {
            engine.close();
            throw error;
        } finally {
            this.opening = null;
            this.find(".ex-progress").hidden = true;
        }
        const before = this.engine;
        this.engine = engine;
        this.shapes = shapes || !this.config.shapes;
        if (before)
            before.close();
    }

    async ask(what, about, shapes) {
        if ((shapes || (about.question && about.question.bbox)) && !this.shapes) {
            this.opening = this.opening || this.connect(true);
            await this.opening;
        }
        const { engine } = this;
        return engine.ask(what, about).catch((error) => {
            if (engine === this.engine)
                throw error;
            return this.ask(what, about, shapes); /* that engine was closed meanwhile */
        });
    }

    progress(read, total) {
        const bar = this.find(".ex-progress");
        bar.hidden = false;
        if (total > 0) {
            bar.value = Math.min(1, read / total);
        } else {
            bar.removeAttribute("value");
        }
        const percent = total > 0 ? `${Math.min(100, Math.round((100 * read) / total))}%` : "";
        const text = say("ex_loading", { total: this.number(this.config.total), percent: "" }).trim();
        if (this.find(".ex-status").dataset.text !== text) { /* told once: a screen reader need not hear each percent */
            this.find(".ex-status").textContent = text;
            this.find(".ex-status").dataset.text = text;
        }
        bar.title = percent;
    }

    failed() {
        this.find(".ex-progress").hidden = true;
        this.find(".ex-status").textContent = "";
        const file = this.config.files.find((one) => one.kind !== "pdf");
        this.notice(true, say("ex_failed"), el("p", { class: "cluster" }, el("button", { type: "button", class: "button-small", click: () => {
            this.find(".ex-notice").hidden = true;
            this.open();
        } }, say("ex_again")), file ? el("a", { href: this.root + file.path, download: true }, say("ex_whole_file", { name: file.file, size: this.size(file.bytes) })) : null));
    }

    size(bytes) {
        return bytes < 1e6 ? `${this.number(Math.max(1, Math.round(bytes / 1e3)))} KB` : `${(bytes / 1e6).toLocaleString(this.config.lang, { maximumFractionDigits: 1 })} MB`;
    }

    notice(error, text, ...more) {
        const box = this.find(".ex-notice");
        box.hidden = false;
        box.replaceChildren(el("div", { class: `notice ${error ? "notice-error" : "notice-warning"}`, role: error ? "alert" : "status" }, el("p", null, text), ...more));
    }

    /* ---- asking ---- */

    update() {
        const { question } = this;
        const other = document.querySelector("a.language"); /* the same in the other language */
        other.search = this.address();
        drawChips(this.find(".ex-chips"), this);
        this.panels();
        this.find(".ex-notice").hidden = true;
        if (this.left.length > 0)
            this.notice(false, say("ex_left", { text: this.left.map(({ what, text, why }) => `${what}=${text} (${say(`ex_left_${why}`)})`).join("; ") }));
        const count = this.find(".ex-count");
        const conditions = question.where.length + (question.bbox ? 1 : 0);
        count.hidden = conditions === 0;
        count.textContent = this.number(conditions);
        this.box.setAttribute("aria-busy", "true");
        this.views();
        this.asked(async () => {
            if (this.grouped) {
                const [groups, { matched }] = await Promise.all([this.ask("groups", { question }), this.ask("count", { question })]);
                return { question, groups, matched };
            }
            const first = await this.ask("rows", { question: { ...question, properties: [] }, from: 0, n: FIRST });
            return { question, first, matched: first.matched };
        });
        this.facets.update();
    }

    views() {
        const there = { table: true, map: Boolean(this.config.geometry), chart: this.grouped };
        this.find(".ex-views").hidden = !there.map && !there.chart;
        this.box.querySelectorAll("[data-view]").forEach((button) => {
            button.hidden = !there[button.dataset.view];
            button.setAttribute("aria-pressed", String(button.dataset.view === this.seen));
        });
    }

    answered(answer) {
        const { question, matched } = answer;
        this.inSight = question;
        this.box.setAttribute("aria-busy", "false");
        this.matched = matched;
        const values = { matched: this.number(matched === null ? FIRST : matched), total: this.number(this.config.total) };
        if (answer.groups) {
            this.showGroups(answer.groups);
            this.status(say("ex_groups", { ...values, groups: this.number(answer.groups.rows.length) }));
        } else {
            this.showRecords(question, answer.first);
            this.status(this.told(question, answer.first, values));
        }
        this.find(".ex-grid").hidden = this.seen !== "table" || matched === 0;
        this.find(".ex-chart").hidden = this.seen !== "chart" || matched === 0;
        if (matched === 0 && this.left.length === 0)
            this.notice(false, say("ex_none_help"), el("p", null, el("button", { type: "button", class: "button-secondary button-small", click: () => this.clear() }, say("ex_reset"))));
        drawPlaces(this);
        this.panels("jelajah-unduh");
        this.closeRecord();
        this.openLinked();
    }

    /* #rekaman=<key>: a link to one record, once; whatever the table shows. */
    async openLinked() {
        const { config } = this;
        const [, text] = /^#rekaman=(.+)$/.exec(location.hash) || [];
        if (text === undefined || text === this.linked || config.key.length === 0)
            return;
        this.linked = text;
        let parts = [];
        try {
            parts = partsOfKey(config, decodeURIComponent(text));
        } catch (error) {
            return; /* no address of ours */
        }
        const question = emptyQuestion();
        config.key.forEach((name, k) => choose(question, fieldOf(config, name), [parts[k]]));
        const { rows } = await this.ask("rows", { question, from: 0, n: 1 });
        if (rows.length > 0)
            this.drawRecord(0, 1, rows[0]);
    }

    /* Of a large table nobody may know how many match. */
    told(question, { rows, matched }, values) {
        if (matched === 0 || rows.length === 0)
            return say("ex_none");
        if (matched === null)
            return rows.length < FIRST ? say("ex_matched", { ...values, matched: this.number(rows.length) }) : say("ex_many", values);
        return say(hasConditions(question) ? "ex_matched" : "ex_all", values);
    }

    unanswered(error) {
        this.box.setAttribute("aria-busy", "false");
        this.status("");
        if (error.kind === "whole")
            this.notice(false, say("ex_whole"), el("p", null, this.loader()));
        else
            this.notice(true, error.kind === "groups" ? say("ex_too_many") : say("ex_failed_ask", { why: error.message }));
    }

    /* Of a large table only parts are here; with all of it every question has its answer. */
    loader() {
        return el("button", { type: "button", class: "button-small", click: () => this.load() }, say("ex_load", { size: this.size(this.config.index.bytes) }));
    }

    async load() {
        this.find(".ex-notice").hidden = true;
        this.progress(0, this.config.index.bytes);
        try {
            await this.engine.ask("load", {});
            this.find(".ex-progress").hidden = true;
            delete this.find(".ex-status").dataset.text;
            this.update();
        } catch (error) {
            this.failed();
        }
    }

    status(text) {
        const { sortby } = this.question;
        const key = sortby[0];
        const column = key && this.columns.find((one) => one.key === key.field);
        const order = column ? ` ${say(key.desc ? "ex_sorted_down" : "ex_sorted_up", { title: column.title })}` : "";
        const status = this.find(".ex-status");
        status.replaceChildren(el("strong", null, text), el("span", { class: "muted" }, order));
    }

    /* ---- the table ---- */

    makeGrid() {
        const box = el("div", { class: "ex-grid", hidden: true });
        this.find(".ex-box").append(box, el("div", { class: "ex-chart", hidden: true }));
        return new Grid(box, { sort: (column, more) => this.sort(column, more), open: (i) => this.openRecord(i) });
    }

    cells(field) {
        const { lang } = this.config;
        return (value) => {
            if (value === null || value === undefined)
                return [el("span", { class: "ex-none", "aria-label": say("ex_empty") }, "–")];
            const text = shown(field, value, lang);
            const href = hrefOf(field, value, this.root);
            const code = field.list && nameOf(field, value) !== null ? el("span", { class: "ex-code" }, value) : null;
            return href === null && code === null ? text : [href === null ? text : el("a", { href, tabindex: "-1" }, text), ...(code ? [" ", code] : [])];
        };
    }

    /* Columns keep the width that they had first, so that sorting moves nothing. */
    width(key, title, unit, field, sample) {
        if (!this.widths.has(key)) {
            const texts = sample.map((value) => (value === null || value === undefined ? "" : shown(field, value, this.config.lang) + (field.list && nameOf(field, value) !== null ? `  ${value}` : "")));
            if (texts.length === 0)
                return widthOf(title, unit, texts);
            this.widths.set(key, widthOf(title, unit, texts));
        }
        return this.widths.get(key);
    }

    orderOf(key) {
        const found = this.question.sortby.find((one) => one.field === key);
        return found ? (found.desc ? "descending" : "ascending") : null;
    }

    column(field, index, rows, title = field.title) {
        return {
            key: field.name, index, title, unit: field.unit, number: isNumber(field) && field.type !== "year", about: field.about,
            width: this.width(`${title}\n${field.name}`, title, field.unit, field, rows.map((row) => row[index])), order: this.orderOf(field.name), cell: this.cells(field),
        };
    }

    showRecords(question, first) {
        const fields = shownFields(question, this.config);
        this.columns = fields.filter((field) => field.name !== "geometry").map((field) => ({ ...this.column(field, this.config.fields.indexOf(field), first.rows), facts: () => headFacts(field, this.config, this.root) }));
        const key = JSON.stringify([question.q, question.where, question.bbox, question.sortby]);
        const source = new Rows((from, n) => this.ask("rows", { question: { ...question, properties: [] }, from, n }), first, (error) => (error ? this.unanswered(error) : this.grid.refresh()));
        this.source = source;
        this.find(".ex-grid").hidden = this.seen !== "table";
        this.grid.show(this.columns, source, say("ex_grid", { title: this.config.title }), key === this.drawn);
        if (key !== this.drawn && question.sortby.length > 0)
            this.grid.revealColumn(Math.max(0, this.columns.findIndex((one) => one.key === question.sortby[0].field)));
        this.drawn = key;
    }

    showGroups({ columns, rows }) {
        const { question, config } = this;
        const measures = question.aggregate.length > 0 ? question.aggregate : [{ fn: "count" }];
        const fields = columns.map((name, i) => {
            if (i < question.groupby.length)
                return fieldOf(config, name);
            const { fn, field } = measures[i - question.groupby.length];
            const of = field ? fieldOf(config, field) : null;
            return { ...(of || {}), name, title: measureTitle({ fn, field }, config), type: SUMS.includes(fn) ? "number" : of.type, unit: fn === "count" ? "" : of.unit, about: "" };
        });
        this.groupFields = fields;
        this.columns = fields.map((field, i) => this.column(field, i, rows.slice(0, 200)));
        const [key] = question.sortby;
        const at = key ? columns.indexOf(key.field) : -1;
        const ordered = at < 0 ? rows : sorted(rows, at, fields[at], key.desc, config.lang);
        this.source = rowsHere(ordered);
        if (this.seen === "chart")
            drawGroups(this, this.find(".ex-chart"), fields, ordered).catch(() => this.find(".ex-chart").replaceChildren(el("p", { class: "notice notice-warning", role: "status" }, say("ex_chart_failed"))));
        this.drawn = null;
        this.find(".ex-grid").hidden = this.seen !== "table";
        this.grid.show(this.columns, this.source, say("ex_grid_groups", { title: config.title }), false);
    }

    /* Up, down, and as it was; figures begin with the largest. MORE: after the columns that sort already. */
    sort(column, more) {
        const order = this.orderOf(column.key);
        const first = column.number;
        const next = order === null ? { field: column.key, desc: first } : (order === "descending") === first ? { field: column.key, desc: !first } : null;
        this.change((copy) => {
            const others = more ? copy.sortby.filter((one) => one.field !== column.key) : [];
            copy.sortby = [...others, ...(next ? [next] : [])];
        });
    }

    /* ---- one record ---- */

    /* Of what is in sight: the answer to a newer question may be on its way, and with it another record I. */
    async openRecord(i) {
        const question = this.inSight;
        if (isGrouped(question)) {
            this.openGroup(question.groupby, this.source.row(i));
            return;
        }
        const { rows, matched } = await this.ask("rows", { question: { ...question, properties: [] }, from: i, n: 1 });
        if (question !== this.inSight)
            return;
        this.drawRecord(i, matched === null ? this.source.length : matched, rows[0]);
        const key = keyOf(this.config, rows[0]);
        if (key !== "") {
            this.linked = encodeURIComponent(key);
            history.replaceState(null, "", `${location.pathname}${location.search}#rekaman=${this.linked}`);
        }
    }

    drawRecord(i, total, values) {
        const box = this.find("#jelajah-rekaman");
        const stays = document.activeElement && box.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
        box.hidden = false;
        this.box.classList.add("ex-with-record");
        drawRecord(box, { config: this.config, root: this.root, open: (k) => this.openRecord(k), closeRecord: () => this.closeRecord(true) }, { i, total, values, report: this.static.dataset.report });
        this.recordAt = i;
        const again = stays && box.querySelector(`[data-focus="${stays}"]`);
        (again || box).focus();
    }

    /* A group's records: its values become conditions. */
    openGroup(names, values) {
        this.change((copy) => {
            names.forEach((name, k) => choose(copy, fieldOf(this.config, name), [values[k]]));
            Object.assign(copy, { groupby: [], aggregate: [], sortby: [] });
        });
    }

    closeRecord(back) {
        const box = this.find("#jelajah-rekaman");
        if (box.hidden)
            return;
        box.hidden = true;
        if (location.hash.startsWith("#rekaman="))
            history.replaceState(null, "", location.pathname + location.search);
        this.linked = null;
        this.box.classList.remove("ex-with-record");
        if (back) {
            this.grid.at.row = this.recordAt + 1;
            this.grid.focus();
        }
    }

    /* ---- what the buttons open ---- */

    buttons() {
        const side = this.find("#jelajah-saring");
        this.box.querySelectorAll("[data-open]").forEach((button) => button.addEventListener("click", () => this.toggle(button)));
        side.querySelector(".ex-close").addEventListener("click", () => this.toggle(this.find("[data-open=jelajah-saring]")));
        side.addEventListener("keydown", (event) => this.inDrawer(event));
        this.box.addEventListener("keydown", (event) => {
            if (event.key !== "Escape" || event.defaultPrevented)
                return;
            const open = this.find("[data-open][aria-expanded=true]");
            if (!this.find("#jelajah-rekaman").hidden)
                this.closeRecord(true);
            else if (open)
                this.toggle(open);
        });
        this.views();
        this.box.querySelectorAll("[data-view]").forEach((button) => button.addEventListener("click", () => {
            this.view = button.dataset.view;
            this.go(false);
        }));
        this.home.addEventListener("input", () => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => {
                if (!this.facets)
                    return;
                this.suggest.show();
                this.change((copy) => (copy.q = this.home.value.trim()), { typing: true });
            }, 250);
        });
        addEventListener("hashchange", () => this.facets && this.openLinked());
        addEventListener("popstate", () => {
            this.read();
            if (this.facets)
                this.update();
        });
        addEventListener("beforeprint", () => drawPaper(this));
    }

    /* One panel at a time; the filters are a drawer where there is no room beside the table. */
    toggle(button) {
        const on = button.getAttribute("aria-expanded") !== "true";
        this.box.querySelectorAll("[data-open]").forEach((other) => {
            const open = on && other === button;
            other.setAttribute("aria-expanded", String(open));
            const panel = document.getElementById(other.dataset.open);
            if (other.dataset.open === "jelajah-saring")
                this.box.classList.toggle("ex-side-open", open);
            else
                panel.hidden = !open;
        });
        this.panels();
        if (button.dataset.open === "jelajah-saring") {
            if (this.facets)
                this.facets.update();
            (on ? this.find("#jelajah-saring .ex-close") : button).focus();
        } else if (!on) {
            button.focus();
        }
    }

    /* Tab stays in the drawer while it lies over the page. */
    inDrawer(event) {
        if (event.key !== "Tab" || !this.box.classList.contains("ex-side-open") || getComputedStyle(event.currentTarget).position !== "fixed")
            return;
        const stops = Array.from(event.currentTarget.querySelectorAll("button, input, summary, select, a[href]")).filter((one) => one.offsetParent !== null);
        const [first, last] = [stops[0], stops[stops.length - 1]];
        if (event.shiftKey ? document.activeElement === first : document.activeElement === last) {
            event.preventDefault();
            (event.shiftKey ? last : first).focus();
        }
    }

    /* Whether the filters are in sight: else nothing is counted. */
    facetsSeen() {
        return getComputedStyle(this.find("#jelajah-saring")).visibility !== "hidden";
    }

    meaning(field) {
        return el("p", { class: "small" }, el("a", { href: `../${this.config.slug}.html#kolom:${this.config.name}:${encodeURIComponent(field.name)}` }, say("ex_facts_more")));
    }

    /* What is open is drawn anew; the focus stays on what has the same name. */
    panels(only) {
        Object.entries(PANELS).forEach(([id, make]) => {
            const panel = document.getElementById(id);
            if (panel.hidden || (only && only !== id))
                return;
            const focused = panel.contains(document.activeElement) ? document.activeElement.dataset.focus || "" : null;
            panel.replaceChildren(...make(this).filter(Boolean));
            const again = focused === null ? null : (focused && panel.querySelector(`[data-focus="${CSS.escape(focused)}"]`)) || panel.querySelector("select, input, button");
            if (again)
                again.focus();
        });
    }

    async save(form) {
        if (isGrouped(this.inSight))
            return saveGroups(this, form);
        return this.ask("save", { question: this.inSight, form, lang: this.config.lang }, Boolean(this.config.shapes));
    }
}

const SUMS = ["count", "sum", "avg"];

/* What is empty is last. */
function sorted(rows, at, field, desc, lang) {
    const collator = new Intl.Collator(lang, { sensitivity: "base", numeric: true });
    const order = isNumber(field) ? compareDecimals : (a, b) => collator.compare(shown(field, a, lang), shown(field, b, lang));
    return rows.slice().sort((a, b) => (a[at] === null || b[at] === null ? (a[at] === null) - (b[at] === null) : (desc ? -1 : 1) * order(a[at], b[at])));
}

const explorer = new Explorer(document.getElementById("jelajah"), JSON.parse(document.getElementById("explore").textContent));
if (saving && location.search.length <= 1)
    explorer.wait();
else
    explorer.open();
