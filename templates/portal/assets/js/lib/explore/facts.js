/* What a column holds, of the version's profile.json: how values are spread, from where to where, how many records have one. The page of the dataset says the same
 * (site/model/profile.c), with the meaning and the rules, and is linked. */
import { el } from "../dom.js";
import { decimal } from "../table.js";
import { say } from "../words.js";
import { nameOf } from "./names.js";

const SVG = "http://www.w3.org/2000/svg";
const BAR = 10;
const HEIGHT = 40;
const profiles = new Map();

function svg(name, attributes, ...children) {
    const element = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
    element.append(...children);
    return element;
}

/* The fields of the profile at ADDRESS, which is fetched once; none where it cannot be had. */
function profileOf(address) {
    if (!profiles.has(address))
        profiles.set(address, fetch(address).then((answer) => answer.json()).then(({ rows, fields }) => ({ rows, fields }), () => ({ rows: 0, fields: [] })));
    return profiles.get(address);
}

const isNumeric = (fact) => fact.type === "number" || fact.type === "integer";
const figure = (fact, text, lang) => (isNumeric(fact) ? decimal(text, lang) : text.slice(0, 10));
const decimals = (text) => (text.split(".")[1] || "").length;

/* N of ALL in per cent with one decimal: neither 0 nor 100 where it is not exactly that. */
export function share(n, all) {
    const tenths = Math.min(n < all ? 999 : 1000, Math.max(n > 0 ? 1 : 0, Math.round((1000 * n) / all)));
    return String(tenths / 10);
}

/* The mean in one decimal more than the values have. */
export function mean(fact) {
    const places = Math.max(decimals(fact.minimum), decimals(fact.maximum)) + 1;
    return places < decimals(fact.mean) && Math.abs(Number(fact.mean)) < 1e14 ? Number(fact.mean).toFixed(places).replace(/\.?0+$/, "") : fact.mean;
}

function histogram(fact, lang) {
    const { bounds, counts } = fact.histogram;
    const peak = Math.max(...counts);
    const at = counts.indexOf(peak);
    const label = say("ex_facts_histogram", { n: counts.length, low: figure(fact, bounds[at], lang), high: figure(fact, bounds[at + 1], lang), count: decimal(String(peak), lang) });
    return svg("svg", { class: "ds-histogram", viewBox: `0 0 ${counts.length * BAR} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
        ...counts.flatMap((count, i) => {
            const height = Math.ceil((HEIGHT * count) / peak);
            return count > 0 ? [svg("rect", { x: i * BAR, y: HEIGHT - height, width: BAR - 1, height })] : [];
        }));
}

function draw(fact, rows, field, lang) {
    const filled = rows - fact.nulls;
    const measured = fact.mean !== undefined && !field.list && !field.labels;
    const told = [
        say("ex_facts_filled", { share: decimal(share(filled, rows), lang) }),
        filled > 0 ? say(fact.estimated ? "ex_facts_about" : "ex_facts_distinct", { n: decimal(String(fact.distinct), lang) }) : "",
        measured ? say("ex_facts_mean", { mean: decimal(mean(fact), lang) }) : "",
    ];
    const ends = fact.minimum === undefined ? null : el("p", { class: "ds-ends muted" }, ...[fact.minimum, fact.maximum].map((text) => el("span", null, nameOf(field, text) || figure(fact, text, lang))));
    return [fact.histogram && fact.histogram.counts.length > 1 ? histogram(fact, lang) : null, ends, el("p", { class: "muted" }, told.filter(Boolean).join(" · "))];
}

/* An element that fills when the profile has come; null where there is no profile. PAGE: the address of the dataset's page. */
export function columnFacts(field, config, root, page) {
    if (!config.profile || field.beside)
        return null;
    const box = el("div", { class: "ds-figure small" });
    box.hidden = true;
    profileOf(root + config.profile).then(({ rows, fields }) => {
        const fact = fields.find((one) => one.name === field.name);
        if (fact === undefined || rows === 0)
            return;
        box.append(...draw(fact, rows, field, config.lang).filter(Boolean), el("p", null, el("a", { href: `${page}#kolom:${config.name}:${encodeURIComponent(field.name)}` }, say("ex_facts_more"))));
        box.hidden = false;
    });
    return box;
}
