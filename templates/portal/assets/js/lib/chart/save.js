/* A chart as a file that can stand alone: PNG, SVG, CSV, with title, source and licence on it. Pictures are always as on paper: light, 960 px wide, whatever the
 * reader's screen. */
import { el } from "../dom.js";
import { say } from "../words.js";
import { drawChart } from "./draw.js";
import { widthOf, wrapped } from "./layout.js";
import { csvOf, shownOf } from "./twin.js";

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 960, EDGE = 32, TWICE = 2;

/* The light values of tokens.css: a file has no style sheet. tests/portal_js compares them with write/charts/plot.c. */
export const PAPER = {
    "--chart-1": "#0038ad", "--chart-2": "#c6831d", "--chart-3": "#182f25", "--chart-4": "#5a77f0", "--chart-5": "#431264", "--chart-6": "#18a659", "--chart-7": "#722400",
    "--chart-8": "#8b8b8b", "--chart-single": "#205f90", "--chart-late": "#b3400a", "--chart-step-1": "#4f99c6", "--chart-step-2": "#387cac", "--chart-step-3": "#205f90", "--chart-step-4": "#12426f", "--chart-step-5": "#0a2444",
    "--chart-text": "#1b1f24", "--chart-grid": "#d9dee3", "--chart-ground": "#ffffff",
};
const MUTED = "#4b5560";

function shape(name, attributes, text) {
    const element = document.createElementNS(NS, name);
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
    if (text !== undefined)
        element.textContent = text;
    return element;
}

/* Adds TEXT in lines below Y; returns where the next may begin. */
function write(svg, text, y, { size, bold = false, fill = PAPER["--chart-text"], width = WIDTH - 2 * EDGE }) {
    if (!text)
        return y;
    wrapped(text, width, size, bold).forEach((line) => {
        y += size * 1.3;
        svg.append(shape("text", { x: EDGE, y, "font-size": size, "font-weight": bold ? 600 : 400, fill }, line));
    });
    return y;
}

function writeLegend(svg, model, view, y) {
    const { groups } = shownOf(model, view);
    if (model.moments)
        return write(svg, `${model.group}: ${model.groups[view.moment].label}`, y + 4, { size: 14, bold: true });
    if (model.groups.length < 2)
        return y;
    let x = EDGE, line = y + 26;
    groups.forEach((k) => {
        const w = 20 + widthOf(model.groups[k].label, 13) + 18;
        if (x + w > WIDTH - EDGE && x > EDGE) {
            x = EDGE;
            line += 20;
        }
        svg.append(shape("rect", { x, y: line - 10, width: 12, height: 12, rx: 2, fill: PAPER[model.groups[k].color] }), shape("text", { x: x + 18, y: line, "font-size": 13, fill: PAPER["--chart-text"] }, model.groups[k].label));
        x += w;
    });
    return line;
}

/* The whole picture as an <svg>. ADDRESS: of the page that it is from. */
export function pictureOf(model, view, address) {
    const drawn = drawChart(model, view, { width: WIDTH - 2 * EDGE, height: 420, ink: (name) => PAPER[name] }).svg;
    const svg = shape("svg", { xmlns: NS, "font-family": "system-ui, sans-serif", role: "img" });
    const ground = shape("rect", { width: WIDTH, fill: PAPER["--chart-ground"] });
    svg.append(shape("title", {}, `${model.heading}. ${model.title}`), ground);
    let y = write(svg, model.heading, 16, { size: 24, bold: true });
    y = write(svg, model.heading === model.title ? "" : model.title, y + 4, { size: 16 });
    y = write(svg, model.measure, y + 2, { size: 14, fill: MUTED });
    y = writeLegend(svg, model, view, y) + 16;
    drawn.setAttribute("x", String(EDGE));
    drawn.setAttribute("y", String(y));
    drawn.removeAttribute("aria-hidden");
    svg.append(drawn);
    y += Number(drawn.getAttribute("height")) + 10;
    y = write(svg, model.notes, y, { size: 12, fill: MUTED });
    y = write(svg, creditOf(model, address), y + 4, { size: 12, fill: MUTED }) + 16;
    svg.setAttribute("width", String(WIDTH));
    svg.setAttribute("height", String(Math.ceil(y)));
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${Math.ceil(y)}`);
    ground.setAttribute("height", String(Math.ceil(y)));
    return svg;
}

/* "Sumber: …, versi …. Lisensi: …. https://…" */
export function creditOf(model, address) {
    const parts = [
        model.source ? say("chart_source", { source: model.version ? `${model.source} (${model.version})` : model.source }) : "",
        model.licence ? say("chart_licence", { licence: model.licence.name }) : "",
        address,
    ];
    return parts.filter(Boolean).join(" · ");
}

const svgText = (model, view, address) => new XMLSerializer().serializeToString(pictureOf(model, view, address));

/* The policy of pages lets pictures be data:, not blob:. */
async function pngOf(text) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = el("canvas", { width: image.naturalWidth * TWICE, height: image.naturalHeight * TWICE });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("png"))), "image/png"));
}

const columns = () => ({
    category: say("chart_category"), group: say("chart_groups"), value: say("chart_value"), unit: say("chart_unit"), title: say("chart_title"), source: say("chart_origin"),
    licence: say("chart_terms"), planned: say("chart_planned"), actual: say("chart_actual"),
});

/* {png, svg, csv}: each promises a Blob. */
export const FORMS = {
    png: (model, view, address) => pngOf(svgText(model, view, address)),
    svg: async (model, view, address) => new Blob([svgText(model, view, address)], { type: "image/svg+xml" }),
    csv: async (model, view) => new Blob(["\ufeff", csvOf(model, view, columns())], { type: "text/csv;charset=utf-8" }),
};

export function download(blob, name) {
    const link = el("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
