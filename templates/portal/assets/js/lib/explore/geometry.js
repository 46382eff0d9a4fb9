/* Geometries: whether one meets a box, its own box, its text. {type, coordinates} or {type: "GeometryCollection", geometries}; planar, in degrees. */

const inBox = ([x, y], [w, s, e, n]) => x >= w && x <= e && y >= s && y <= n;

/* Whether the line from A to B has a point in BOX (Liang and Barsky). */
function segmentMeets(a, b, box) {
    let [from, to] = [0, 1];
    for (const axis of [0, 1]) {
        const d = b[axis] - a[axis];
        const [low, high] = [box[axis] - a[axis], box[axis + 2] - a[axis]];
        if (d === 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        const [enter, leave] = d > 0 ? [low / d, high / d] : [high / d, low / d];
        from = Math.max(from, enter);
        to = Math.min(to, leave);
        if (from > to)
            return false;
    }
    return true;
}

const lineMeets = (line, box) => line.some((at, i) => inBox(at, box) || (i > 0 && segmentMeets(line[i - 1], at, box)));

function inRing([x, y], ring) {
    let inside = false;
    for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
        const [a, b] = [ring[i], ring[j]];
        if (a[1] > y !== b[1] > y && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0])
            inside = !inside;
    }
    return inside;
}

/* A ring of it meets the box, or all of the box is inside. */
function polygonMeets(rings, box) {
    return rings.some((ring) => lineMeets(ring, box)) || (rings.length > 0 && inRing(box, rings[0]) && !rings.slice(1).some((hole) => inRing(box, hole)));
}

const MEETS = {
    Point: (at, box) => at.length > 0 && inBox(at, box),
    MultiPoint: (points, box) => points.some((at) => inBox(at, box)),
    LineString: lineMeets,
    MultiLineString: (lines, box) => lines.some((line) => lineMeets(line, box)),
    Polygon: polygonMeets,
    MultiPolygon: (polygons, box) => polygons.some((rings) => polygonMeets(rings, box)),
};

function meetsOne(geometry, box) {
    return geometry.type === "GeometryCollection" ? geometry.geometries.some((part) => meetsOne(part, box)) : MEETS[geometry.type](geometry.coordinates, box);
}

/* BOX may cross 180°. */
export function meetsBox(geometry, box) {
    const [w, s, e, n] = box;
    return w <= e ? meetsOne(geometry, box) : meetsOne(geometry, [w, s, 180, n]) || meetsOne(geometry, [-180, s, e, n]);
}

/* EXTENT grows by GEOMETRY; null is none yet. */
export function extend(extent, geometry) {
    const visit = (at) => {
        if (typeof at[0] === "number")
            extent = extent === null ? [at[0], at[1], at[0], at[1]] : [Math.min(extent[0], at[0]), Math.min(extent[1], at[1]), Math.max(extent[2], at[0]), Math.max(extent[3], at[1])];
        else
            at.forEach(visit);
    };
    (geometry.type === "GeometryCollection" ? geometry.geometries : [geometry]).forEach((part) => {
        if (part.type === "GeometryCollection")
            extent = extend(extent, part);
        else if (part.coordinates.length > 0)
            visit(part.coordinates);
    });
    return extent;
}

/* ---- GeoPackage's binary (catalog/index/gpb.h) ---- */

const TYPES = [null, "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection"];
const ENVELOPES = [0, 32, 48, 48, 64];

class Wkb {
    constructor(bytes, at) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.at = at;
    }

    whole() {
        this.at += 4;
        return this.view.getUint32(this.at - 4, true);
    }

    list(read) {
        return Array.from({ length: this.whole() }, read);
    }

    position(size) {
        return Array.from({ length: size }, () => {
            this.at += 8;
            return this.view.getFloat64(this.at - 8, true);
        });
    }

    geometry() {
        this.at++; /* little-endian, as all of ours */
        const code = this.whole();
        const type = TYPES[code % 1000];
        const size = code >= 1000 ? 3 : 2;
        const line = () => this.list(() => this.position(size));
        switch (type) {
        case "Point": {
            const at = this.position(size);
            return { type, coordinates: Number.isNaN(at[0]) ? [] : at };
        }
        case "LineString":
            return { type, coordinates: line() };
        case "Polygon":
            return { type, coordinates: this.list(line) };
        case "GeometryCollection":
            return { type, geometries: this.list(() => this.geometry()) };
        default:
            return { type, coordinates: this.list(() => this.geometry().coordinates) };
        }
    }
}

/* The geometry in BYTES; null where there is none. */
export function readGpb(bytes) {
    if (bytes === null || bytes.length < 8)
        return null;
    return new Wkb(bytes, 8 + ENVELOPES[(bytes[3] >> 1) & 7]).geometry();
}

/* ---- text ---- */

/* A coordinate as published: seven decimals at most. */
export function coordinate(v) {
    const text = v.toFixed(7).replace(/\.?0+$/, "");
    return text === "-0" ? "0" : text;
}

const listText = (at) => (typeof at[0] === "number" ? `[${at.map(coordinate).join(",")}]` : `[${at.map(listText).join(",")}]`);

/* GeoJSON as published. */
export function geometryText(geometry) {
    if (geometry.type === "GeometryCollection")
        return `{"type":"GeometryCollection","geometries":[${geometry.geometries.map(geometryText).join(",")}]}`;
    return `{"type":"${geometry.type}","coordinates":${listText(geometry.coordinates)}}`;
}

const wktList = (at, z) => (typeof at[0] === "number" ? at.map(coordinate).join(" ") : `(${at.map((part) => wktList(part, z)).join(",")})`);

export function wktOf(geometry) {
    const z = Array.isArray(geometry.coordinates) && geometry.coordinates.flat(4).length > 0 && depthOf(geometry.coordinates) === 3 ? " Z" : "";
    const body = geometry.coordinates.length === 0 ? "EMPTY" : geometry.type === "Point" ? `(${wktList(geometry.coordinates)})` : wktList(geometry.coordinates);
    return `${geometry.type.toUpperCase()}${z} ${body}`;
}

/* How many numbers a position has. */
function depthOf(at) {
    return typeof at[0] === "number" ? at.length : depthOf(at[0]);
}
