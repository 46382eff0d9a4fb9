// The page of all records: what it answers, tasks by name, by keys alone, groups, files, and what it says when something is missing.
import fs from "node:fs";
import { assert, equal, sideways, until } from "../lib.mjs";

const settled = (page) => until("an answer", () => page.evaluate(() => document.querySelector(".ex.ex-live[aria-busy=false]") !== null));
const first = (page) => page.locator(".ex-grid .ex-rows .ex-row").first();
const status = (page) => page.locator(".ex-status").textContent();
const cells = (page, n) => page.evaluate((most) => [...document.querySelectorAll(".ex-grid .ex-rows .ex-row")].slice(0, most).map((row) => [...row.children].map((cell) => cell.textContent)), n);
const chips = (page) => page.locator(".ex-chip").allTextContents();
const number = (text) => Number(/[\d.]+/.exec(text)[0].replace(/\./g, ""));

async function opened(visit, path, options) {
    const { page, watch } = await visit(path, options);
    await settled(page);
    return { page, watch };
}

/* What the page answers to each address of JOBS (a file): [{path, asks: [query…]}…]. Who judges is the test, which counts in the published files. */
export async function exploreAnswers({ visit }, jobs) {
    const answers = [];
    for (const { path, asks } of JSON.parse(fs.readFileSync(jobs, "utf8"))) {
        const { page } = await opened(visit, `${path}?${asks[0]}`);
        const found = [];
        for (const ask of asks) {
            await page.evaluate((query) => {
                history.pushState(null, "", `?${query}`);
                dispatchEvent(new PopStateEvent("popstate"));
            }, ask);
            await settled(page);
            equal(await page.locator(".ex-notice [role=alert], .ex-notice .notice-error").count(), 0, ask);
            const text = await status(page);
            found.push({ matched: /^Tidak ada/.test(text) ? 0 : number(text), rows: /^Tidak ada/.test(text) ? [] : await cells(page, 5) });
        }
        answers.push(found);
        await page.close();
    }
    return answers;
}

/* Opens the filters where they are a drawer, and the section of a column. */
async function section(page, name) {
    if (await page.locator(".ex-open-side").isVisible() && (await page.locator(".ex-open-side").getAttribute("aria-expanded")) === "false")
        await page.locator(".ex-open-side").click();
    const field = page.locator(`.ex-field[data-field=${name}]`);
    if (!(await field.evaluate((one) => one.open)))
        await field.locator("summary").click();
    await field.locator(".ex-choices li, .ex-range, .ex-part").first().waitFor();
    return field;
}

async function tick(page, name, value) {
    const field = await section(page, name);
    if (await field.locator(".ex-find").isVisible())
        await field.locator(".ex-find").fill(value);
    await field.locator(".ex-choices label", { hasText: value }).first().click();
    await settled(page);
    if (await page.locator(".ex-close").isVisible())
        await page.locator(".ex-close").click();
}

/* "By name only, at most three steps". */
export async function exploreTasks({ visit }, width) {
    const options = { viewport: { width: Number(width), height: 800 }, reducedMotion: "reduce" };
    const slums = (await opened(visit, "katalog/kumuh/index.html", options)).page;
    equal(await slums.evaluate(sideways), null);
    await slums.locator("#jelajah-cari").fill("bandung");
    await slums.locator(".ex-suggest button", { hasText: "Kota Bandung" }).click();
    await until("the slums of Kota Bandung", async () => /^17 dari 1\.204/.test(await status(slums)));
    equal((await chips(slums)).length, 1);
    assert((await cells(slums, 17)).every((row) => row.some((text) => /^Kota Bandung/.test(text))), "all of Bandung");
    equal(new URL(slums.url()).searchParams.get("filter"), "kode_kabkota = '32.73'");
    await slums.reload();
    await settled(slums);
    assert(/^17 dari/.test(await status(slums)), "the address opens the same");
    await slums.locator(".ex-views [data-view=map]").click();
    await slums.locator(".odp-map-walk").waitFor();
    assert(/view=map/.test(slums.url()), "the map is in the address");

    const backlog = (await opened(visit, "katalog/perumahan/index.html", options)).page;
    await tick(backlog, "tahun", "2023");
    const head = backlog.locator(".ex-head .ex-cell", { hasText: "Backlog kepemilikan" });
    await head.evaluate((cell) => cell.scrollIntoView({ inline: "end", block: "nearest" }));
    await head.click();
    await until("the order", async () => (await head.getAttribute("aria-sort")) === "descending");
    await settled(backlog);
    const column = await head.evaluate((cell) => [...cell.parentElement.children].indexOf(cell));
    const top = (await cells(backlog, 5)).map((row) => [row[0], number(row[column])]);
    assert(top.every(([name], i) => /^(Kabupaten|Kota) /.test(name) && (i === 0 || top[i - 1][1] >= top[i][1])), JSON.stringify(top));
    equal(new URL(backlog.url()).searchParams.get("sortby"), "-backlog_kepemilikan");

    const late = (await opened(visit, "katalog/proyek/index.html", options)).page;
    await tick(late, "kode_provinsi", "Jawa Barat");
    await tick(late, "status", "Dalam pelaksanaan");
    const end = await section(late, "tanggal_selesai");
    await end.locator("input").last().fill("2024-03-15"); // the day of the data: they should have ended
    await end.locator("input").last().press("Enter");
    await until("the delayed ones", async () => (await late.locator(".ex-chip").count()) === 3);
    await settled(late);
    const found = await cells(late, 20);
    assert(found.length > 0 && found.every((row) => row.includes("Dalam pelaksanaan LAKSANA")), `delayed ones: ${JSON.stringify(found)}`);
    equal(new URL(late.url()).searchParams.get("filter"), "kode_provinsi = '32' AND status = 'LAKSANA' AND tanggal_selesai <= '2024-03-15'");

    const budget = (await opened(visit, "katalog/anggaran/index.html", options)).page;
    await tick(budget, "program", "Infrastruktur Konektivitas");
    await budget.locator("[data-open=jelajah-kelompok]").click();
    await budget.locator("[data-focus=by-0]").selectOption("tahun_anggaran");
    await until("groups", async () => /kelompok/.test(await status(budget)));
    const years = await cells(budget, 10);
    assert(years.length >= 3 && years.every((row) => /^20\d\d$/.test(row[0]) && number(row[2]) > 1e6), JSON.stringify(years));
    equal(await budget.evaluate(sideways), null);
    return { top };
}

const active = (page) => page.evaluate(() => {
    const cell = document.activeElement;
    return { role: cell.getAttribute("role"), row: cell.parentElement && Number(cell.parentElement.getAttribute("aria-rowindex")), column: Number(cell.getAttribute("aria-colindex")) };
});

/* The pattern of a grid: one stop of Tab, arrows and Page, Home, End; sorting, opening and closing give the focus back. */
export async function exploreKeys({ visit }) {
    const { page } = await opened(visit, "katalog/kumuh/index.html", { reducedMotion: "reduce" });
    await page.locator(".ex-head .ex-cell").first().focus();
    for (const [key, wanted] of [["ArrowDown", [2, 1]], ["ArrowRight", [2, 2]], ["End", [2, 15]], ["Home", [2, 1]], ["Control+End", [1205, 15]], ["ArrowDown", [1205, 15]], ["Control+Home", [2, 1]],
        ["ArrowUp", [1, 1]], ["ArrowUp", [1, 1]]]) {
        await page.keyboard.press(key);
        await until(`the cell after ${key}`, async () => JSON.stringify(await active(page).then(({ row, column }) => [row, column])) === JSON.stringify(wanted));
    }
    await page.keyboard.press("Enter");
    await until("sorted", async () => (await page.locator(".ex-head [aria-sort=ascending]").count()) === 1);
    equal((await active(page)).role, "columnheader", "the focus stays");
    await page.keyboard.press("PageDown");
    const at = await active(page);
    assert(at.row > 5, `a page further: ${at.row}`);
    await page.keyboard.press("Enter");
    await page.locator("#jelajah-rekaman").waitFor();
    equal(await page.evaluate(() => document.activeElement.id), "jelajah-rekaman");
    await page.keyboard.press("Escape");
    await until("the cell again", async () => (await active(page)).row === at.row);
    await page.keyboard.press("Tab");
    assert((await active(page)).role === null, "one stop");
    await page.locator("#jelajah-cari").fill("bandung");
    await page.locator(".ex-suggest button").first().waitFor();
    await page.locator("#jelajah-cari").press("ArrowDown");
    await page.keyboard.press("Enter");
    await until("a condition", async () => (await page.locator(".ex-chip").count()) === 1);
    await page.locator(".ex-chip").focus();
    await page.keyboard.press("Enter");
    await until("no condition", async () => (await page.locator(".ex-chip").count()) === 0);
    equal(await page.evaluate(() => document.activeElement.id), "jelajah-cari", "the focus has a place");
}

/* What is in sight holds until the next answer is: a row that is chosen meanwhile, a list of names that nobody waits for any more; without shapes the table goes on. */
export async function exploreLate({ visit }) {
    const { page, watch } = await opened(visit, "katalog/perumahan/index.html");
    await page.evaluate(() => {
        document.querySelector(".ex-head .ex-cell:nth-child(2)").click();
        document.querySelector(".ex-grid .ex-rows .ex-row .ex-cell").click();
    });
    await settled(page);
    await page.locator("[data-open=jelajah-unduh]").click();
    await saved(page, /^CSV$/); // the worker answers in turn: what was asked before is told
    equal(await page.locator("#jelajah-rekaman").isVisible(), false, "no record of an order that was not in sight");

    watch.expected = (url, code) => code === 404 && /kumuh\.geojson$/.test(url);
    await page.route(/kumuh\.geojson$/, (route) => route.fulfill({ status: 404 }), { times: 1 });
    await page.goto(page.url().split("?")[0].replace("perumahan", "kumuh"));
    await settled(page);
    await page.locator("#jelajah-cari").fill("bandung");
    await page.locator(".ex-open-side, .ex-views button").locator("visible=true").first().focus();
    await until("the words to be asked", async () => (await page.locator(".ex-chip").count()) === 1);
    await settled(page);
    equal(await page.locator(".ex-suggest").isVisible(), false, "no list of names where nobody types");
    await page.locator(".ex-views [data-view=map]").click();
    await page.locator(".ex-map .notice-warning").waitFor();
    await page.locator(".ex-views [data-view=table]").click();
    await page.locator(".ex-chip").click();
    await until("all of them", async () => /^1\.204/.test(await status(page)));
    await page.locator(".ex-views [data-view=map]").click();
    await page.locator(".odp-map-walk").waitFor(); // now they come
}

async function saved(page, form) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#jelajah-unduh button", { hasText: form }).click()]);
    return { name: download.suggestedFilename(), text: fs.readFileSync(await download.path(), "utf8") };
}

/* Files of what is selected; the same question for programs; a record; paper. */
export async function exploreParts({ visit }) {
    const { page } = await opened(visit, "katalog/kumuh/index.html?filter=kode_kabkota%20%3D%20%2732.73%27&sortby=-luas_ha", { acceptDownloads: true });
    await page.locator("[data-open=jelajah-unduh]").click();
    const csv = await saved(page, /^CSV$/);
    assert(/\.csv$/.test(csv.name) && csv.text.trim().split("\n").length === 18, csv.name);
    const places = JSON.parse((await saved(page, "GeoJSON")).text);
    assert(places.features.length === 17 && places.features.every((one) => one.geometry && one.properties.kode_kabkota === "32.73"), "GeoJSON");
    const note = await saved(page, /TXT/);
    assert(note.text.includes("32.73") && note.text.includes("CC-BY-4.0"), note.text);
    await page.locator("[data-open=jelajah-kode]").click();
    const code = (await page.locator("#jelajah-kode pre").allTextContents()).join("\n");
    assert(code.includes("/v1/kumuh?filter=") && code.includes("--data-urlencode 'sortby=-luas_ha'"), code);
    await page.locator("#jelajah-kode select").selectOption("python");
    assert((await page.locator("#jelajah-kode pre").last().textContent()).includes("urllib.request"), "Python");
    await page.locator("[data-open=jelajah-kolom]").click();
    await page.locator("#jelajah-kolom label", { hasText: "Kode provinsi" }).click();
    await settled(page);
    equal((await page.locator(".ex-head .ex-cell").count()), 16);
    await until("what columns hold, at their heads", async () => (await page.locator(".ex-head .ex-figure svg").count()) > 10);
    await page.keyboard.press("Escape");
    await first(page).click();
    const facts = await page.locator("#jelajah-rekaman dl").textContent();
    assert(facts.includes("Kota Bandung") && facts.includes("32.73"), facts);
    assert(/^mailto:.*32\.73-/.test(decodeURIComponent(await page.locator("#jelajah-rekaman a[href^='mailto:']").getAttribute("href"))), "a letter about the record");
    await page.locator("#jelajah-rekaman button").last().click();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    equal(await page.locator(".ex-print tbody tr").count(), 17, "paper");
    await page.locator("[data-open=jelajah-kelompok]").click();
    await page.locator("[data-focus=by-0]").selectOption("tingkat");
    await until("groups", async () => /kelompok/.test(await status(page)));
    await page.locator("[data-open=jelajah-unduh]").click();
    const groups = await saved(page, /^CSV$/);
    assert(/^tingkat,count,sum_luas_ha\r\nBerat,\d+,[\d.]+\r\n/.test(groups.text), groups.text);
    await first(page).click(); // a group's records
    await until("its records", async () => (await page.locator(".ex-chip").count()) === 2);
    await page.goBack();
    await until("groups again", async () => /kelompok/.test(await status(page)));
}

/* Where the file cannot be had the first records stay, and say where all are; what an address asks that the page cannot show is told. */
export async function exploreFails({ visit }) {
    const { page, watch } = await visit("katalog/regulasi/index.html");
    let there = false;
    watch.expected = (url, code) => code === 404 && /perumahan\.csv$/.test(url);
    await page.route(/perumahan\.csv$/, (route) => (there ? route.continue() : route.fulfill({ status: 404 })));
    await page.goto(page.url().replace("regulasi", "perumahan"));
    await page.locator(".ex-notice [role=alert]").waitFor();
    assert(await page.locator(".ex-static tbody tr").first().isVisible(), "the first records stay");
    assert((await page.locator(".ex-notice a[download]").getAttribute("href")).includes("perumahan"), "where all are");
    there = true;
    await page.locator(".ex-notice button").click();
    await settled(page);
    await first(page).waitFor();
    await page.goto(`${page.url().split("?")[0]}?filter=tahun%20%3D%202023%20OR%20tahun%20%3D%202021&limit=3`);
    await settled(page);
    const told = await page.locator(".ex-notice").textContent();
    assert(told.includes("limit") && told.includes("OR"), told);
    await page.goto(`${page.url().split("?")[0]}?q=zzyzx`);
    await settled(page);
    assert(/^Tidak ada/.test(await status(page)), "none");
    await page.locator(".ex-notice button").click();
    await until("all again", async () => /^1\.\d\d\d rekaman/.test(await status(page)));
}
