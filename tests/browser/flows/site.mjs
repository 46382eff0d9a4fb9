// The site as a whole: both languages, keys alone, another base path, less motion, paper.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { assert, BASE, equal, held, SITE, until } from "../lib.mjs";

const PAGES = ["index.html", "katalog/kumuh.html", "katalog/perumahan.html", "penjelajah.html", "rilis.html", "dokumentasi/index.html", "dokumentasi/galat.html", "daftar.html",
    "kunci-saya.html", "status.html", "tentang.html", "privasi.html", "ketentuan.html"];

/* Switching the language keeps the page, there and back. */
export async function languages({ visit }) {
    const { page } = await visit("index.html");
    for (const name of PAGES) {
        await page.goto(new URL(name, BASE).href);
        const wanted = await page.locator("link[rel=alternate][hreflang=en]").count() ? await page.locator("link[rel=alternate][hreflang=en]").getAttribute("href") : "";
        const heading = await page.locator("h1").textContent();
        await page.locator("a.language").click();
        await page.waitForURL(/\/en\//);
        equal(await page.locator("html").getAttribute("lang"), "en", name);
        if (wanted)
            equal(page.url().replace(/index\.html$/, ""), wanted, "the alternate address");
        await page.locator("a.language").click();
        await until(`${name} again`, async () => page.url() === new URL(name, BASE).href);
        equal(await page.locator("h1").textContent(), heading, name);
    }
}

/* Where the focus is: its place in the document, whether it can be seen. */
const focus = () => {
    const e = document.activeElement;
    if (!e || e === document.body)
        return null;
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    /* A link that fills its card may show the focus on the card. */
    const isRing = (s) => (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) || s.boxShadow !== "none";
    const ring = [style, getComputedStyle(e, "::after"), getComputedStyle(e.closest(".card") || e)].some(isRing);
    const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    e.dataset.stop = e.dataset.stop || String(document.querySelectorAll("[data-stop]").length + 1);
    const stops = [...document.querySelectorAll("[data-stop]")];
    return { name: `<${e.tagName.toLowerCase()} id="${e.id}" class="${e.className}"> ${e.textContent.slice(0, 30)}`, stop: Number(e.dataset.stop), at: stops.indexOf(e) + 1, ring, inside, size: [box.width, box.height] };
};

/* From the first to the last stop: each is seen, none is a trap, the order is the page's. */
async function walk(page, name, most) {
    let before = 0;
    for (let n = 1; n <= most; n++) {
        await page.keyboard.press("Tab");
        const now = await page.evaluate(focus);
        if (now === null || (now.stop === 1 && n > 1))
            return before;
        assert(now.stop === before + 1, `${name}: the focus comes back to ${now.name}`);
        assert(now.at === now.stop, `${name}: ${now.name} comes out of order`);
        assert(now.ring, `${name}: the focus cannot be seen on ${now.name}`);
        assert(now.inside, `${name}: ${now.name} is out of sight`);
        assert(now.size[0] > 0 && now.size[1] > 0, `${name}: ${now.name} has no size`);
        before = now.stop;
    }
    throw new Error(`${name}: no end after ${most} stops`);
}

/* What comes when it is seen is there: the walk is about the page as it stays. */
async function wakeAll(page) {
    for (const [sleeping, awake] of [[".map[data-map-js]", ".odp-map-view"], [".ex", ".ex-grid .ex-rows .ex-row:first-child"]]) {
        const n = await page.locator(`main ${sleeping}`).count();
        for (let i = 0; i < n; i++)
            await page.locator(`main ${sleeping}`).nth(i).scrollIntoViewIfNeeded();
        await page.locator("main [data-map-open]").evaluateAll((buttons) => buttons.forEach((button) => button.click())); // a map of many shapes waits for the reader
        if (n > 0 && page.url().includes("/katalog/")) // the explorer's map waits for an answer
            await until(`${n} ${awake}`, async () => (await page.locator(`main ${awake}`).count()) === n);
    }
    await page.locator(".ex-fields.is-waiting").waitFor({ state: "detached" }); // filters are there with their first counts
    await page.evaluate(() => scrollTo(0, 0));
}

export async function keyboard({ visit }) {
    const { page } = await visit("index.html", { reducedMotion: "reduce" });
    await page.keyboard.press("Tab");
    const skip = page.locator(".skip-link");
    assert(await skip.evaluate((e) => e === document.activeElement && e.getBoundingClientRect().top >= 0), "the skip link is the first stop and can be seen");
    await page.keyboard.press("Enter");
    await until("the main part", () => page.evaluate(() => document.activeElement.id === "isi"));
    await page.keyboard.press("Tab");
    equal(await page.evaluate(() => document.activeElement.id), "cari-kata", "the next stop after skipping");
    const stops = {};
    for (const name of ["index.html", "penjelajah.html", "daftar.html", "en/releases.html", "katalog/regulasi.html", "katalog/kumuh.html", "katalog/kumuh/index.html"]) {
        await page.goto(new URL(name, BASE).href);
        await wakeAll(page);
        stops[name] = await walk(page, name, 600);
        assert(stops[name] > 15, `${name}: ${stops[name]} stops`);
    }
    return stops;
}

const TYPES = { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", svg: "image/svg+xml", json: "application/json", geojson: "application/geo+json", png: "image/png", woff2: "font/woff2", xml: "application/xml" };

/* The site as any server of files gives it, below PREFIX: its address. It ends with the process. */
async function serveBelow(prefix) {
    const server = http.createServer((request, answer) => {
        const name = decodeURIComponent(new URL(request.url, "http://x").pathname);
        const file = path.join(SITE, name.slice(prefix.length).replace(/\/$/, "/index.html") || "index.html");
        if (!name.startsWith(prefix) || !path.resolve(file).startsWith(path.resolve(SITE)) || !fs.existsSync(file) || !fs.statSync(file).isFile()) {
            answer.writeHead(404).end();
            return;
        }
        answer.writeHead(200, { "Content-Type": TYPES[path.extname(file).slice(1)] || "application/octet-stream" }).end(fs.readFileSync(file));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${server.address().port}${prefix}`;
}

export async function basePath({ visit }) {
    const base = await serveBelow("/sub/portal/");
    const { page } = await visit("", { base });
    await page.locator("#cari-kata").pressSequentially("slum map");
    await page.locator("#cari-saran a[href$='katalog/kumuh.html']").first().click();
    await page.waitForURL(`${base}katalog/kumuh.html`);
    await page.locator(".map").first().hover(); // a map of many shapes waits for the reader; a pointer that is there already may open it before a click
    await page.locator(".odp-map-walk").waitFor();
    await until("the coast lines", async () => (await page.locator(".odp-map-land").count()) === 2);
    await page.goto(new URL("katalog/kumuh/index.html?filter=kode_kabkota%20%3D%20%2732.73%27", base).href);
    await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor();
    for (const name of [...PAGES, "en/index.html", "en/catalog/kumuh.html", "en/docs/keys.html"].filter((one) => one !== "status.html")) {
        await page.goto(new URL(name, base).href, { waitUntil: "load" });
        assert(await page.evaluate(() => document.documentElement.classList.contains("js") && getComputedStyle(document.body).margin === "0px"), `${name}: script and style`);
    }
}

/* Who wants less motion gets none: nothing moves by itself, nothing glides. */
export async function motion({ visit }) {
    const { page } = await visit("index.html", { reducedMotion: "reduce" });
    for (const name of ["index.html", "katalog/kumuh.html", "katalog/kumuh/index.html", "penjelajah.html"]) {
        await page.goto(new URL(name, BASE).href);
        const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((e) => {
            const style = getComputedStyle(e);
            const longest = (text) => Math.max(...text.split(",").map((one) => parseFloat(one) * (one.trim().endsWith("ms") ? 1 : 1000)));
            return longest(style.transitionDuration) > 10 || (style.animationName !== "none" && longest(style.animationDuration) > 10) || style.scrollBehavior === "smooth";
        }).map((e) => `<${e.tagName.toLowerCase()} class="${e.className}">`));
        equal(moving, [], name);
    }
}

/* The state of the service is asked anew when all has been told: an answer that comes late would say that what has just answered is down. */
export async function statusLate({ visit }) {
    const { page } = await visit("tentang.html");
    const release = await held(page, /\/v1\/index\.json$/);
    await page.goto(new URL("status.html", BASE).href);
    await page.locator("[data-live=tiers] .badge").waitFor();
    const again = page.locator("#periksa-lagi");
    assert(await again.isDisabled(), "one answer is still to come");
    release();
    await page.locator("[data-live=index] .badge").waitFor();
    await again.click();
    await until("the focus again", () => again.evaluate((button) => !button.disabled && button === document.activeElement));
}

/* On paper: what the page says, without what is there for clicking. FOLDER gets the PDFs. */
export async function print({ visit }, folder) {
    const { page } = await visit("katalog/kumuh.html");
    for (const [name, file] of [["katalog/kumuh.html", "dataset.pdf"], ["rilis.html", "releases.pdf"], ["dokumentasi/kunci.html", "docs.pdf"]]) {
        await page.goto(new URL(name, BASE).href);
        await page.emulateMedia({ media: "print", colorScheme: "dark" });
        for (const hidden of [".site-nav", ".skip-link", "a.language", ".copy-button", "details:not([open])"])
            for (const one of await page.locator(hidden).all())
                assert(!(await one.isVisible()), `${name}: ${hidden} is on paper`);
        assert(await page.locator("h1").isVisible(), `${name}: the heading is on paper`);
        const [ink, paper] = await page.evaluate(() => {
            const of = (e) => getComputedStyle(e);
            return [of(document.querySelector("h1")).color, of(document.body).backgroundColor].map((text) => text.match(/[\d.]+/g).map(Number));
        });
        const light = (c) => (c[3] === 0 ? 255 : (c[0] + c[1] + c[2]) / 3);
        assert(light(paper) > 240 && light(ink) < 140, `${name}: dark mode on paper: ${ink} on ${paper}`);
        await page.pdf({ path: path.join(folder, file), format: "A4" });
        await page.emulateMedia({ media: "screen" });
    }
    await page.goto(new URL("katalog/perumahan.html", BASE).href);
    await page.locator(".odp-map-legend").waitFor();
    await page.emulateMedia({ media: "print" });
    assert(await page.locator(".odp-map-legend").isVisible(), "what the colours of a map mean is on paper");
    for (const one of await page.locator(".odp-map button, .odp-map select, .odp-map input").all())
        assert(!(await one.isVisible()), "what a map has to press is on paper");
}
