/* The page's words for scripts: <script type="application/json" id="words">{"map_all": "…"}</script>, in the page's language.
 * A script holds no sentence of its own, so that a ministry can change every word in templates/portal/words. */

let read = null;

/* An object of texts; empty where the page has none. */
export function words() {
    if (read === null) {
        const element = document.getElementById("words");
        try {
            read = element === null ? {} : JSON.parse(element.textContent);
        } catch (error) {
            read = {};
        }
    }
    return read;
}

/* TEXT with {name} replaced by VALUES.name, and {name|record|records} by it and the word for one or for many. */
export function fill(text, values = {}) {
    return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => {
        if (!(name in values))
            return whole;
        const value = String(values[name]);
        return one === undefined ? value : `${value} ${value === "1" ? one : many}`;
    });
}

/* The word KEY with VALUES; the key itself where the page forgot the word, so that the fault is seen. */
export function say(key, values) {
    const text = words()[key] ?? words()[`explorer_js_${key}`];
    if (typeof text !== "string")
        return key;
    return fill(text, values);
}
