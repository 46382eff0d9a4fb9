/* Coast lines for maps, of Natural Earth's countries at 1:10,000,000 (world-atlas): Indonesia and what is around it, simplified until it is small enough
 * for a slow network. static/coast.json was made by this, and is made again only where the lines are to be others:
 *
 *   npm install --prefix FOLDER --ignore-scripts world-atlas@2.0.2 topojson-client@3.1.0
 *   node coast.mjs FOLDER > static/coast.json
 *
 * A FeatureCollection of two features, `who` "id" (Indonesia) and "other" (everybody else), each a MultiPolygon with two decimals (about a kilometre; one where it is far). It is for
 * orientation: no boundary in it is an official one, and whoever shows it says so. */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const INDONESIA = "360"; /* ISO 3166-1, which the source uses as its id */
const WINDOW = [52, -55, 178, 58]; /* what a tall narrow map that shows all of Indonesia can still see */
const NEAR = [93, -13, 143, 9];
const AROUND = [88, -24, 156, 24];
/* How far a line may move, in degrees: a shore of Indonesia, one of a neighbour in the same picture, one around it, one that only a telephone's tall map shows. */
const FINE = { own: 0.027, near: 0.15, around: 0.25, far: 1 };
const ISLAND = { id: 0.002, other: 0.5 }; /* square degrees; what is smaller is left out */

const inside = (box, [x, y]) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];

/* Distance of P from the segment A-B, squared. */
function distance2([x, y], [ax, ay], [bx, by]) {
    const dx = bx - ax;
    const dy = by - ay;
    const length2 = dx * dx + dy * dy;
    const t = length2 > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length2)) : 0;
    const ex = x - ax - t * dx;
    const ey = y - ay - t * dy;
    return ex * ex + ey * ey;
}

/* Douglas and Peucker, between positions FROM and TO of LINE; TOLERANCE is a function of a position. */
function keep(line, from, to, kept, tolerance) {
    let worst = 0;
    let at = -1;
    for (let i = from + 1; i < to; i++) {
        const d = distance2(line[i], line[from], line[to]);
        if (d > worst) {
            worst = d;
            at = i;
        }
    }
    if (at < 0 || worst <= tolerance(line[at]) ** 2)
        return;
    kept[at] = true;
    keep(line, from, at, kept, tolerance);
    keep(line, at, to, kept, tolerance);
}

/* One arc of the topology. Neighbours share it, so their borders stay the same; a closed one (an island) keeps at least a triangle. */
function simplify(line, tolerance) {
    const last = line.length - 1;
    const kept = new Array(line.length).fill(false);
    kept[0] = kept[last] = true;
    const closed = line[0][0] === line[last][0] && line[0][1] === line[last][1];
    if (closed && last > 3) {
        const from = line[0];
        let far = 0;
        for (let i = 1; i < last; i++)
            if (distance2(line[i], from, from) > distance2(line[far], from, from))
                far = i;
        let wide = 0;
        for (let i = 1; i < last; i++)
            if (i !== far && (wide === 0 || distance2(line[i], from, line[far]) > distance2(line[wide], from, line[far])))
                wide = i;
        const stops = [0, Math.min(far, wide), Math.max(far, wide), last];
        for (let i = 0; i < 3; i++) {
            kept[stops[i]] = true;
            keep(line, stops[i], stops[i + 1], kept, tolerance);
        }
    } else {
        keep(line, 0, last, kept, tolerance);
    }
    return line.filter((_, i) => kept[i]);
}

/* Sutherland and Hodgman: RING, closed, within the window; edges along the window's frame may come of it, which nobody sees as the frame is outside of every view. */
function clip(ring) {
    const edges = [
        [0, WINDOW[0], 1], [1, WINDOW[1], 1], [0, WINDOW[2], -1], [1, WINDOW[3], -1],
    ];
    let points = ring.slice(0, -1);
    for (const [axis, at, sign] of edges) {
        const out = [];
        points.forEach((p, i) => {
            const before = points[(i + points.length - 1) % points.length];
            const isIn = (p[axis] - at) * sign >= 0;
            if (isIn !== ((before[axis] - at) * sign >= 0)) {
                const t = (at - before[axis]) / (p[axis] - before[axis]);
                out.push([before[0] + t * (p[0] - before[0]), before[1] + t * (p[1] - before[1])]);
            }
            if (isIn)
                out.push(p);
        });
        points = out;
    }
    return points;
}

const area = (ring) => Math.abs(ring.reduce((sum, [x, y], i) => {
    const [nx, ny] = ring[(i + 1) % ring.length];
    return sum + x * ny - nx * y;
}, 0)) / 2;

/* Rounded, and no position twice in a row; closed again. Null: nothing is left of it. */
function finish(points, smallest) {
    const ring = points.map((p) => p.map((n) => Number(n.toFixed(inside(NEAR, p) ? 2 : 1))))
        .filter(([x, y], i, all) => i === 0 || x !== all[i - 1][0] || y !== all[i - 1][1]);
    if (ring.length > 1 && ring[0][0] === ring[ring.length - 1][0] && ring[0][1] === ring[ring.length - 1][1])
        ring.pop();
    return ring.length < 3 || area(ring) < smallest ? null : [...ring, ring[0]];
}

/* A ring that crosses the line of change of date goes on beyond 180 degrees, instead of all around the world. */
function unwrap(ring) {
    const crosses = ring.some(([x], i) => i > 0 && Math.abs(x - ring[i - 1][0]) > 180);
    return crosses ? ring.map(([x, y]) => [x < 0 ? x + 360 : x, y]) : ring;
}

/* The polygons of a MultiPolygon of the source as they are published. */
function cut(polygons, smallest) {
    const out = [];
    for (const polygon of polygons) {
        const rings = polygon.map((ring) => finish(clip(unwrap(ring)), smallest));
        if (rings[0] !== null)
            out.push(rings.filter((ring) => ring !== null));
    }
    return out;
}

/* The text of coast.json. MODULES: a folder with node_modules. */
function makeCoast(modules) {
    const need = createRequire(`${modules}/package.json`);
    const topojson = need("topojson-client");
    const world = JSON.parse(readFileSync(need.resolve("world-atlas/countries-10m.json"), "utf8"));
    const countries = world.objects.countries.geometries;
    const isOwn = (country) => String(country.id) === INDONESIA;
    const own = new Set(countries.filter(isOwn).flatMap((country) => country.arcs.flat(Infinity)).map((arc) => (arc < 0 ? ~arc : arc)));
    const { scale, translate } = world.transform;
    /* Neighbours share the arcs of their border: simplified once, they still meet. */
    const arcs = world.arcs.map((arc, i) => {
        let x = 0;
        let y = 0;
        const line = arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]]);
        return simplify(line, own.has(i) ? () => FINE.own : (p) => (inside(NEAR, p) ? FINE.near : inside(AROUND, p) ? FINE.around : FINE.far));
    });
    const plain = { type: "Topology", objects: world.objects, arcs };
    const polygons = { id: [], other: [] };
    for (const country of countries) {
        const { geometry } = topojson.feature(plain, country);
        const who = isOwn(country) ? "id" : "other";
        polygons[who].push(...cut(geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates, ISLAND[who]));
    }
    const features = Object.entries(polygons).map(([who, coordinates]) => ({
        type: "Feature", properties: { who }, geometry: { type: "MultiPolygon", coordinates },
    }));
    return `${JSON.stringify({ type: "FeatureCollection", name: "coast", source: "Natural Earth 1:10m", features })}\n`;
}

process.stdout.write(makeCoast(process.argv[2]));
