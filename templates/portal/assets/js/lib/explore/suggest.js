/* Under the search box: places, categories and years whose name is being typed, as filters. "band" offers Kota Bandung. */
import { el } from "../dom.js";
import { decimal, plain } from "../table.js";
import { say } from "../words.js";
import { nameOf, namesOf, shown } from "./names.js";

const MOST = 7;

export class Suggest {
    /* INPUT, LIST below it; APP: {config, ask, choose(field, value)}. */
    constructor(input, list, app) {
        Object.assign(this, { input, list, app });
        list.addEventListener("keydown", (event) => this.key(event));
        input.addEventListener("keydown", (event) => this.key(event));
        input.parentElement.addEventListener("focusout", (event) => {
            if (!input.parentElement.contains(event.relatedTarget))
                this.hide();
        });
    }

    hide() {
        this.list.hidden = true;
    }

    /* All values with names, with how many records have them: [{field, value, count, text}]. */
    async all() {
        if (this.values === undefined) {
            const fields = this.app.config.fields.filter((field) => namesOf(field) !== null || field.type === "year");
            const { facets } = await this.app.ask("facets", { question: this.app.empty(), fields: fields.map((field) => field.name), max: 100000 });
            const counted = (field) => facets[field.name] || Object.keys(namesOf(field) || {}).map((value) => ({ value, count: null }));
            this.values = fields.flatMap((field) => counted(field).filter(({ value }) => value !== null)
                .map(({ value, count }) => ({ field, value, count, text: plain(nameOf(field, value) || value) })));
        }
        return this.values;
    }

    async show() {
        const wanted = plain(this.input.value.trim());
        if (wanted.length < 2) {
            this.hide();
            return;
        }
        const all = await this.all();
        /* Overtaken, left, or under a finger: what is pressed stays until it is chosen. */
        if (plain(this.input.value.trim()) !== wanted || document.activeElement !== this.input || this.list.matches(":active"))
            return;
        const words = wanted.split(/\s+/);
        const starts = (text) => words.every((word) => text.startsWith(word) || text.includes(` ${word}`) || text.includes(`/${word}`));
        const found = all.filter(({ text }) => starts(text)).sort((a, b) => a.text.length - b.text.length || b.count - a.count).slice(0, MOST);
        const { lang } = this.app.config;
        this.list.replaceChildren(...found.map(({ field, value, count }) => el("li", null, el("button", { type: "button", click: () => {
            this.hide();
            this.app.choose(field, value);
        } }, el("span", null, shown(field, value, lang)), el("span", { class: "small muted" }, field.title), count === null ? null : el("span", { class: "ex-number" }, decimal(String(count), lang))))));
        this.list.setAttribute("aria-label", say("ex_suggest", { title: "" }).trim());
        this.list.hidden = found.length === 0;
    }

    key(event) {
        const buttons = Array.from(this.list.querySelectorAll("button"));
        const at = buttons.indexOf(document.activeElement);
        if (event.key === "Escape" && !this.list.hidden) {
            this.hide();
            this.input.focus();
            event.preventDefault();
        } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !this.list.hidden) {
            const to = at + (event.key === "ArrowDown" ? 1 : -1);
            (to < 0 ? this.input : buttons[Math.min(to, buttons.length - 1)]).focus();
            event.preventDefault();
        }
    }
}
