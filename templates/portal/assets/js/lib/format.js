/* Numbers and days as people read them, in the page's language; pages say the same with the filters number and day, legends in pictures with odp_text_bound. */

const lang = typeof document === "undefined" ? "id" : document.documentElement.lang || "id";
const made = new Map();

function formatter(locale, options) {
    const key = locale + JSON.stringify(options);
    if (!made.has(key)) made.set(key, new Intl.NumberFormat(locale, options));
    return made.get(key);
}

/* "1.204,5": all decimals, or at most so many. */
export const number = (n, decimals = 12, locale = lang) => formatter(locale, { maximumFractionDigits: decimals }).format(n);

/* "3,24 juta", "8.412": six digits, so that two neighbouring bounds of classes do not read alike. */
export function bound(n, locale = lang) {
    const long = Math.abs(n) < 1e6 ? {} : { notation: "compact", compactDisplay: "long", useGrouping: true };
    return formatter(locale, { maximumSignificantDigits: 6, ...long }).format(n);
}

/* "15 Maret 2024" of "2024-03-15" or of a time on that day; TEXT itself where it is none. */
export function day(text, locale = lang) {
    const date = new Date(`${String(text).slice(0, 10)}T00:00:00Z`);
    return Number.isNaN(date.getTime()) ? String(text) : date.toLocaleDateString(locale === "en" ? "en-GB" : locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}
