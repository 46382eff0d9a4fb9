/* Elements without markup: what comes from data is always text. */

/* <NAME> with attributes (a value of false, null or undefined: none; true: empty; a function: a listener of that event) and children
 * (elements and texts; falsy ones are left out). */
export function el(name, attributes, ...children) {
    const element = document.createElement(name);
    Object.entries(attributes || {}).forEach(([key, value]) => {
        if (typeof value === "function") element.addEventListener(key, value);
        else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value === true ? "" : String(value));
    });
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
    return element;
}

/* TEXT with what stands between backticks as <code>, as descriptions of the API are written. */
export function prose(text) {
    return text.split("`").map((part, i) => (i % 2 === 1 ? el("code", null, part) : part));
}

/* Puts TEXT on the clipboard; rejects where the browser does not allow it. navigator.clipboard is missing where the page did not come
 * by HTTPS. */
export async function copyText(text) {
    if (navigator.clipboard) {
        await navigator.clipboard.writeText(text);
        return;
    }
    const area = el("textarea", { class: "visually-hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("copy");
}
