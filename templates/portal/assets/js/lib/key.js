/* The user's API key: kept in this tab's sessionStorage alone, never in an address, a cookie or localStorage.
 * Its form is tools/odp-gateway/core/keys/key.c's: "odp_live_", 30 base62 digits, their CRC-32 as 6 base62 digits. */

const PREFIX = "odp_live_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const STORE = "odp-key";
const FORM = /^odp_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/* Where the browser forbids storage (a private window, a file), the page still remembers. */
let remembered = "";

/* CRC-32 of zlib over ASCII text. */
export function crc32(text) {
    let crc = 0xffffffff;
    for (let i = 0; i < text.length; i++) {
        crc ^= text.charCodeAt(i);
        for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return (crc ^ 0xffffffff) >>> 0;
}

/* The six digits that BODY's 30 must end with. */
export function checksum(body) {
    let sum = crc32(body);
    let digits = "";
    for (let i = 0; i < 6; i++) {
        digits = ALPHABET[sum % 62] + digits;
        sum = Math.floor(sum / 62);
    }
    return digits;
}

/* Whether KEY can be one: a slip of the finger is found before anything is sent. */
export function validForm(key) {
    const match = FORM.exec(key);
    return match !== null && checksum(match[1]) === match[2];
}

/* What may be shown of a key, as the gateway's lists do. */
export function shownForm(key) {
    return key.slice(0, PREFIX.length + 5) + "…";
}

/* The key, or "". One that has not the form (another page's, an extension's) is none. */
export function getKey() {
    let key = remembered;
    try {
        key = sessionStorage.getItem(STORE) || remembered;
    } catch (error) {
        /* remembered */
    }
    return validForm(key) ? key : "";
}

/* False: it has not the form, and nothing is stored. */
export function setKey(key) {
    if (!validForm(key)) return false;
    remembered = key;
    try {
        sessionStorage.setItem(STORE, key);
    } catch (error) {
        /* remembered */
    }
    return true;
}

export function forgetKey() {
    remembered = "";
    try {
        sessionStorage.removeItem(STORE);
    } catch (error) {
        /* there is none, then */
    }
}
