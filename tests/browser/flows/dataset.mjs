// A dataset's page: its table, its map, its charts, its code.
import { assert, equal, sideways, until } from "../lib.mjs";

/* What the page says without scripts it says with them: ten records, and where all of them are. */
export async function datasetTable({ visit }, width) {
    const { page } = await visit("katalog/kumuh.html#tabel", { viewport: { width: Number(width), height: 800 } });
    equal(await page.evaluate(sideways), null);
    equal(await page.locator(".ds-table tbody tr").count(), 10);
    await page.locator(".ds-explore a").first().click();
    await page.waitForURL(/katalog\/kumuh\/index\.html$/);
    await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor();
}

const shapes = (page) => page.locator(".leaflet-overlay-pane path.leaflet-interactive").count();

/* A place of the window where a shape of the map can be hit. */
const target = () => {
    for (const path of document.querySelectorAll(".leaflet-overlay-pane path.leaflet-interactive")) {
        const box = path.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
        if (document.elementFromPoint(x, y) === path)
            return { x, y };
    }
    return null;
};

async function popup(page) {
    await page.locator(".odp-map-popup").waitFor();
    const name = await page.locator(".odp-map-name").textContent();
    assert(name.trim() !== "" && (await page.locator(".odp-map-popup dd").count()) > 2, "the popup tells the place's data");
    return name;
}

async function checkPopups(page) {
    const at = await until("a shape that can be hit", () => page.evaluate(target));
    await page.mouse.click(at.x, at.y);
    await popup(page);
    await page.locator(".odp-map-close").click();
    equal(await page.locator(".odp-map-popup").count(), 0);
    const next = page.locator(".odp-map-walk button").last();
    await next.focus();
    await page.keyboard.press("Enter");
    const first = await popup(page);
    const told = await page.locator(".odp-map-status").textContent();
    assert(told.includes(first), `"${told}" tells ${first}`);
    await page.keyboard.press("Enter");
    await until("the next place", async () => (await popup(page)) !== first);
    await page.keyboard.press("Escape");
    equal(await page.locator(".odp-map-popup").count(), 0, "Escape closes");
    await page.locator(".odp-map-places summary").focus();
    await page.keyboard.press("Enter");
    await page.locator(".odp-map-places input").fill(first);
    const found = page.locator(".odp-map-list button").first();
    await found.focus();
    await page.keyboard.press("Enter");
    equal(await popup(page), first, "the place of the list");
    equal(await page.evaluate(() => document.activeElement.className), "odp-map-popup", "the focus goes into the popup");
    await page.keyboard.press("Escape");
    equal(await page.evaluate(() => document.activeElement.closest(".odp-map-list") !== null), true, "and back into the list");
}

export async function datasetMap({ visit }, width) {
    const { page } = await visit("katalog/kumuh.html", { viewport: { width: Number(width), height: 800 }, reducedMotion: "reduce" });
    const written = await (await page.request.get(page.url())).text();
    assert(/<img src="[^"]+peta\.svg"/.test(written), "a picture stands where there is no map yet");
    const text = await page.locator(".ds-map-figure figcaption").textContent();
    assert(text.trim().length > 60, "the picture is told in words");
    await page.locator(".ds-map").scrollIntoViewIfNeeded();
    await page.locator(".odp-map-walk").waitFor();
    await until("the coast lines", async () => (await page.locator(".odp-map-land").count()) === 2);
    const all = await until("shapes", () => shapes(page));
    await page.locator(".odp-map-view").scrollIntoViewIfNeeded();
    await checkPopups(page);
    const legend = page.locator(".odp-map-legend input");
    assert((await legend.count()) > 1, "a legend");
    await page.locator(".odp-map-legend label").first().click();
    const fewer = await shapes(page);
    assert(fewer < all, `the legend hides: ${fewer} of ${all}`);
    await legend.first().focus();
    await page.keyboard.press("Space");
    equal(await shapes(page), all, "and shows again");
    const zoom = page.locator(".odp-map-buttons button");
    await zoom.first().click();
    await zoom.last().click();
    assert((await page.locator("section[aria-labelledby=peta] table tbody tr").count()) > 1, "a table tells the same");
    equal(await page.evaluate(sideways), null);
    return { shapes: all };
}

/* Charts, code to copy, tabs. */
export async function datasetParts({ visit }) {
    const { page, context } = await visit("katalog/kumuh.html");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator('nav.tabs a[href="#grafik"]').click();
    const charts = page.locator(".ds-charts img");
    assert((await charts.count()) > 0, "charts");
    for (let i = 0; i < await charts.count(); i++) {
        await charts.nth(i).scrollIntoViewIfNeeded();
        await until("a chart", () => charts.nth(i).evaluate((img) => img.complete && img.naturalWidth > 100));
        assert((await charts.nth(i).getAttribute("alt")).length > 5, "a chart has words");
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
