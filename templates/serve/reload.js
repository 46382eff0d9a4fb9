/* Loads the page again after each build of `odp-build serve`, at the same place. A page that nobody looks at holds no connection: a
   browser has few of them for one server. */
(() => {
    const { build } = document.currentScript.dataset;
    let events = null;
    function listen() {
        if (document.hidden) {
            events?.close();
            events = null;
        } else if (events === null) {
            events = new EventSource("/_odp/events");
            events.addEventListener("build", (event) => {
                if (event.data !== build)
                    window.location.reload();
            });
        }
    }
    if (window.top !== window)
        return;
    document.addEventListener("visibilitychange", listen);
    window.addEventListener("pagehide", () => events?.close());
    listen();
})();
