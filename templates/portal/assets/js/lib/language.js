/* The programming language that examples are shown in ("curl", "Python" …): chosen once, on whatever page. */
const STORE = "odp-language";

export function rememberedLanguage() {
    try {
        return localStorage.getItem(STORE) || "";
    } catch (error) {
        return ""; /* the browser forbids storage */
    }
}

export function rememberLanguage(name) {
    try {
        localStorage.setItem(STORE, name);
    } catch (error) {
        /* for this page, then */
    }
}
