// The home page: search as one types, filters, the address, the back button.
import { assert, equal, sideways, until } from "../lib.mjs";

const shown = (page) => page.evaluate(() => [...document.querySelectorAll("#hasil:not([hidden]) .dataset")].map((card) => card.dataset.slug));
const said = (page) => page.locator("#jumlah").textContent();
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);

/* WORDS typed letter by letter; the slugs that are then shown. */
async function search(page, words) {
    const field = page.locator("#cari-kata");
    await field.fill("");
    await field.pressSequentially(words);
    await until(`the address to say ${words}`, () => query(page).q === words);
    return until("the results", async () => {
        const found = await shown(page);
        return (await page.locator("#cari").getAttribute("data-loaded")) && (found.length > 0 || (await page.locator("#hasil-kosong").isVisible())) ? { found } : null;
    });
}

async function checkSearch(page, all, words) {
    for (const [typed, first] of words) {
        const { found } = await search(page, typed);
        assert(found.slice(0, 3).includes(first), `first for "${typed}": ${found}`);
        assert(found.length < all, `"${typed}" finds everything`);
        assert((await said(page)).includes(String(found.length)), `the number is told: ${await said(page)}`);
    }
    equal((await search(page, "zzyzx qqq")).found, []);
    assert(await page.locator("#hasil-kosong").isVisible(), "nothing found is said");
    assert((await said(page)).trim() !== "", "nothing found is announced");
}

async function checkFilters(page, all) {
    await page.locator("#hapus-saringan").click();
    equal(query(page), {});
    equal(await page.evaluate(() => document.activeElement.id), "cari-kata", "focus after clearing");
    await page.locator("#saring-format").selectOption("GeoJSON");
    const maps = await shown(page);
    assert(maps.includes("kumuh") && maps.length < all, `GeoJSON: ${maps}`);
    equal(query(page), { format: "GeoJSON" });
    await page.locator("#urut").selectOption("name");
    equal([...(await shown(page))].sort(), [...maps].sort(), "sorting shows the same");
    await page.goBack();
    equal(query(page), { format: "GeoJSON" });
    await page.goBack();
    await until("all again", async () => (await page.locator("#kelompok").isVisible()) && Object.keys(query(page)).length === 0);
    equal(await page.locator("#kelompok .dataset").count(), all, "cards after going back");
    await page.goForward();
    await until("the filter again", async () => (await shown(page)).length === maps.length);
}

/* WIDTH: of the window. */
export async function homeSearch({ visit }, width) {
    const { page } = await visit("index.html", { viewport: { width: Number(width), height: 800 } });
    const all = await page.locator("#kelompok .dataset").count();
    assert(all >= 22, `${all} datasets`);
    equal(await page.evaluate(sideways), null);
    await checkSearch(page, all, [["permukiman kumuh", "kumuh"], ["slum", "kumuh"], ["RUMAH", "perumahan"], ["water", "air-bersih"]]);
    await checkFilters(page, all);
    const { found } = await search(page, "kumuh");
    await page.locator("#cari-kata").press("Enter");
    await page.reload();
    equal(await page.locator("#cari-kata").inputValue(), "kumuh", "the address is a state");
    await until("the results of the address", async () => JSON.stringify(await shown(page)) === JSON.stringify(found));
    await page.locator("#hasil .dataset[data-slug=kumuh] a").first().click();
    await page.waitForURL(/katalog\/kumuh\.html$/);
    await page.goBack();
    await until("the results after going back", async () => (await shown(page)).length === found.length);
    equal(await page.evaluate(sideways), null);
    return { all, found: found.length };
}

/* In English, with words of both languages. */
export async function homeEnglish({ visit }) {
    const { page } = await visit("en/index.html?q=slum", { locale: "en-GB" });
    await until("the results", async () => (await shown(page)).includes("kumuh"));
    equal(await page.locator("html").getAttribute("lang"), "en");
    const { found } = await search(page, "kumuh");
    assert(found.includes("kumuh"), `${found}`);
    await page.locator("#hasil a", { hasText: /./ }).first().click();
    await page.waitForURL(/\/en\/catalog\//);
}
