// A dataset's page: its table, its map, its charts, its code.
import { assert, equal, sideways, until } from "../lib.mjs";

const rows = (page) => page.evaluate(() => [...document.querySelectorAll(".ds-table table tbody tr")].map((tr) => [...tr.cells].map((td) => td.textContent)));
const column = async (page, i) => (await rows(page)).map((cells) => cells[i]);
const sorted = (list, before) => list.every((x, i) => i === 0 || before(list[i - 1], x));

/* The columns of a dataset with all its records, out of the published GeoJSON: the table reads the CSV. */
async function openTable(page) {
    await page.locator(".ds-table").first().scrollIntoViewIfNeeded();
    await page.locator(".ds-pager").first().waitFor();
    const where = await page.locator(".ds-table").first().getAttribute("data-src");
    return page.evaluate(async (address) => {
        const { features } = await fetch(address.replace(".preview.json", ".geojson")).then((answer) => answer.json());
        const text = (value) => (value === null ? null : String(value));
        return { fields: Object.keys(features[0].properties), rows: features.map((one) => Object.values(one.properties).map(text)) };
    }, where);
}

const settled = (box) => until("the table to be still", async () => (await box.locator("table").getAttribute("aria-busy")) === "false");

/* Sorts by column I until that is so. */
async function sort(box, i, direction) {
    const th = box.locator("thead tr").first().locator("th").nth(i);
    for (let n = 0; (await th.getAttribute("aria-sort")) !== direction; n++) {
        assert(n < 3, `column ${i} is never ${direction}`);
        await th.locator("button").click();
        await settled(box);
    }
}

/* What tables answer: JOBS, [{path, table: n, asks: [{sort: [column, direction], search, filter: [column, text]}…]}…] as JSON. Who judges is the test, which counts in the
 * published files. */
export async function tableAnswers({ visit }, jobs) {
    const answers = [];
    for (const { path, table, asks } of JSON.parse(jobs)) {
        const { page } = await visit(path);
        const box = page.locator(".ds-table").nth(table);
        await box.scrollIntoViewIfNeeded();
        await box.locator(".ds-pager").waitFor();
        await box.locator(".ds-tools button[aria-expanded]").click();
        for (const { sort: order, search, filter } of asks) {
            await box.locator(".ds-tools input").fill(search || "");
            if (filter)
                await box.locator(".ds-filters td").nth(filter[0]).locator("input").fill(filter[1]);
            await settled(box);
            if (order)
                await sort(box, ...order);
            const found = await box.evaluate((element) => [...element.querySelectorAll("tbody tr")].map((tr) => [...tr.cells].map((td) => td.textContent)));
            answers.push({ rows: found, status: await box.locator("[role=status]").textContent() });
            if (filter)
                await box.locator(".ds-filters td").nth(filter[0]).locator("input").fill("");
        }
        assert((await box.locator("tbody tr").count()) <= 100, "a page of the table is short");
    }
    return answers;
}

/* Where the whole file cannot be read, or is too large, every control says of how many records it speaks, and where all are. */
export async function tableOfAPart({ visit }) {
    const { page, watch } = await visit("katalog/kumuh.html");
    const box = page.locator(".ds-table").first();
    const missing = "zzyzx";
    let there = false;
    watch.expected = (url, status) => status === 404 && /kumuh\.csv$/.test(url);
    await page.route(/kumuh\.csv$/, (route) => (there ? route.continue() : route.fulfill({ status: 404 })));
    await page.route(/kumuh\.html$/, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replace(',"kind":"csv"', "") });
    });
    await openTable(page);
    const told = async (part) => {
        assert(/500/.test(await box.locator(".ds-tools label").textContent()) === part, "the search tells its part");
        assert(/500.*1\.204/.test(await box.locator("tbody").textContent()) === part, "what is not there is not there in the part");
        assert((await box.locator(".ds-sort").first().getAttribute("title")).includes("500") === part, "sorting tells its part");
        const link = box.locator("a[download]");
        equal(await link.count(), part ? 1 : 0, "a link to all records");
        if (part)
            assert((await link.getAttribute("href")).endsWith("kumuh.csv") && /500.*1\.204/.test(await box.locator("[role=status]").textContent()), "all of them");
    };
    await box.locator(".ds-tools input").fill(missing);
    await until("the failure", async () => (await box.locator("a[download]").count()) === 1);
    await told(true);
    there = true;
    await box.locator("button", { hasText: "Coba lagi" }).click();
    await until("all records", async () => (await box.locator("a[download]").count()) === 0);
    await settled(box);
    await told(false);
    await page.reload(); // without the kind: a file too large to be read
    await openTable(page);
    await box.locator(".ds-tools input").fill(missing);
    await told(true);
}

/* All records in the order of column NAME; numbers as numbers. */
async function checkSort(page, preview, name, compare) {
    const i = preview.fields.indexOf(name);
    const th = page.locator(".ds-table thead tr").first().locator("th").nth(i);
    const ordered = async (direction) => {
        await sort(page.locator(".ds-table").first(), i, direction);
        const keys = await column(page, 0);
        equal(keys, preview.rows.filter((row) => row[i] !== null).sort((a, b) => (direction === "ascending" ? 1 : -1) * compare(a[i], b[i])).slice(0, keys.length).map((row) => row[0]),
            `${name} ${direction}`);
    };
    await page.locator(".ds-pager select").selectOption("100");
    await ordered("ascending");
    await ordered("descending");
    await th.locator("button").click();
    equal(await th.getAttribute("aria-sort"), null, "as it was");
}

async function checkFilter(page, preview) {
    const box = page.locator(".ds-tools input[type=search]");
    const wanted = preview.rows[3][preview.fields.indexOf("nama_kawasan")];
    await box.fill(wanted);
    await settled(page.locator(".ds-table").first());
    const found = await rows(page);
    assert(found.length >= 1 && found.some((cells) => cells.includes(wanted)), `"${wanted}" finds ${found.length} rows`);
    const words = wanted.toLowerCase().split(" ");
    assert(found.every((cells) => words.every((word) => [cells.join(" "), cells.join(" ").replace(/\./g, "")].some((text) => text.toLowerCase().includes(word)))),
        "each row has each word, as it is shown or as it is published");
    assert(/\d/.test(await page.locator(".ds-table [role=status]").last().textContent()), "the number of rows is told");
    await box.fill("zzyzx");
    equal((await rows(page)).length, 1, "one row that says that there is none");
    await until("everything again", async () => { // a click is lost where the page moves between press and release; who sees that clicks again
        if ((await box.inputValue()) !== "")
            await page.locator(".ds-tools .cluster button").last().click();
        return (await box.inputValue()) === "";
    });
    await page.locator(".ds-tools .cluster button").first().click(); // the filters of columns
    const at = preview.fields.indexOf("luas_ha");
    await page.locator(".ds-filters td").nth(at).locator("input").fill(">20");
    const numbers = (await column(page, 0)).map((key) => Number(preview.rows.find((row) => row[0] === key)[at]));
    assert(numbers.length > 0 && numbers.every((n) => n > 20), `>20: ${numbers}`);
    await page.locator(".ds-tools .cluster button").last().click();
}

async function checkPages(page, preview) {
    const [back, on] = [page.locator(".ds-pager button").first(), page.locator(".ds-pager button").last()];
    await page.locator(".ds-pager select").selectOption("10");
    equal(await back.getAttribute("aria-disabled"), "true");
    const first = await column(page, 0);
    equal(first, preview.rows.slice(0, 10).map((row) => row[0]));
    await on.click();
    equal(await column(page, 0), preview.rows.slice(10, 20).map((row) => row[0]), "second page");
    await back.click();
    equal(await column(page, 0), first, "back on the first page");
}

/* "Laporkan": a letter with dataset, version and row, all of it filled in. */
async function checkReport(page, preview) {
    for (const i of [0, 4]) {
        const href = await page.locator(".ds-table tbody tr").nth(i).locator("a[href^='mailto:']").getAttribute("href");
        const letter = decodeURIComponent(href);
        assert(letter.includes(preview.rows[i][0]) && letter.includes("kumuh") && /20\d\d-\d\d-\d\d/.test(letter), letter);
        assert(!/[{}]/.test(letter), letter);
    }
}

export async function datasetTable({ visit }, width) {
    const { page } = await visit("katalog/kumuh.html", { viewport: { width: Number(width), height: 800 } });
    equal(await page.evaluate(sideways), null);
    const preview = await openTable(page);
    await checkReport(page, preview);
    await checkSort(page, preview, "luas_ha", (a, b) => Number(a) - Number(b));
    await checkSort(page, preview, "tanggal_sk", (a, b) => (a < b ? -1 : a > b ? 1 : 0));
    await checkPages(page, preview);
    await checkFilter(page, preview);
    equal(await page.evaluate(sideways), null);
    return { rows: preview.rows.length };
}

/* The same by keys alone. */
export async function datasetKeys({ visit }) {
    const { page } = await visit("katalog/kumuh.html#pratinjau");
    const preview = await openTable(page);
    await page.locator(".ds-tools input").focus();
    await page.keyboard.press("Tab"); // the button of the filters
    equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "false");
    await page.keyboard.press("Enter");
    equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
    await page.keyboard.press("Tab"); // the box that scrolls
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Tab"); // the first column
    equal(await page.evaluate(() => document.activeElement.className), "ds-sort");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await settled(page.locator(".ds-table").first());
    equal(await column(page, 0), preview.rows.map((row) => row[0]).sort().reverse().slice(0, 10), "sorted by keys");
    equal(await page.evaluate(() => document.activeElement.className), "ds-sort", "the focus stays");
    await page.locator(".ds-pager button").last().focus();
    await page.keyboard.press("Space");
    assert((await page.locator(".ds-pager span").textContent()).includes("2"), "second page by keys");
    equal(await page.evaluate(() => document.activeElement.closest(".ds-pager") !== null), true, "the focus stays");
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
    const image = await page.locator(".ds-map img").getAttribute("src");
    assert(/\.svg$/.test(image), "a picture stands where there is no map yet");
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
    assert((await page.locator("#peta ~ * table tbody tr, section[aria-labelledby=peta] table tbody tr").count()) > 1, "a table tells the same");
    equal(await page.evaluate(sideways), null);
    return { shapes: all };
}

/* Charts, code to copy, tabs. */
export async function datasetParts({ visit }) {
    const { page, context } = await visit("katalog/kumuh.html");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const charts = page.locator(".ds-charts img");
    assert((await charts.count()) > 0, "charts");
    for (let i = 0; i < await charts.count(); i++) {
        await charts.nth(i).scrollIntoViewIfNeeded();
        await until("a chart", () => charts.nth(i).evaluate((img) => img.complete && img.naturalWidth > 100));
        assert((await charts.nth(i).getAttribute("alt")).length > 5, "a chart has words");
    }
    const block = page.locator("section[data-tab]:not([hidden]) pre[data-copy]").first();
    const box = block.locator("xpath=..");
    await box.scrollIntoViewIfNeeded();
    await box.locator(".copy-button").click();
    await until("it to be copied", async () => (await page.evaluate(() => navigator.clipboard.readText())) === (await block.textContent()).replace(/\n$/, ""));
    const tabs = page.locator("[role=tablist]").first().locator("[role=tab]");
    await tabs.first().focus();
    await page.keyboard.press("ArrowRight");
    equal(await tabs.nth(1).getAttribute("aria-selected"), "true");
    const panel = page.locator(`#${await tabs.nth(1).getAttribute("aria-controls")}`);
    assert(await panel.isVisible(), "the second language's code");
    const same = page.locator("[role=tablist]").nth(1).getByRole("tab", { name: await tabs.nth(1).textContent(), exact: true }); // another list may begin with another language
    equal(await same.getAttribute("aria-selected"), "true", "the choice holds for all examples");
    return { charts: await charts.count() };
}
