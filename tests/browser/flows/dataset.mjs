// A dataset's page: its table, its map, its charts, its code.
import { assert, equal, held, sideways, until } from "../lib.mjs";

/* What the page says without scripts it says with them: ten records, and where all of them are. */
export async function datasetTable({ visit }, width) {
    const { page } = await visit("katalog/kumuh.html#tabel", { viewport: { width: Number(width), height: 800 } });
    equal(await page.evaluate(sideways), null);
    equal(await page.locator(".ds-table tbody tr").count(), 10);
    await page.locator(".ds-explore a").first().click();
    await page.waitForURL(/katalog\/kumuh\/index\.html$/);
    await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor();
}

/* What stands on the map: shapes, dots, and records in clusters. */
const counted = (page) => page.evaluate(() => [...document.querySelectorAll(".odp-map-cluster span")].reduce((sum, one) => sum + Number(one.textContent.replace(/\D/g, "")), 0) +
    document.querySelectorAll(".leaflet-overlay-pane path.leaflet-interactive").length);

async function popup(page) {
    await page.locator(".odp-map-popup").waitFor();
    const name = await page.locator(".odp-map-name").textContent();
    assert(name.trim() !== "" && (await page.locator(".odp-map-popup dd").count()) > 2, "the popup tells the place's data");
    return name;
}

/* Clusters open until there is a popup. */
async function checkClusters(page) {
    const all = await counted(page);
    for (let i = 0; i < 12 && (await page.locator(".odp-map-popup").count()) === 0; i++) {
        const at = await until("something that can be hit", () => page.evaluate(() => {
            for (const one of document.querySelectorAll(".leaflet-overlay-pane path.leaflet-interactive, .odp-map-cluster")) {
                const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
                const hit = document.elementFromPoint(x, y);
                if (hit === one || one.contains(hit))
                    return { x, y };
            }
            return null;
        }));
        await page.mouse.click(at.x, at.y);
    }
    await page.locator(".odp-map-popup").waitFor();
    await page.locator(".odp-map-close").click();
    equal(await page.locator(".odp-map-popup").count(), 0);
    await page.locator(".odp-map-buttons [data-do=all]").click();
    return all;
}

async function checkPopups(page) {
    const next = page.locator(".odp-map-walk button").last();
    await next.focus();
    await page.keyboard.press("Enter");
    const first = await popup(page);
    const told = await page.locator(".odp-map-status").textContent();
    assert(told.includes(first), `"${told}" tells ${first}`);
    assert(/katalog\/kumuh\/index\.html\?id_kawasan=/.test(await page.locator(".odp-map-links a").first().evaluate((a) => a.href)), "a link to the record");
    await page.keyboard.press("Enter");
    await until("the next place", async () => (await popup(page)) !== first);
    await page.keyboard.press("Escape");
    equal(await page.locator(".odp-map-popup").count(), 0, "Escape closes");
    await page.locator(".odp-map-places summary").focus();
    await page.keyboard.press("Enter");
    const found = page.locator(".odp-map-list button").first();
    await found.focus();
    await page.keyboard.press("Enter");
    equal(await popup(page), first, "the place of the list");
    equal(await page.evaluate(() => document.activeElement.className), "odp-map-popup", "the focus goes into the popup");
    await page.keyboard.press("Escape");
    equal(await page.evaluate(() => document.activeElement.closest(".odp-map-list") !== null), true, "and back into the list");
    return first;
}

/* The search finds places, regions and names of the ground; by keyboard. */
async function checkSearch(page, name) {
    const input = page.locator(".odp-map-search input");
    await input.fill(name);
    await page.keyboard.press("ArrowDown");
    equal(await page.evaluate(() => document.activeElement.closest(".odp-map-suggest") !== null), true);
    await page.keyboard.press("Enter");
    equal(await popup(page), name, "the place that was searched");
    await page.keyboard.press("Escape");
    await input.fill("bandung");
    const texts = await page.locator(".odp-map-suggest button").allTextContents();
    assert(texts.some((text) => /^(Kota|Kabupaten) Bandung/.test(text)), `regions are found: ${texts}`);
    await input.fill("surabaya");
    await page.keyboard.press("Enter");
    equal(await page.locator(".odp-map-suggest").isVisible(), false);
}

/* A link brings back what was seen. */
async function checkLink(page, visit) {
    await page.locator(".odp-map-buttons [data-do=link]").click();
    const address = page.url();
    assert(/#peta-kumuh-kotak=[\d.]+\/-?[\d.]+\/[\d.]+$/.test(address), address);
    const { page: other } = await visit(`katalog/kumuh.html${new URL(address).hash}`, { viewport: { width: 1000, height: 800 }, reducedMotion: "reduce" });
    await until("the map at the link's place", async () => (await other.locator(".odp-map-place-name.is-seat").allTextContents()).includes("Surabaya"));
}

export async function datasetMap({ visit }, width) {
    const { page, context } = await visit("katalog/kumuh.html", { viewport: { width: Number(width), height: 800 }, reducedMotion: "reduce" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const sent = await (await context.request.get(page.url())).text();
    assert(/<div class="map"[^>]*>\s*<picture>[^]*?<img src="[^"]*\.svg"/.test(sent), "a picture stands where there is no map yet");
    const text = await page.locator(".map-figure figcaption").textContent();
    assert(text.trim().length > 60, "the picture is told in words");
    const [picture, words] = await Promise.all([".map picture", ".map-figure figcaption"].map((part) => page.locator(part).first().boundingBox()));
    assert(words.y - picture.y - picture.height < 24, "no room is empty under a picture that waits for the reader");
    await page.locator(".map").first().scrollIntoViewIfNeeded();
    await page.locator(".map").first().hover(); // a map of many shapes is loaded for who points at it
    await page.locator(".odp-map-walk").waitFor();
    await until("land and lines", async () => (await page.locator(".odp-map-land").count()) === 2 && (await page.locator(".odp-map-river").count()) === 1);
    await page.locator(".odp-map-view").scrollIntoViewIfNeeded();
    const all = await checkClusters(page);
    const name = await checkPopups(page);
    await page.locator(".odp-map-buttons [data-do=all]").click();
    const legend = page.locator(".odp-map-legend input");
    assert((await legend.count()) > 1, "a legend");
    await page.locator(".odp-map-legend label").first().click();
    const fewer = await counted(page);
    assert(fewer < all, `the legend hides: ${fewer} of ${all}`);
    await legend.first().focus();
    await page.keyboard.press("Space");
    equal(await counted(page), all, "and shows again");
    await checkSearch(page, name);
    await checkLink(page, visit);
    equal(await page.evaluate(sideways), null);
    return { records: all };
}

/* A choropleth: classes, another measure, another year, a region by name, a link to all of it. */
export async function datasetRegions({ visit }) {
    const { page, context } = await visit("en/catalog/perumahan.html", { viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", locale: "en-GB" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const map = page.locator(".map[data-summary]").first();
    await map.scrollIntoViewIfNeeded();
    await page.locator(".odp-map-scale li").first().waitFor();
    const fills = () => page.evaluate(() => [...document.querySelectorAll(".leaflet-overlay-pane path.leaflet-interactive")].map((path) => path.getAttribute("fill")).join());
    const title = page.locator(".odp-map-scale-title");
    equal(await page.locator(".odp-map-scale li").count(), 5, "five classes");
    const classes = await page.locator(".odp-map-scale li span:nth-child(2)").allTextContents();
    assert(/^below [\d,.]+$/.test(classes[0]) && classes.slice(1, 4).every((text) => /^[\d,.]+( million)? to less than [\d,.]+( million)?$/.test(text)), `it is said which class a border is in: ${classes}`);
    assert((await title.textContent()).includes("2023"), await title.textContent());
    assert((await page.locator(".odp-map-without li").count()) === 5, "provinces without a boundary are under the map");
    const first = await fills();
    assert(new Set(first.split(",")).size === 5, `five colours: ${first}`);
    await page.locator(".odp-map-time input").focus();
    await page.keyboard.press("ArrowLeft");
    assert((await title.textContent()).includes("2022"), "the year before");
    const select = page.locator(".odp-map-measure select");
    const other = await select.locator("option").nth(1).getAttribute("value");
    await select.selectOption(other);
    assert((await fills()) !== first, "another measure, other colours");
    await page.locator(".odp-map-search input").fill("jawa barat");
    await page.keyboard.press("Enter");
    equal(await page.locator(".odp-map-popup .odp-map-name").textContent(), "Jawa Barat");
    assert(/^rank \d+ of 38$/.test((await page.locator(".odp-map-popup > .muted").textContent()).split(" \u00b7 ")[1]), "its rank");
    equal(await page.locator(".odp-map-scale .is-here").count(), 1, "its class stands out");
    const [place, records] = await page.locator(".odp-map-links a").evaluateAll((links) => links.map((link) => link.href));
    assert(place.endsWith("/en/places/32.html"), place);
    assert(decodeURIComponent(records).endsWith("perumahan/index.html?filter=kode_kabkota LIKE '32.%'"), records);
    await page.keyboard.press("Escape");
    await page.locator(".odp-map-buttons [data-do=link]").click();
    const hash = new URL(page.url()).hash;
    assert(hash.endsWith(`/${encodeURIComponent(other)}/2022/provinsi`), hash);
    await page.locator(".odp-map-places summary").first().click();
    await until("all provinces", async () => (await page.locator(".odp-map-ranking tbody tr").count()) === 38);
    const { page: again } = await visit(`en/catalog/perumahan.html${hash}`, { viewport: { width: 360, height: 800 }, reducedMotion: "reduce" });
    await until("the link's year", async () => ((await again.locator(".odp-map-scale-title").textContent()) || "").includes("2022"));
    equal(await again.evaluate(sideways), null);
    await page.goto(records);
    await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor();
    assert((await page.locator(".ex-status").textContent()).includes("81"), "27 regencies of three years");
}

/* Charts, code to copy, tabs. */
export async function datasetParts({ visit }) {
    const { page, context } = await visit("katalog/kumuh.html");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator('nav.tabs a[href="#grafik"]').click();
    const charts = page.locator(".ds-charts figure.chart");
    assert((await charts.count()) > 0, "charts");
    for (let i = 0; i < await charts.count(); i++) {
        await charts.nth(i).scrollIntoViewIfNeeded();
        await charts.nth(i).locator(".chart-plot svg").first().waitFor();
        assert((await charts.nth(i).locator(".chart-plot").getAttribute("aria-valuetext")).length > 5, "a chart has words");
    }
    await page.locator('nav.tabs a[href="#api"]').click();
    const block = page.locator("[data-tabs] section[data-tab]:not([hidden]) pre[data-copy]").first();
    const box = block.locator("xpath=..");
    await box.scrollIntoViewIfNeeded();
    await box.locator(".copy-button").click();
    await until("it to be copied", async () => (await page.evaluate(() => navigator.clipboard.readText())) === (await block.textContent()).replace(/\n$/, ""));
    const tabs = page.locator("[data-tabs] [role=tablist]").first().locator("[role=tab]");
    await tabs.first().focus();
    await page.keyboard.press("ArrowRight");
    equal(await tabs.nth(1).getAttribute("aria-selected"), "true");
    const panel = page.locator(`#${await tabs.nth(1).getAttribute("aria-controls")}`);
    assert(await panel.isVisible(), "the second language's code");
    const same = page.locator("[data-tabs] [role=tablist]").nth(1).getByRole("tab", { name: await tabs.nth(1).textContent(), exact: true }); // another list may begin with another language
    equal(await same.getAttribute("aria-selected"), "true", "the choice holds for all examples");
    return { charts: await charts.count() };
}

/* The kind of map that was chosen last is there, whatever comes late of the one chosen before. */
export async function datasetKinds({ visit }) {
    const { page } = await visit("katalog/kumuh.html", { reducedMotion: "reduce" });
    await page.locator("[data-map-open]").focus();
    await page.keyboard.press("Enter");
    const kinds = page.locator(".odp-map-switch label");
    await kinds.first().waitFor();
    equal(await kinds.count(), 2, "its shapes, and areas");
    equal(await page.evaluate(() => document.activeElement.className.includes("odp-map-view")), true, "the focus of the button that is gone");
    const release = await held(page, /gambar\/peta\/kumuh\.json$/);
    await page.locator(".odp-map-view").evaluate((map) => (window.mapBefore = map));
    await kinds.last().click();
    await kinds.first().click(); // no, as it was
    await until("another map", () => page.locator(".odp-map-view").evaluate((map) => map !== window.mapBefore));
    const late = page.waitForResponse(/gambar\/peta\/kumuh\.json$/);
    release();
    await (await late).finished();
    await page.locator(".odp-map-view").evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)));
    equal(await page.locator(".odp-map-scale").count(), 0, "no areas");
    await kinds.last().click();
    await page.locator(".odp-map-scale").waitFor();
    const classes = await page.locator(".odp-map-scale li span:nth-child(2)").allTextContents();
    const [one, next] = classes.slice(1, 3).map((text) => text.match(/\d+/g).map(Number));
    assert(next[0] === (one[1] ?? one[0]) + 1, `classes of whole numbers have no border in common: ${classes}`);
}
