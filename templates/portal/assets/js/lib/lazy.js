/* What most visits do not need is loaded when a page wants it: the interactive map (50 KB), the search. */

let loading = null;

/* An element of the head with its address and digest; resolves when it is there. */
export function fetchInto(name, attributes) {
    return new Promise((resolve, reject) => {
        const element = document.createElement(name);
        Object.entries(attributes).forEach(([key, value]) => {
            if (value)
                element.setAttribute(key, value);
        });
        element.addEventListener("load", resolve);
        element.addEventListener("error", () => {
            element.remove();
            reject(new Error(`cannot load ${attributes.src || attributes.href}`));
        });
        document.head.append(element);
    });
}

/* Loads map_js and map_css, whose addresses and digests ELEMENT names (data-map-js, data-map-js-integrity, data-map-css, data-map-css-integrity), once a page.
 * Resolves to window.odpMap; rejects when they cannot be had, and then a later call tries again. */
export function loadMap(element) {
    if (loading === null) {
        const { mapJs, mapJsIntegrity, mapCss, mapCssIntegrity } = element.dataset;
        loading = Promise.all([
            fetchInto("link", { rel: "stylesheet", href: mapCss, integrity: mapCssIntegrity }),
            fetchInto("script", { src: mapJs, integrity: mapJsIntegrity }),
        ]).then(() => window.odpMap);
        loading.catch(() => {
            loading = null;
        });
    }
    return loading;
}
