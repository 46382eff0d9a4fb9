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

const isSaving = () => Boolean(navigator.connection && navigator.connection.saveData);

/* RUN once, when ELEMENT comes near the screen; not at all where data are saved. */
export function whenSeen(element, run) {
    if (isSaving() || !("IntersectionObserver" in window))
        return;
    const observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
            observer.disconnect();
            run();
        }
    }, { rootMargin: "200px" });
    observer.observe(element);
}

let charts = null;

/* chart.js, whose address FIGURE names (data-chart-js, data-chart-js-integrity), once a page. Resolves to window.odpChart. */
export function loadChart(figure) {
    if (charts === null) {
        charts = fetchInto("script", { src: figure.dataset.chartJs, integrity: figure.dataset.chartJsIntegrity }).then(() => window.odpChart);
        charts.catch(() => {
            charts = null;
        });
    }
    return charts;
}

/* The charts below ROOT (parts/chart.html) live when they come near the screen; what cannot be loaded stays the picture that it is. */
export function setUpCharts(root = document) {
    root.querySelectorAll("figure[data-chart]").forEach((figure) => whenSeen(figure, async () => {
        try {
            const [odpChart, answer] = await Promise.all([loadChart(figure), fetch(figure.dataset.chart)]);
            if (answer.ok)
                odpChart.show(figure, await answer.text());
        } catch (error) {
            /* the picture says the same */
        }
    }));
}
