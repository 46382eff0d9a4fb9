/* The conditions that apply, in words: chips to remove them one by one, and a sentence for what is printed and saved. */
import { el } from "../dom.js";
import { say } from "../words.js";
import { shownWithCode } from "./names.js";
import { contained, fieldOf } from "./question.js";

const FEW = 3; /* values of a list before the others are a number */
const SIGNS = { "<": "<", "<=": "≤", ">": ">", ">=": "≥" };

/* CONDITION of a question, as people read it. */
export function conditionWords(condition, config) {
    const field = fieldOf(config, condition.field) || { name: condition.field, title: condition.field, type: "string" };
    const { title } = field;
    const text = (value) => shownWithCode(field, value, config.lang);
    switch (condition.op) {
    case "null": return say("ex_null", { title });
    case "notnull": return say("ex_notnull", { title });
    case "between": return say("ex_between", { title, low: text(condition.values[0]), high: text(condition.values[1]) });
    case "like": {
        const inner = contained(condition.value);
        return say(inner === null ? "ex_like" : "ex_contains", { title, text: inner === null ? condition.value : inner });
    }
    case "<>": return say("ex_not", { title, text: text(condition.value) });
    case "=": return say("ex_is", { title, text: text(condition.value) });
    case "in": {
        const first = condition.values.slice(0, FEW).map(text).join(", ");
        const more = condition.values.length - FEW;
        return say("ex_is", { title, text: more > 0 ? `${first} ${say("ex_more_values", { n: more })}` : first });
    }
    default: return say("ex_compare", { title, sign: SIGNS[condition.op], text: text(condition.value) });
    }
}

/* [{text, remove(question)}] of all that leaves records out. */
export function conditionsOf(question, config) {
    return [
        ...(question.q ? [{ text: say("ex_word", { text: question.q }), remove: (copy) => (copy.q = "") }] : []),
        ...question.where.map((condition, i) => ({ text: conditionWords(condition, config), remove: (copy) => copy.where.splice(i, 1) })),
        ...(question.bbox ? [{ text: say("ex_box"), remove: (copy) => (copy.bbox = null) }] : []),
    ];
}

export function drawChips(list, app) {
    const conditions = conditionsOf(app.question, app.config);
    const focused = Array.prototype.indexOf.call(list.children, document.activeElement && document.activeElement.closest("li"));
    list.hidden = conditions.length === 0;
    list.replaceChildren(...conditions.map(({ text, remove }) => el("li", null, el("button", { type: "button", class: "ex-chip", "aria-label": say("ex_remove", { text }), click: () => app.change(remove) },
        text, el("span", { "aria-hidden": "true" }, "×")))),
    ...(conditions.length > 1 ? [el("li", null, el("button", { type: "button", class: "ex-clear", click: () => app.clear() }, say("ex_reset")))] : []));
    if (focused >= 0)
        (list.children.length > 0 ? list.children[Math.min(focused, list.children.length - 1)].querySelector("button") : app.home).focus();
}
