/* Numbers and days as people read them, in the page's language; pages say the same with the filters number, amount and day. */

const lang = typeof document === "undefined" ? "id" : document.documentElement.lang || "id";
const made = new Map();

function formatter(locale, options) {
    const key = locale + JSON.stringify(options);
    if (!made.has(key)) made.set(key, new Intl.NumberFormat(locale, options));
    return made.get(key);
}

/* "1.204,5": all decimals, or at most so many. */
export const number = (n, decimals = 12, locale = lang) => formatter(locale, { maximumFractionDigits: decimals }).format(n);

/* "1,2 juta", "8.412", "24,9", "0,37": short enough to be read in a sentence. Longer in the sentence of a table: number(). */
export function amount(n, locale = lang) {
    const size = Math.abs(n);
    if (!(size < 1e18)) return String(n);
    if (size < 999999.5) {
        if (size > 0 && size < 1) return formatter(locale, { maximumSignificantDigits: 2 }).format(n);
        return formatter(locale, { maximumFractionDigits: size >= 1000 ? 0 : size >= 10 ? 1 : 2 }).format(n);
    }
    return formatter(locale, { notation: "compact", compactDisplay: "long", maximumFractionDigits: 1, useGrouping: true }).format(n);
}

/* "15 Maret 2024" of "2024-03-15" or of a time on that day; TEXT itself where it is none. */
export function day(text, locale = lang) {
    const date = new Date(`${String(text).slice(0, 10)}T00:00:00Z`);
    return Number.isNaN(date.getTime()) ? String(text) : date.toLocaleDateString(locale === "en" ? "en-GB" : locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}
