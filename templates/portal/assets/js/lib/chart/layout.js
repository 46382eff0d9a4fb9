/* Where things of a chart stand: which way its bars lie, which labels of an axis have room, how high it becomes. */
export const SIZE = 12; /* px of a letter; axes and names */
const NARROW = 480;

let paper = null;

/* The width of TEXT in pixels; without a canvas an estimate that is rather too wide. */
export function widthOf(text, size = SIZE, bold = false) {
    if (paper === null && typeof document !== "undefined" && document.createElement)
        paper = document.createElement("canvas").getContext("2d");
    if (!paper)
        return text.length * size * 0.6;
    paper.font = `${bold ? "600 " : ""}${size}px system-ui, sans-serif`;
    return paper.measureText(text).width;
}

export const isNarrow = (width) => width < NARROW;

/* Round borders around [lo, hi], and about COUNT places between them: multiples of 1, 2 or 5 times a power of ten, at least LEAST apart, or labels would be equal
 * and a change of nothing a cliff. */
export function axisOf(lo, hi, count, fromZero, least = 0) {
    let [a, b] = fromZero ? [Math.min(0, lo), Math.max(0, hi)] : [lo, hi];
    if (a === b)
        [a, b] = a === 0 ? [0, 1] : [Math.min(a, 0), Math.max(a, 0)];
    const apart = Math.max((b - a) / count, least), power = Math.floor(Math.log10(apart) + 1e-9), raw = apart / 10 ** power - 1e-9;
    const times = raw > 5 ? 10 : raw > 2 ? 5 : raw > 1 ? 2 : 1, step = (i) => (power < 0 ? (i * times) / 10 ** -power : i * times * 10 ** power);
    const first = Math.floor(a / step(1) + 1e-9), last = Math.ceil(b / step(1) - 1e-9);
    const ticks = Array.from({ length: last - first + 1 }, (_, i) => step(first + i));
    return { lo: ticks[0], hi: ticks[ticks.length - 1], ticks };
}

/* Of LABELS at PLACES (rising, in pixels) those that stand beside each other: every nth, the last one among them. */
export function thinned(labels, places) {
    const widest = Math.max(...labels.map((text) => widthOf(text))) + 14;
    const gap = labels.length > 1 ? (places[places.length - 1] - places[0]) / (labels.length - 1) : widest;
    const every = Math.max(1, Math.ceil(widest / Math.max(1, gap)));
    return labels.map((_, i) => i).filter((i) => (labels.length - 1 - i) % every === 0);
}

/* TEXT in lines of at most WIDTH pixels. */
export function wrapped(text, width, size = SIZE, bold = false) {
    const lines = [""];
    text.split(/\s+/).forEach((word) => {
        const longer = lines[lines.length - 1] === "" ? word : `${lines[lines.length - 1]} ${word}`;
        if (widthOf(longer, size, bold) <= width || lines[lines.length - 1] === "")
            lines[lines.length - 1] = longer;
        else
            lines.push(word);
    });
    return lines;
}

/* Places of names at the ends of lines, none on another: moved apart by HEIGHT, within [top, bottom]. */
export function apart(places, height, top, bottom) {
    const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
    const moved = places.slice();
    order.forEach((i, n) => (moved[i] = n > 0 ? Math.max(moved[i], moved[order[n - 1]] + height) : Math.max(moved[i], top)));
    for (let n = order.length - 1, limit = bottom; n >= 0; n--, limit -= height)
        moved[order[n]] = Math.min(moved[order[n]], limit);
    return moved;
}

/* Whether bars stand: over time and numbers, and over a few ordered names that fit below them. */
export function stand(model, stops, width) {
    if (model.type === "histogram" || model.axis === "year" || model.axis === "time" || model.axis === "number")
        return true;
    const room = (width - 60) / Math.max(1, stops.length) - 8;
    return model.ordered === true && stops.length <= 8 && stops.every((i) => widthOf(model.stops[i].label) <= room);
}
