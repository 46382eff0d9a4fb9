/* What a column holds, of the version's profile.json, at its head: how values are spread, from where to where, how many records have one. The page of the dataset says
 * the same (site/model/profile.c), with the meaning and the rules. */
import { el } from "../dom.js";
import { decimal } from "../table.js";
import { say } from "../words.js";
import { nameOf } from "./names.js";

const SVG = "http://www.w3.org/2000/svg";
const BAR = 10;
const HEIGHT = 40;
const PARTS = 5; /* values of which the most frequent are told apart */
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
const figure = (fact, text, lang) => (isNumeric(fact) ? decimal(text, lang) : fact.type === "datetime" ? text.slice(0, 10) : text); /* the day says enough */
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

/* Bars of a histogram; or one bar of the most frequent values, the rest its ground. */
function picture(fact, rows) {
    const { histogram, values, frequent } = fact;
    if (histogram && histogram.counts.length > 1) {
        const peak = Math.max(...histogram.counts);
        return svg("svg", { viewBox: `0 0 ${histogram.counts.length * BAR} ${HEIGHT}`, preserveAspectRatio: "none" }, ...histogram.counts.flatMap((count, i) => {
            const height = Math.ceil((HEIGHT * count) / peak);
            return count > 0 ? [svg("rect", { x: i * BAR, y: HEIGHT - height, width: BAR - 1, height })] : [];
        }));
    }
    const counts = (values ? Object.values(values) : (frequent || []).map(({ count }) => count)).sort((a, b) => b - a).slice(0, PARTS);
    let at = 0;
    return svg("svg", { class: "ex-parts", viewBox: "0 0 100 6", preserveAspectRatio: "none" }, ...counts.map((count) => {
        const x = at;
        at += (100 * count) / rows;
        return svg("rect", { x: x.toFixed(2), y: 0, width: Math.max(0, at - x - 0.6).toFixed(2), height: 6 });
    }));
}

/* {value, count} that most records have, of a column with few values. */
function mostFrequent(fact) {
    const all = fact.values ? Object.entries(fact.values).map(([value, count]) => ({ value, count })) : fact.frequent || [];
    return all.reduce((best, one) => (best === null || one.count > best.count ? one : best), null);
}

/* {ends: the line under the picture, told: all of it in words} of FACT. */
export function toldOf(fact, rows, field, lang) {
    const filled = rows - fact.nulls;
    const measured = fact.mean !== undefined && !field.list && !field.labels;
    const name = (text) => nameOf(field, text) || figure(fact, text, lang);
    const most = fact.minimum === undefined && filled > 0 ? mostFrequent(fact) : null;
    const distinct = filled > 0 ? say(fact.estimated ? "ex_facts_about" : "ex_facts_distinct", { n: decimal(String(fact.distinct), lang) }) : "";
    const ends = fact.minimum !== undefined ? [name(fact.minimum), name(fact.maximum)] : most !== null && most.count * 50 > filled ? [`${name(most.value)} ${decimal(share(most.count, rows), lang)}%`] : [filled > 0 ? say("ex_facts_different", { n: decimal(String(fact.distinct), lang) }) : ""];
    return {
        ends: ends.filter((text, i) => text !== "" && text !== ends[i - 1]),
        told: [
            fact.minimum !== undefined ? say("ex_facts_ends", { low: ends[0], high: ends[1] }) : "",
            most !== null && most.count > 1 ? say("ex_facts_most", { value: name(most.value), share: decimal(share(most.count, rows), lang) }) : "",
            say("ex_facts_filled", { share: decimal(share(filled, rows), lang) }), distinct,
            measured ? say("ex_facts_mean", { mean: decimal(mean(fact), lang) }) : "",
        ].filter(Boolean).join(" · "),
    };
}

/* An element for the head of FIELD's column that fills when the profile has come; the head's title then says it in words. Null where there is no profile. */
export function headFacts(field, config, root) {
    if (!config.profile || field.beside)
        return null;
    const box = el("div", { class: "ex-figure", "aria-hidden": "true" });
    profileOf(root + config.profile).then(({ rows, fields }) => {
        const fact = fields.find((one) => one.name === field.name);
        if (fact === undefined || rows === 0)
            return;
        const { ends, told } = toldOf(fact, rows, field, config.lang);
        box.append(picture(fact, rows), el("div", { class: "ex-ends" }, ...ends.map((text) => el("span", null, text))));
        if (box.parentElement)
            box.parentElement.title = [field.about, told].filter(Boolean).join("\n");
    });
    return box;
}
