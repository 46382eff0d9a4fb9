/* What values of a table's columns are called: labels of categories (in the configuration) and of code lists (a file each), numbers by language. Values are
 * canonical text or null, and never go through a floating point number. */
import { decimal } from "../table.js";
import { say } from "../words.js";
import { isPlacePage } from "../place.js";
import { isBoolean } from "./values.js";

const isDecimal = (field) => field.type === "number" || field.type === "integer";
const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key);


const inLanguage = (labels, lang) => Object.fromEntries(Object.entries(labels).map(([code, label]) => [code, typeof label === "string" ? label : label[lang] || label.id]));

/* Fetches the lists of FIELDS, each once; afterwards they have names. A list that cannot be had leaves its codes as they are. */
export async function loadLists(fields, root, lang) {
    const lists = new Map();
    fields.filter((field) => field.labels).forEach((field) => {
        field.named = inLanguage(field.labels, lang);
    });
    fields.filter((field) => field.list).forEach((field) => lists.set(field.list, [...(lists.get(field.list) || []), field]));
    await Promise.all(Array.from(lists, async ([path, users]) => {
        try {
            const answer = await fetch(root + path);
            const { labels } = await answer.json();
            users.forEach((field) => {
                field.named = inLanguage(labels, lang);
            });
        } catch (error) {
            /* codes, then */
        }
    }));
}

/* {code: text} of a field, or null. */
export const namesOf = (field) => field.named || null;

/* The name of VALUE, or null where it has none of its own. */
export function nameOf(field, value) {
    const names = namesOf(field);
    return names !== null && value !== null && has(names, value) && names[value] !== value ? names[value] : null;
}

/* As people read it, without its code. */
export function shown(field, value, lang) {
    if (value === null || value === undefined)
        return say("ex_empty");
    const name = nameOf(field, value);
    if (name !== null)
        return name;
    if (isDecimal(field))
        return decimal(value, lang);
    return isBoolean(field) ? say(value === "true" ? "ex_yes" : "ex_no") : value;
}

/* The same with the code behind it, for those who know codes: "Kota Bandung (32.73)". */
export function shownWithCode(field, value, lang) {
    const text = shown(field, value, lang);
    return field.list && nameOf(field, value) !== null ? `${text} (${value})` : text;
}

/* Where a value leads: a document of this version, an address of the web, or null. */
export function hrefOf(field, value, root) {
    if (value === null || value === undefined)
        return null;
    if (field.folder !== undefined)
        return root + field.folder + value.split("/").map(encodeURIComponent).join("/");
    if (field.place !== undefined && nameOf(field, value) !== null && isPlacePage(value))
        return `${root}${field.place}${value}.html`;
    return field.uri && /^https?:\/\//.test(value) ? value : null;
}
