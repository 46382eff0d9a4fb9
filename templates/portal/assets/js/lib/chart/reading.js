/* Reading values: with the pointer, a finger, or the keyboard. The picture is a slider over its stops (years, bars, milestones): screen readers know that one, let
 * its arrows through, and say its text after each step. */
import { el } from "../dom.js";
import { say } from "../words.js";
import { shownOf, sumOf } from "./twin.js";

const NS = "http://www.w3.org/2000/svg";

/* What is said of a stop: {title, lines: [{color, name, value}]}. */
export function factsOf(model, view, index) {
    if (model.type === "gantt") {
        const row = model.rows[index], day = (text) => new Intl.DateTimeFormat(model.lang, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${text}T00:00:00Z`));
        const n = row.value === null ? null : Number(row.value);
        const delay = n === null ? say("chart_open") : n === 0 ? say("chart_on_time") : say(n > 0 ? "chart_late" : "chart_early", { n: model.write(Math.abs(n)) });
        return { title: row.label, more: row.group, lines: [
            row.planned ? { name: say("chart_planned"), value: day(row.planned) } : null,
            row.actual ? { name: say("chart_actual"), value: day(row.actual) } : null,
            { color: n > 0 ? "--chart-late" : "--chart-single", name: delay, value: "" },
        ].filter(Boolean) };
    }
    const { groups } = shownOf(model, view), stop = model.stops[index], values = model.values[index];
    const unit = model.unit ? ` ${model.unit}` : "";
    const lines = groups.map((k) => ({ color: model.moments ? "--chart-single" : model.groups[k].color, name: model.groups[k].label, value: values[k] === null ? say("chart_none") : model.show(values[k]) + unit }));
    if (model.total && groups.length > 1)
        lines.push({ name: say("chart_total"), value: model.show(sumOf(groups.map((k) => values[k]))) + unit });
    return { title: stop.label, more: model.type === "histogram" ? model.category : "", lines };
}

export const sentenceOf = ({ title, more, lines }) => `${title}${more ? ` (${more})` : ""}: ${lines.map((line) => [line.name, line.value].filter(Boolean).join(" ")).join("; ")}`;

/* The stop that is nearest to a place of the picture. */
export function nearest(stops, lying, x, y) {
    const way = (stop) => Math.abs(lying ? stop.y - y : stop.x - x);
    return stops.reduce((best, stop, i) => (best < 0 || way(stop) < way(stops[best]) ? i : best), -1);
}

/* A band or a line behind the stop that is read, and a ring on each of its points. */
function mark(svg, drawn, stop) {
    const layer = document.createElementNS(NS, "g");
    const add = (name, attributes) => {
        const shape = document.createElementNS(NS, name);
        Object.entries(attributes).forEach(([key, value]) => shape.setAttribute(key, value));
        layer.append(shape);
    };
    layer.setAttribute("class", "chart-mark");
    if (drawn.lying)
        add("rect", { x: 0, y: stop.y - stop.height / 2, width: svg.getAttribute("width"), height: stop.height });
    else if (stop.width)
        add("rect", { x: stop.x - stop.width / 2, y: stop.top, width: stop.width, height: stop.bottom - stop.top });
    else
        add("line", { x1: stop.x, x2: stop.x, y1: stop.top, y2: stop.bottom });
    (stop.points || []).filter((point) => !Number.isNaN(point.y)).forEach((point) => add("circle", { cx: stop.x, cy: point.y, r: 6 }));
    svg.append(layer);
    return layer;
}

/* PLOT is the element around the picture. Returns {update(drawn)}: after each drawing. */
export function makeReading(plot, model, view) {
    const tip = el("div", { class: "chart-tip", "aria-hidden": "true" });
    let drawn = null, at = -1, layer = null, touched = false;
    tip.hidden = true;

    function hide() {
        tip.hidden = true;
        if (layer)
            layer.remove();
        layer = null;
    }

    function put(stop) {
        const scale = drawn.svg.getBoundingClientRect().width / Number(drawn.svg.getAttribute("width")) || 1;
        const x = (drawn.lying ? (stop.left + stop.right) / 2 : stop.x) * scale, room = plot.clientWidth, w = tip.offsetWidth, h = tip.offsetHeight;
        const beside = x + 14 + w <= room ? x + 14 : x - 14 - w;
        const left = drawn.lying ? x - w / 2 : beside;
        const below = (stop.y + (stop.height || 0) / 2) * scale + 6, above = (stop.y - (stop.height || 0) / 2) * scale - 6 - h;
        tip.style.left = `${Math.max(0, Math.min(room - w, left))}px`;
        tip.style.top = `${drawn.lying ? (below + h <= plot.clientHeight || above < 0 ? below : above) : Math.max(0, stop.top * scale)}px`;
    }

    function read(i, seen = true) {
        const stop = drawn.stops[i];
        if (!stop)
            return;
        const facts = factsOf(model, view, stop.index);
        at = i;
        plot.setAttribute("aria-valuenow", String(i + 1));
        plot.setAttribute("aria-valuetext", sentenceOf(facts));
        if (!seen)
            return;
        tip.replaceChildren(
            el("p", { class: "chart-tip-title" }, facts.title, facts.more ? el("span", { class: "muted" }, ` ${facts.more}`) : null),
            ...facts.lines.map((line) => {
                const swatch = el("span", { class: "chart-swatch" });
                swatch.style.background = line.color ? `var(${line.color})` : "none";
                return el("p", { class: "chart-tip-line" }, swatch, line.name ? el("span", null, line.name) : null, el("strong", line.name ? null : { class: "chart-tip-only" }, line.value));
            }),
        );
        if (layer)
            layer.remove();
        layer = mark(drawn.svg, drawn, stop);
        tip.hidden = false;
        put(stop);
    }

    function point(event) {
        const box = drawn.svg.getBoundingClientRect(), scale = box.width / Number(drawn.svg.getAttribute("width")) || 1;
        read(nearest(drawn.stops, drawn.lying, (event.clientX - box.left) / scale, (event.clientY - box.top) / scale));
    }

    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 5, PageUp: -5, Home: -Infinity, End: Infinity };
    plot.addEventListener("keydown", (event) => {
        if (event.key === "Escape") {
            hide();
            return;
        }
        if (!(event.key in moves) || event.ctrlKey || event.altKey || event.metaKey)
            return;
        event.preventDefault();
        const last = drawn.stops.length - 1, from = tip.hidden && at < 0 ? (moves[event.key] > 0 ? -1 : last + 1) : at;
        read(Math.max(0, Math.min(last, from + moves[event.key])));
    });
    plot.addEventListener("focus", () => {
        if (plot.matches(":focus-visible") && drawn.stops.length > 0)
            read(at < 0 ? (drawn.lying ? 0 : drawn.stops.length - 1) : Math.min(at, drawn.stops.length - 1));
    });
    plot.addEventListener("blur", hide);
    plot.addEventListener("pointermove", (event) => event.pointerType !== "touch" && point(event));
    plot.addEventListener("pointerdown", (event) => {
        touched = event.pointerType === "touch";
        point(event);
    });
    plot.addEventListener("pointerleave", () => {
        if (!touched)
            hide();
        touched = false;
    });

    return {
        tip,
        update(next) {
            const seen = !tip.hidden;
            hide();
            drawn = next;
            at = Math.min(at, drawn.stops.length - 1);
            plot.setAttribute("aria-valuemin", "1");
            plot.setAttribute("aria-valuemax", String(Math.max(1, drawn.stops.length)));
            if (drawn.stops.length > 0)
                read(at < 0 ? (drawn.lying ? 0 : drawn.stops.length - 1) : at, seen);
            at = seen ? at : -1;
        },
    };
}
