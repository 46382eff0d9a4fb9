/* What changes the picture: series on and off, the period, the year of a slider with its play button. */
import { el } from "../dom.js";
import { say } from "../words.js";

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/* Buttons that are pressed while their series is seen. The last one stays. LIT(k): the pointer is on it; -1: on none. */
export function makeLegend(model, view, changed, lit) {
    if (model.groups.length < 2 || model.moments)
        return null;
    const buttons = model.groups.map((group, k) => {
        const swatch = el("span", { class: "chart-swatch" });
        swatch.style.background = `var(${group.color})`;
        return el("button", {
            type: "button", class: "chart-series", "aria-pressed": "true",
            click: () => {
                if (view.off.has(k))
                    view.off.delete(k);
                else if (view.off.size < model.groups.length - 1)
                    view.off.add(k);
                else
                    view.off.clear(); /* the only one that is seen: all come back */
                buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(!view.off.has(i))));
                changed();
            },
            pointerenter: () => lit(k), pointerleave: () => lit(-1), focus: () => lit(k), blur: () => lit(-1),
        }, swatch, group.label);
    });
    return el("div", { class: "chart-legend", role: "group", "aria-label": model.group || say("chart_groups") }, ...buttons);
}

/* <input type=range> with its name and what it is at; set(i) from outside. */
function slider(name, labels, at, moved) {
    const output = el("output", null, labels[at]);
    const input = el("input", { type: "range", min: "0", max: String(labels.length - 1), step: "1", value: String(at), "aria-valuetext": labels[at], input: () => moved(Number(input.value)) });
    return {
        element: el("label", { class: "chart-slider" }, el("span", null, name), input, output),
        set(i) {
            input.value = String(i);
            input.setAttribute("aria-valuetext", labels[i]);
            output.textContent = labels[i];
        },
    };
}

/* From when to when. The two never cross. */
export function makePeriod(model, view, changed) {
    const labels = model.stops.map((stop) => stop.label);
    const move = (end) => (i) => {
        view.from = end === "from" ? Math.min(i, view.to - 1) : view.from;
        view.to = end === "to" ? Math.max(i, view.from + 1) : view.to;
        from.set(view.from);
        to.set(view.to);
        changed();
    };
    const from = slider(say("chart_from"), labels, view.from, move("from")), to = slider(say("chart_to"), labels, view.to, move("to"));
    return el("div", { class: "chart-period", role: "group", "aria-label": say("chart_period") }, from.element, to.element);
}

/* One year at a time. Playing begins only when asked for, and stops at the end. */
export function makeMoments(model, view, changed) {
    const labels = model.groups.map((group) => group.label);
    let timer = 0;
    const go = (i) => {
        view.moment = i;
        one.set(i);
        changed();
    };
    const stop = () => {
        clearInterval(timer);
        timer = 0;
        button.textContent = say("chart_play");
    };
    const one = slider(model.group, labels, view.moment, (i) => {
        stop();
        go(i);
    });
    const button = el("button", { type: "button", class: "button-secondary button-small", click: () => {
        if (timer !== 0) {
            stop();
            return;
        }
        button.textContent = say("chart_pause");
        go(view.moment === labels.length - 1 ? 0 : view.moment + 1);
        timer = setInterval(() => (view.moment < labels.length - 1 && button.isConnected ? go(view.moment + 1) : stop()), calm() ? 2500 : 1200);
    } }, say("chart_play"));
    return el("div", { class: "chart-period", role: "group", "aria-label": model.group }, button, one.element);
}
