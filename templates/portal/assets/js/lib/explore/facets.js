/* The filters: a section a column, places and categories first. Choices have counts of what would be found; numbers and dates have a range, texts a part of them.
 *
 * APP: {config, lang, question, change(edit), ask(what, about), meaning(field)}; edit(question) changes a copy. */
import { el } from "../dom.js";
import { decimal, plain, typedDecimal } from "../table.js";
import { say } from "../words.js";
import { namesOf, nameOf, shown } from "./names.js";
import { contained, containing } from "./question.js";
import { canonical, isBoolean, isComplex, isNumber, isOrdered, isText } from "./values.js";

const FEW = 8; /* choices in sight before one asks for more */
const MANY = 100; /* values that are counted, as the API does */
const ALL = 100000; /* where somebody types a name */
const TEXTS = 30; /* a text with no more values is chosen among them */

export const isChoice = (field) => namesOf(field) !== null || Boolean(field.list) || isBoolean(field) || field.type === "year" || Boolean(field.derived);

const number = (n, lang) => decimal(String(n), lang);
const CHOSEN = ["=", "in", "null"];
const RANGE = ["between", ">=", "<="];

/* QUESTION's condition on FIELD with one of OPS. */
const conditionOf = (question, field, ops) => question.where.find((one) => one.field === field.name && ops.includes(one.op));

/* In place of such a condition CONDITION, or none. */
export function setCondition(question, field, ops, condition) {
    const at = question.where.findIndex((one) => one.field === field.name && ops.includes(one.op));
    if (at >= 0)
        question.where.splice(at, 1, ...(condition ? [condition] : []));
    else if (condition)
        question.where.push(condition);
}

/* Values that are chosen; null among them: those without a value. */
function chosenOf(question, field) {
    const condition = conditionOf(question, field, CHOSEN);
    if (condition === undefined)
        return [];
    return condition.op === "null" ? [null] : condition.op === "in" ? condition.values : [condition.value];
}

export function choose(question, field, values) {
    const condition = values.length === 0 ? null : values.includes(null) ? { field: field.name, op: "null" }
        : values.length === 1 ? { field: field.name, op: "=", value: values[0] } : { field: field.name, op: "in", values };
    setCondition(question, field, CHOSEN, condition);
}

/* ---- choices ---- */

class Choices {
    constructor(app, field, only) {
        this.app = app;
        this.field = field;
        this.only = only; /* a text: choices only where there are few */
        this.shown = FEW;
        this.found = null;
        this.input = el("input", { type: "search", class: "ex-find", autocomplete: "off", "aria-label": say("ex_find_value", { title: field.title }), placeholder: say("ex_find_hint"), hidden: true,
            input: () => this.find() });
        this.list = el("ul", { class: "ex-choices" });
        this.more = el("button", { type: "button", class: "ex-more", hidden: true, click: () => this.showMore() });
        this.part = el("p", { class: "small muted", hidden: true });
        this.element = el("div", null, this.input, this.list, this.more, this.part);
    }

    /* COUNTS: [{value, count}…]; MORE: there are others. */
    show(counts, more) {
        const { field } = this;
        this.whole = more;
        this.counts = this.ordered(counts);
        this.element.hidden = this.only && (more || counts.length > TEXTS || counts.every(({ count }) => count !== null && count < 2));
        this.input.hidden = counts.length <= FEW && !more;
        if (this.input.value !== "")
            this.find();
        else
            this.draw(this.counts);
        this.part.hidden = !more;
        this.part.textContent = more ? say("ex_part", { n: number(counts.length, this.app.lang) }) : "";
        return field;
    }

    ordered(counts) {
        const { field } = this;
        if (field.type === "year")
            return counts.slice().sort((a, b) => (a.value === null) - (b.value === null) || Number(b.value) - Number(a.value));
        if (!field.ordered)
            return counts;
        const order = Object.keys(field.labels);
        const rank = (value) => (value === null ? order.length : order.indexOf(value));
        return counts.slice().sort((a, b) => rank(a.value) - rank(b.value));
    }

    showMore() {
        const first = this.list.children.length;
        this.shown += 4 * FEW;
        this.draw(this.counts);
        const next = this.list.children[first];
        if (next)
            next.querySelector("input").focus();
    }

    /* Names and codes with what is typed in them, of all values. */
    async find() {
        const wanted = plain(this.input.value.trim());
        if (wanted === "") {
            this.draw(this.counts);
            return;
        }
        const counts = this.whole ? await this.all() : this.counts;
        if (plain(this.input.value.trim()) === wanted)
            this.draw(counts.filter(({ value }) => value !== null && plain(`${nameOf(this.field, value) || ""} ${value}`).includes(wanted)).slice(0, 50), true);
    }

    async all() {
        const key = JSON.stringify(this.app.question);
        if (this.found === null || this.found.key !== key) {
            const { facets } = await this.app.ask("facets", { question: this.app.question, fields: [this.field.name], max: ALL });
            this.found = { key, counts: facets[this.field.name] === null ? this.counts : this.ordered(facets[this.field.name]) };
        }
        return this.found.counts;
    }

    draw(counts, all) {
        const chosen = chosenOf(this.app.question, this.field);
        const there = counts.filter(({ value }) => !chosen.includes(value));
        const first = chosen.map((value) => counts.find((one) => one.value === value) || { value, count: this.count(value) });
        const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.value : null;
        const most = all ? there.length : Math.max(0, this.shown - first.length);
        this.list.replaceChildren(...[...first, ...there.slice(0, most)].map((one) => this.item(one, chosen)));
        this.more.hidden = there.length <= most;
        this.more.textContent = say("ex_more", { n: number(Math.min(4 * FEW, there.length - most), this.app.lang) });
        const again = focused === null ? null : Array.from(this.list.querySelectorAll("input")).find((input) => input.dataset.value === focused);
        if (again)
            again.focus({ preventScroll: true });
    }

    count(value) {
        const found = this.counts.find((one) => one.value === value);
        return found ? found.count : this.counts.some((one) => one.count === null) ? null : 0;
    }

    item({ value, count }, chosen) {
        const { field, app } = this;
        const code = field.list && nameOf(field, value) !== null ? el("span", { class: "ex-code" }, value) : null;
        const input = el("input", { type: "checkbox", "data-value": JSON.stringify(value), change: (event) => this.toggle(value, event.target.checked) });
        input.checked = chosen.includes(value);
        return el("li", null, el("label", null, input, el("span", { class: `ex-name${value === null ? " muted" : ""}` }, shown(field, value, app.lang), code ? " " : null, code),
            count === null ? null : el("span", { class: "ex-number" }, number(count, app.lang))));
    }

    toggle(value, on) {
        const chosen = chosenOf(this.app.question, this.field).filter((one) => one !== value && (one === null) === (value === null));
        this.app.change((question) => choose(question, this.field, on ? [...chosen, value] : chosen.filter((one) => one !== value)));
    }
}

/* ---- ranges ---- */

/* What somebody typed as a value of FIELD; null: it is none; undefined: nothing. */
function typed(field, text, lang) {
    const given = text.trim();
    if (given === "")
        return undefined;
    if (isNumber(field))
        return field.type === "year" ? canonical(field, given) : typedDecimal(given, lang);
    return canonical(field, field.type === "datetime" && /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given);
}

class Range {
    constructor(app, field) {
        this.app = app;
        this.field = field;
        const type = field.type === "date" ? "date" : "text";
        const make = (word, label) => el("input", { type, autocomplete: "off", inputmode: isNumber(field) ? "decimal" : null, "aria-label": say(label, { title: field.title }), change: () => this.apply(),
            "data-word": word });
        [this.low, this.high] = [make("ex_from", "ex_from_of"), make("ex_to", "ex_to_of")];
        this.fault = el("p", { class: "small ex-bad", role: "alert", hidden: true }, say("ex_bad"));
        this.element = el("div", null, el("div", { class: "ex-range" }, ...[this.low, this.high].map((input) => el("label", null, el("span", { class: "small muted" }, say(input.dataset.word)), input))),
            this.fault);
    }

    written(value) {
        return value === undefined || value === null ? "" : isNumber(this.field) && this.field.type !== "year" ? decimal(value, this.app.lang) : value;
    }

    show({ min, max }) {
        const condition = conditionOf(this.app.question, this.field, RANGE);
        const [low, high] = condition === undefined ? [] : condition.op === "between" ? condition.values : condition.op === ">=" ? [condition.value] : [undefined, condition.value];
        [[this.low, low, min], [this.high, high, max]].forEach(([input, value, bound]) => {
            if (input !== document.activeElement)
                input.value = this.written(value);
            if (input.type === "date")
                [input.min, input.max] = [min || "", max || ""];
            else
                input.placeholder = this.written(bound);
        });
    }

    apply() {
        const { field } = this;
        const values = [this.low, this.high].map((input) => typed(field, input.value, this.app.lang));
        [this.low, this.high].forEach((input, i) => input.setAttribute("aria-invalid", String(values[i] === null)));
        this.fault.hidden = !values.includes(null);
        if (values.includes(null))
            return;
        const [low, high] = values;
        const condition = low !== undefined && high !== undefined ? { field: field.name, op: "between", values: [low, high] }
            : low !== undefined ? { field: field.name, op: ">=", value: low } : high !== undefined ? { field: field.name, op: "<=", value: high } : null;
        this.app.change((question) => setCondition(question, field, RANGE, condition));
    }
}

/* ---- parts of texts ---- */

class Part {
    constructor(app, field) {
        this.app = app;
        this.field = field;
        this.input = el("input", { type: "search", autocomplete: "off", "aria-label": say("ex_contains_of", { title: field.title }), input: () => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.apply(), 250);
        } });
        this.element = el("label", { class: "ex-part" }, el("span", { class: "small muted" }, say("ex_contains_of", { title: "" }).trim()), this.input);
    }

    show() {
        const condition = conditionOf(this.app.question, this.field, ["like"]);
        if (this.input !== document.activeElement)
            this.input.value = condition === undefined ? "" : contained(condition.value) || condition.value;
    }

    apply() {
        const text = this.input.value.trim();
        this.app.change((question) => setCondition(question, this.field, ["like"], text === "" ? null : { field: this.field.name, op: "like", value: containing(text), casei: true }), { typing: true });
    }
}

/* ---- all of them ---- */

class Section {
    constructor(app, field, open) {
        this.app = app;
        this.field = field;
        this.count = el("span", { class: "ex-on", hidden: true });
        this.inside = el("div", { class: "ex-inside" });
        this.element = el("details", { class: "ex-field", "data-field": field.name }, el("summary", null, el("span", null, field.title), this.count), this.inside);
        this.element.open = open;
        this.element.addEventListener("toggle", () => {
            if (this.element.open)
                app.facetsOpened();
        });
    }

    get open() {
        return this.element.open;
    }

    /* What is inside is made when it is first opened. */
    make() {
        if (this.parts !== undefined)
            return;
        const { app, field } = this;
        this.choices = isChoice(field) || isText(field) ? new Choices(app, field, !isChoice(field)) : null;
        this.range = !isChoice(field) && isOrdered(field) ? new Range(app, field) : null;
        this.part = isText(field) && !isChoice(field) ? new Part(app, field) : null;
        this.parts = [this.part, this.range, this.choices].filter(Boolean);
        this.inside.replaceChildren(...(field.about ? [el("p", { class: "small muted" }, field.about)] : []), ...this.parts.map((part) => part.element), ...(field.beside ? [] : [app.meaning(field)]));
    }

    mark() {
        const n = this.app.question.where.filter((one) => one.field === this.field.name).length;
        this.count.hidden = n === 0;
    }

    /* COUNTS, EXTENT null: nobody knows without reading the whole table. */
    show(counts, more, extent) {
        if (this.part)
            this.part.show();
        if (this.range)
            this.range.show(extent || { min: null, max: null });
        if (this.choices)
            this.choices.show(counts || this.names(), more);
    }

    /* What can be chosen where nothing is counted. */
    names() {
        return Object.keys(namesOf(this.field) || {}).map((value) => ({ value, count: null }));
    }
}

/* Places and categories, then years, figures and dates, then texts; a key only by its part. */
const rankOf = (field) => (field.list ? 0 : isChoice(field) ? 1 : isOrdered(field) ? 2 : 3);

export class Facets {
    constructor(box, app) {
        this.app = app;
        const fields = app.config.fields.filter((field) => !isComplex(field) && field.type !== "duration");
        const ordered = fields.map((field, i) => ({ field, i })).sort((a, b) => rankOf(a.field) - rankOf(b.field) || a.i - b.i).map(({ field }) => field);
        const wide = matchMedia("(min-width: 60rem)").matches && app.config.file !== undefined; /* of a large table nothing is counted that nobody asks for */
        app.facetsOpened = () => this.update();
        this.sections = ordered.map((field, k) => new Section(app, field, wide && k < 3 && rankOf(field) < 2));
        this.box = box;
        box.classList.add("is-waiting"); /* seen with their first counts, so that nothing moves below them */
        box.replaceChildren(...this.sections.map((section) => section.element));
    }

    /* Counts of the sections that are open. */
    async update() {
        const { app } = this;
        this.sections.forEach((section) => section.mark());
        const open = this.sections.filter((section) => section.open && app.facetsSeen());
        open.forEach((section) => section.make());
        const counted = open.filter((section) => section.choices).map((section) => section.field.name);
        const ranged = open.filter((section) => section.range).map((section) => section.field.name);
        const question = app.question;
        try {
            const [found, extents] = await Promise.all([
                counted.length > 0 ? app.ask("facets", { question, fields: counted, max: MANY }) : { facets: {}, more: {} },
                ranged.length > 0 ? app.ask("extent", { question: { ...question, where: question.where.filter((one) => !ranged.includes(one.field)) }, fields: ranged }) : { extent: {} },
            ]);
            if (question !== app.question)
                return;
            open.forEach((section) => section.show(found.facets[section.field.name], found.more[section.field.name], extents.extent[section.field.name]));
        } catch (error) {
            /* the table says what went wrong */
        }
        if (open.length > 0 || !this.sections.some((section) => section.open))
            this.box.classList.remove("is-waiting");
    }

    /* The section of column NAME, open and in sight. */
    reveal(name) {
        const section = this.sections.find((one) => one.field.name === name);
        if (section === undefined)
            return;
        section.element.open = true;
        section.element.querySelector("summary").focus();
        section.element.scrollIntoView({ block: "nearest" });
    }
}
