// The home page: filters, the address, the back button. (What the search finds: search.mjs.)
import { assert, equal, sideways, until } from "../lib.mjs";

const shown = (page) => page.evaluate(() => [...document.querySelectorAll("#kelompok .dataset:not([hidden])")].map((card) => card.dataset.slug));
const said = (page) => page.locator("#jumlah").textContent();
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);

async function checkFilters(page, all) {
    await page.locator("#saring-format").selectOption("GeoJSON");
    const maps = await shown(page);
    assert(maps.includes("kumuh") && maps.length < all, `GeoJSON: ${maps}`);
    assert((await said(page)).includes(String(maps.length)), `the number is told: ${await said(page)}`);
    equal(query(page), { format: "GeoJSON" });
    await page.locator("#urut").selectOption("name");
    equal([...(await shown(page))].sort(), [...maps].sort(), "sorting shows the same");
    await page.goBack();
    equal(query(page), { format: "GeoJSON" });
    await page.goBack();
    await until("all again", async () => (await shown(page)).length === all && Object.keys(query(page)).length === 0);
    equal(await page.locator("#kelompok .dataset").count(), all, "cards after going back");
    await page.goForward();
    await until("the filter again", async () => (await shown(page)).length === maps.length);
    await page.reload();
    equal(await shown(page), maps, "the address is a state");
    await page.locator("#hapus-saringan").click();
    equal(query(page), {});
    equal(await page.evaluate(() => document.activeElement.id), "saring-bidang", "focus after clearing");
}

/* WIDTH: of the window. */
export async function homeFilters({ visit }, width) {
    const { page } = await visit("index.html", { viewport: { width: Number(width), height: 800 } });
    const all = await page.locator("#kelompok .dataset").count();
    assert(all >= 22, `${all} datasets`);
    equal(await page.evaluate(sideways), null);
    await checkFilters(page, all);
    equal(await page.evaluate(sideways), null);
    return { all };
}
