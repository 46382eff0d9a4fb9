/* A place within a frame: the figures of its own page (tempat/<code>.html), which lies as deep in the site as this one, so that its links hold. ?kode=32.73, and
 * &data=<slug> for what one dataset says. */
import { el } from "./dom.js";
import { isPlacePage } from "./place.js";
import { say } from "./words.js";

async function figuresOf(address, slug) {
    const answer = await fetch(address);
    if (!answer.ok)
        throw new Error(String(answer.status));
    /* A document without a window: nothing of it runs. */
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const sections = [...page.querySelectorAll(".place-data")].filter((section) => !slug || section.querySelector(`h2 a[href$="/${CSS.escape(slug)}.html"]`));
    return { name: page.querySelector("h1").textContent, sections: sections.map((section) => document.importNode(section, true)) };
}

/* In BOX (data-places: the folder of the pages); ALL is the link to the page itself. */
export async function showPlace(box, all) {
    const asked = new URLSearchParams(location.search), code = asked.get("kode") || "";
    try {
        if (!isPlacePage(code))
            throw new Error("code");
        const address = `${box.dataset.places}${code}.html`;
        const { name, sections } = await figuresOf(address, asked.get("data"));
        if (sections.length === 0)
            throw new Error("none");
        all.href = address;
        document.title = name;
        const heading = document.querySelector("h1");
        heading.textContent = name;
        heading.className = "chart-heading";
        box.replaceChildren(...sections);
    } catch (error) {
        box.replaceChildren(el("p", { role: "status" }, say("embed_js_none")));
    }
}
