/* A link to what a map shows: #<id of the map>=zoom/lat/lon, and of a choropleth its measure, time (empty: all) and the list of places that is drawn. */

export function writeView(id, { zoom, lat, lon, ...shown }) {
    const parts = [Number(zoom.toFixed(2)), lat.toFixed(4), lon.toFixed(4)].map(String);
    if (shown.measure)
        parts.push(...["measure", "time", "level"].map((key) => encodeURIComponent(shown[key] ?? "")));
    return `#${id}=${parts.join("/").replace(/\/+$/, "")}`;
}

/* The view that HASH names for the map ID, or null. */
export function readView(hash, id) {
    const start = `#${id}=`;
    if (!hash.startsWith(start))
        return null;
    const [zoom, lat, lon, measure, time, level] = hash.slice(start.length).split("/");
    const numbers = [zoom, lat, lon].map((text) => (/^-?\d+(\.\d+)?$/.test(text || "") ? Number(text) : NaN));
    if (!numbers.every(Number.isFinite) || numbers[0] > 18 || Math.abs(numbers[1]) > 90 || Math.abs(numbers[2]) > 180)
        return null;
    const text = (part) => {
        try {
            return part ? decodeURIComponent(part) : null;
        } catch (error) {
            return null;
        }
    };
    return { zoom: numbers[0], lat: numbers[1], lon: numbers[2], measure: text(measure), time: text(time), level: text(level) };
}
