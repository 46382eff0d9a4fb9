/* Positions on maps; nothing of a page is in here. */

/* [x, y, dx, dy, …] in thousandths of a degree, as Leaflet has positions. */
export function positionsOf(flat) {
    const out = [];
    let x = 0;
    let y = 0;
    for (let i = 0; i + 1 < flat.length; i += 2) {
        x += flat[i];
        y += flat[i + 1];
        out.push([y / 1000, x / 1000]);
    }
    return out;
}

/* Those of LIST ([{x, y, text}], the weightier first) that can be written without touching another: their middles in pixels. */
export function placeNames(list, most) {
    const taken = [];
    return list.filter(({ x, y, text }) => {
        if (taken.length >= most)
            return false;
        const half = 6 + text.length * 3.4;
        const free = !taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < 17);
        if (free)
            taken.push({ x, y, half });
        return free;
    });
}

const areaOf = (ring) => ring.reduce((sum, [x, y], i) => {
    const [nx, ny] = ring[(i + 1) % ring.length];
    return sum + x * ny - nx * y;
}, 0) / 2;

/* [lat, lon] in the largest ring of a polygon: in the middle of the widest piece of the line at its centre's height. */
export function middleOf({ type, coordinates }) {
    const rings = (type === "MultiPolygon" ? coordinates : [coordinates]).map((polygon) => polygon[0]);
    const ring = rings.reduce((best, one) => (Math.abs(areaOf(one)) > Math.abs(areaOf(best)) ? one : best));
    const area = areaOf(ring);
    const lat = area === 0 ? ring[0][1] : ring.reduce((sum, [x, y], i) => {
        const [nx, ny] = ring[(i + 1) % ring.length];
        return sum + (y + ny) * (x * ny - nx * y);
    }, 0) / (6 * area);
    const cuts = ring.flatMap(([x, y], i) => {
        const [nx, ny] = ring[(i + 1) % ring.length];
        return (y > lat) === (ny > lat) ? [] : [x + ((lat - y) / (ny - y)) * (nx - x)];
    }).sort((a, b) => a - b);
    let best = [ring[0][0], ring[0][0]];
    for (let i = 0; i + 1 < cuts.length; i += 2)
        if (cuts[i + 1] - cuts[i] > best[1] - best[0])
            best = [cuts[i], cuts[i + 1]];
    return [lat, (best[0] + best[1]) / 2];
}
