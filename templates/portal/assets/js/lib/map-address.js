/* A link to what a map shows: #<id of the map>=zoom/lat/lon, and of a choropleth its measure and time. */

export function writeView(id, { zoom, lat, lon, measure, time }) {
    const parts = [Number(zoom.toFixed(2)), lat.toFixed(4), lon.toFixed(4)].map(String);
    if (measure)
        parts.push(encodeURIComponent(measure), ...(time === null || time === undefined ? [] : [encodeURIComponent(time)]));
    return `#${id}=${parts.join("/")}`;
}

/* The view that HASH names for the map ID, or null. */
export function readView(hash, id) {
    const start = `#${id}=`;
    if (!hash.startsWith(start))
        return null;
    const [zoom, lat, lon, measure, time] = hash.slice(start.length).split("/");
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
    return { zoom: numbers[0], lat: numbers[1], lon: numbers[2], measure: text(measure), time: text(time) };
}
