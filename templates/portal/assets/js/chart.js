/* Charts that live: window.odpChart.show(figure, text). Loaded by lib/lazy.js when a chart comes near the screen.
 *
 * FIGURE is parts/chart.html; TEXT its document. The picture gives way to the same chart drawn for its width; title, words, figures and source stay where they are. */
import { drawChart } from "./lib/chart/draw.js";
import { makeReading } from "./lib/chart/reading.js";
import { FORMS, download } from "./lib/chart/save.js";
import { makeLegend, makeMoments, makePeriod } from "./lib/chart/tools.js";
import { firstView, hasPeriod, modelOf, parseTwin } from "./lib/chart/twin.js";
import { el } from "./lib/dom.js";
import { say } from "./lib/words.js";

const LIVING = ["bar", "line", "stacked", "histogram", "gantt"];
const ink = (name) => `var(${name})`;

/* Other series step back while one is pointed at. */
function dim(svg, groups, k) {
    groups.forEach((_, i) => svg.querySelectorAll(`.chart-group-${i}`).forEach((mark) => (mark.style.opacity = k >= 0 && i !== k ? "0.2" : "")));
}

function makeDownloads(figure, model, view) {
    const list = figure.querySelector("[data-chart-save]");
    if (!list)
        return;
    const status = el("p", { role: "status", class: "visually-hidden" });
    const address = figure.dataset.chartPage || location.href.replace(/[?#].*/, "");
    const items = Object.keys(FORMS).map((form) => el("li", null, el("button", { type: "button", click: async (event) => {
        const button = event.currentTarget;
        try {
            download(await FORMS[form](model, view, address), `${[model.dataset, model.name].filter(Boolean).join("-")}.${form}`);
            status.textContent = say("chart_saved");
        } catch (error) {
            status.textContent = say("chart_failed");
        }
        const menu = button.closest("details");
        if (menu) {
            menu.open = false;
            menu.querySelector("summary").focus();
        }
    } }, say(`chart_${form}`))));
    list.querySelectorAll("[data-chart-plain]").forEach((item) => item.remove());
    list.prepend(...items);
    figure.append(status);
}

function show(figure, text) {
    const model = modelOf(parseTwin(text), document.documentElement.lang || "id");
    const picture = figure.querySelector(".chart-picture");
    if (!LIVING.includes(model.type) || model.stops.length + model.rows.length === 0 || !picture)
        return null;
    const [source, licence] = figure.querySelectorAll(".chart-source a");
    model.source = model.source || (source ? source.textContent : ""); /* documents of earlier versions name none */
    model.licence = licence ? { name: licence.textContent, path: licence.href } : model.licence; /* the page names it in its language */
    const view = firstView(model), wished = picture.clientHeight;
    const plot = el("div", { class: "chart-plot", tabindex: "0", role: "slider", "aria-orientation": "horizontal", "aria-label": `${say("chart_read")}: ${model.title}` });
    const reading = makeReading(plot, model, view);
    let drawn = null, width = 0, timer = 0;

    function draw() {
        width = plot.clientWidth;
        if (width < 40)
            return;
        /* as high as the picture was, so that nothing below moves, but no higher than one sees at once */
        const tall = Math.max(width < 480 ? 240 : 280, Math.min(520, room));
        const next = drawChart(model, view, { width, height: tall, ink });
        if (drawn)
            drawn.svg.replaceWith(next.svg);
        else
            plot.prepend(next.svg);
        drawn = next;
        reading.update(drawn);
    }

    const legend = makeLegend(model, view, draw, (k) => drawn && dim(drawn.svg, model.groups, k));
    const period = model.moments ? makeMoments(model, view, draw) : hasPeriod(model) ? makePeriod(model, view, draw) : null;
    const measure = model.measure && model.type !== "gantt" ? el("p", { class: "chart-measure" }, model.measure) : null;
    const head = figure.querySelector(".chart-head");
    const live = el("div", { class: "chart-live" }, measure, model.type === "gantt" ? ganttKey() : legend, plot, period, model.notes ? el("p", { class: "chart-notes" }, model.notes) : null);
    plot.append(reading.tip);
    picture.replaceWith(live);
    if (head)
        head.classList.remove("visually-hidden");
    const around = live.offsetHeight - plot.offsetHeight + (head ? head.offsetHeight : 0), room = wished - around;
    draw();
    makeDownloads(figure, model, view);
    const observer = new ResizeObserver(() => {
        clearTimeout(timer);
        timer = setTimeout(() => {
            if (Math.abs(plot.clientWidth - width) > 1)
                draw();
        }, 60);
    });
    observer.observe(plot);
    return { redraw: draw, remove: () => observer.disconnect() };
}

/* What the signs of a gantt mean. */
function ganttKey() {
    const sign = (name, word) => el("li", null, el("span", { class: `chart-sign chart-sign-${name}` }), word);
    return el("ul", { class: "chart-key" }, sign("planned", say("chart_planned")), sign("actual", say("chart_actual")), sign("late", say("chart_delayed")));
}

window.odpChart = { show };
