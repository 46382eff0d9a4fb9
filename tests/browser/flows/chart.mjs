// Charts that live: read by pointer and by keys, changed, saved; pages for frames of other sites.
import fs from "node:fs";
import http from "node:http";
import { assert, axeSource, equal, sideways, until } from "../lib.mjs";

const PAGE = "katalog/anggaran.html#grafik";

const STACKED = "grafik-anggaran-realisasi-per-tahun";

/* The first chart of the tab of charts, or that of an ID, drawn. */
async function living(page, id) {
    const figure = id ? page.locator(`#${id}`) : page.locator("figure.chart:visible").first();
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".chart-plot svg").first().waitFor();
    return figure;
}

/* No chart leaves room below what is drawn, however few bars it has, and no line runs through their names. */
export async function chartRoom({ visit }, width, ...charts) {
    for (const path of charts) {
        const { page } = await visit(path, { viewport: { width: Number(width), height: 900 } });
        const figure = await living(page);
        const [empty, covered] = await figure.evaluate((one) => {
            const live = one.querySelector(".chart-live"), svg = live.querySelector("svg"), box = (e) => e.getBoundingClientRect();
            const axis = [...svg.querySelectorAll("line")].filter((line) => box(line).width === 0).map((line) => box(line).left);
            const names = [...svg.querySelectorAll("text")].map((text) => box(text));
            return [box(live).bottom - box(live.lastElementChild).bottom, names.some((name) => axis.some((x) => name.left < x && x < name.right))];
        });
        assert(Math.abs(empty) < 2, `${path}: ${empty} px are empty below`);
        assert(!covered, `${path}: a line runs through a name`);
    }
}

/* By keys alone, and what a screen reader is told. */
export async function chartKeys({ visit }, width) {
    const { page } = await visit(PAGE, { viewport: { width: Number(width), height: 900 } });
    const figure = await living(page), plot = figure.locator(".chart-plot");
    equal(await page.evaluate(sideways), null);
    equal(await plot.getAttribute("role"), "slider");
    await plot.focus();
    await page.keyboard.press("Home");
    const first = await plot.getAttribute("aria-valuetext");
    assert(/: .*\d/.test(first), `"${first}" has a value`);
    assert(await figure.locator(".chart-tip").isVisible(), "what is read is seen");
    await page.keyboard.press("ArrowRight");
    const second = await plot.getAttribute("aria-valuetext");
    assert(second !== first, "an arrow goes on");
    await page.keyboard.press("ArrowLeft");
    equal(await plot.getAttribute("aria-valuetext"), first);
    await page.keyboard.press("End");
    equal(await plot.getAttribute("aria-valuenow"), await plot.getAttribute("aria-valuemax"));
    await page.keyboard.press("Escape");
    assert(!(await figure.locator(".chart-tip").isVisible()), "Escape closes");
    return { first };
}

/* Each series off and on, the period, the pointer; the other look needs no second drawing. */
export async function chartParts({ visit }) {
    const { page } = await visit(`katalog/anggaran.html#${STACKED}`);
    const figure = await living(page, STACKED), series = figure.locator(".chart-series");
    const shapes = () => figure.locator(".chart-plot svg [class^=chart-group] > *").count();
    const all = await shapes(), n = await series.count();
    assert(n > 1, "series");
    await series.first().click();
    equal(await series.first().getAttribute("aria-pressed"), "false");
    assert((await shapes()) < all, "a series less");
    for (let i = 1; i < n; i++)
        await series.nth(i).click();
    equal(await figure.locator(".chart-series[aria-pressed=true]").count(), n, "the last one brings all back");
    equal(await shapes(), all);
    const from = figure.locator(".chart-slider input").first();
    await from.focus();
    await page.keyboard.press("ArrowRight");
    assert((await shapes()) < all, "a year less");
    equal(await from.getAttribute("aria-valuetext"), await figure.locator(".chart-slider output").first().textContent());
    const box = await figure.locator(".chart-plot svg").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert((await figure.locator(".chart-tip-line").count()) > 1, "the pointer reads");
    const color = () => figure.locator(".chart-plot svg text").first().evaluate((text) => getComputedStyle(text).fill);
    const light = await color();
    await page.emulateMedia({ colorScheme: "dark" });
    assert((await color()) !== light, "dark without another drawing");
    await page.evaluate(axeSource);
    const faults = await page.evaluate(() => window.axe.run(document.querySelector("figure.chart")));
    equal(faults.violations.map((one) => one.id), []);
}

/* PNG, SVG and CSV say where they are from. */
export async function chartFiles({ visit }, folder) {
    const { page } = await visit(PAGE, { acceptDownloads: true });
    const figure = await living(page), source = (await figure.locator(".chart-source").textContent()).split(": ")[1].slice(0, 20);
    const title = (await figure.locator(".chart-heading").textContent()).trim();
    const save = async (form) => {
        await figure.locator(".chart-tools summary").click();
        const [file] = await Promise.all([page.waitForEvent("download"), figure.locator(`[data-chart-save] button >> nth=${["png", "svg", "csv"].indexOf(form)}`).click()]);
        const path = `${folder}/${file.suggestedFilename()}`;
        assert(path.endsWith(`.${form}`), path);
        await file.saveAs(path);
        return fs.readFileSync(path);
    };
    const svg = (await save("svg")).toString(), csv = (await save("csv")).toString(), png = await save("png");
    for (const text of [svg, csv])
        assert(text.includes(source), `${text.slice(0, 300)} names ${source}`);
    assert(svg.includes(title.split(" ")[0]) && !svg.includes("var(--") && !svg.includes("<style"), "the picture stands alone");
    assert(svg.includes("Creative Commons Atribusi") && csv.includes("Creative Commons Atribusi"), "the licence, in the page's language");
    equal([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert(png.readUInt32BE(16) >= 1900, "PNG is twice as large");
    return { csv: csv.split("\r\n").length };
}

/* Groups of all records: the same figures as a table and as a chart, and a link to it. */
export async function chartOfGroups({ visit }, width) {
    const { page } = await visit("katalog/anggaran/index.html?groupby=tahun_anggaran,jenis_belanja", { viewport: { width: Number(width), height: 900 } });
    await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor();
    await page.locator("[data-view=chart]").click();
    await page.locator(".ex-chart .chart-plot svg").waitFor();
    assert(new URL(page.url()).searchParams.get("view") === "chart", "the view is in the address");
    equal(await page.locator(".ex-grid").isVisible(), false);
    equal(await page.evaluate(sideways), null);
    await page.reload();
    await page.locator(".ex-chart .chart-plot svg").waitFor();
    await page.locator(".ex-chart .chart-plot").focus();
    await page.keyboard.press("Home");
    assert((await page.locator(".ex-chart .chart-plot").getAttribute("aria-valuetext")).startsWith("2020: "), "the first year");
    await page.locator("[data-view=table]").click();
    await page.locator(".ex-grid").waitFor();
    equal(await page.locator(".ex-chart").isVisible(), false);
}

/* A link to one record, whatever the table shows; closing it takes it out of the address. */
export async function recordLinked({ visit }) {
    const { page } = await visit("katalog/kumuh/index.html?tingkat=Berat#rekaman=31.72-0001");
    const box = page.locator("#jelajah-rekaman");
    await box.locator("dd").first().waitFor();
    assert((await box.textContent()).includes("31.72-0001"), "the record of the link");
    equal(await box.locator("a[href='#rekaman=31.72-0001']").count(), 1);
    await page.keyboard.press("Escape");
    await until("the address without it", () => new URL(page.url()).hash === "");
    await page.evaluate(() => (location.hash = "#rekaman=tidak-ada"));
    await page.evaluate(() => (location.hash = "#rekaman=%E0%A4%A"));
    equal(await box.isVisible(), false);
}

/* Without the script, or where it does not come, the picture stays. */
export async function chartFails({ visit }) {
    const { page, context, watch } = await visit("tentang.html");
    watch.expected = () => true;
    watch.check = () => {};
    await context.route(/charts\/.*\.json/, (route) => route.abort());
    await page.goto(new URL(PAGE, page.url()).href);
    const image = page.locator("figure.chart:visible img").first();
    await image.scrollIntoViewIfNeeded();
    await until("the picture", () => image.evaluate((img) => img.complete && img.naturalWidth > 100));
    equal(await page.locator(".chart-plot").count(), 0);
}

/* Another site's page shows what is made for frames, and learns its height; nothing else can be framed, and no key goes into one. */
export async function embedFrames({ visit }, address) {
    const { page, watch } = await visit("tentang.html");
    const base = page.url();
    await page.evaluate(() => localStorage.setItem("odp-key", "secret"));
    watch.check = () => {};
    const host = http.createServer((request, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(
        `<script>addEventListener("message", (e) => { if (e.data.type === "odp-embed") document.title = e.data.height; })</script><iframe width="600" height="500" src="${decodeURIComponent(request.url.slice(2))}"></iframe>`));
    await new Promise((resolve) => host.listen(0, "127.0.0.1", resolve));
    const frame = async (path) => {
        await page.goto(`http://127.0.0.1:${host.address().port}/?${encodeURIComponent(new URL(path, base).href)}`);
        return until("a frame", () => page.frames()[1]);
    };
    for (const path of [address, `en/${address}`]) {
        const inner = await frame(path);
        await inner.locator(".chart-plot svg").first().waitFor();
        await until("its height", async () => Number(await page.title()) > 200);
        equal(await inner.locator("form, [data-key], input[type=password]").count(), 0);
        equal(await inner.locator("a:not([href^='#'])").evaluateAll((links) => links.filter((link) => link.target !== "" && link.target !== "_blank").length), 0);
        equal(await inner.evaluate(() => document.querySelector("base").target), "_blank");
        const scripts = await inner.evaluate(async () => Promise.all([...document.scripts].filter((one) => one.src).map(async (one) => (await fetch(one.src)).text())));
        assert(scripts.every((text) => !/localStorage|sessionStorage|odp_live/.test(text)), "no script of the frame reads what the browser keeps");
    }
    const place = await frame("embed/tempat.html?kode=32");
    await place.locator(".place-data dd").first().waitFor();
    equal(await place.locator("h1").textContent(), "Jawa Barat");
    assert((await place.locator("#semua").getAttribute("href")).endsWith("tempat/32.html"), "the place's page");
    for (const path of ["index.html", "kunci-saya.html", "katalog/anggaran.html", "embed/../kunci-saya.html", "embed/tidak-ada.html"]) {
        const inner = await frame(path);
        await until("a refusal", async () => inner.evaluate(() => document.querySelector("header.site-header, main") === null && document.readyState === "complete").catch(() => true));
        equal(await inner.locator("main").count().catch(() => 0), 0, `${path} cannot be framed`);
    }
    host.close();
    host.closeAllConnections();
}
