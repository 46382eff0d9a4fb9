// The explorer, from a registration on the portal to a displayed response; its code in a shell.
import { execFileSync } from "node:child_process";
import { assert, BASE, equal, held, sideways, until } from "../lib.mjs";
import { register } from "./key.mjs";

const fragment = (page) => decodeURIComponent(new URL(page.url()).hash);
const sent = (watch) => watch.requests.filter((url) => /\/v1\/kumuh(\?|$)/.test(url)).length;

async function choose(page, words, anchor) {
    const fold = page.locator("#lipat-endpoint");
    if (await fold.evaluate((e) => !e.open))
        await fold.locator("summary").first().click();
    await page.locator("#cari-endpoint").fill(words);
    /* The address changes at once, the form a little later: what is typed into the old one would be lost. */
    const old = fragment(page) !== anchor && page.locator(".explorer-form [name]:not([data-old])");
    if (old)
        await old.evaluateAll((fields) => fields.forEach((field) => field.setAttribute("data-old", "")));
    await page.locator(`.explorer-endpoint[href="${anchor}"]`).click();
    await until("the form", async () => (await page.locator(".explorer-form [data-old]").count()) === 0);
    await page.locator("#kirim").waitFor();
    equal(fragment(page), anchor);
}

async function send(page) {
    await page.locator("#kirim").click();
    await until("an answer", () => page.locator("#jawaban").evaluate((e) => !e.hidden && e.getAttribute("aria-busy") !== "true" && e.querySelector("[role=tab]") !== null));
    return page.locator(".explorer-status").textContent();
}

/* Where there are many parameters, some are folded away. */
async function unfold(page, name) {
    const details = page.locator(".explorer-form details", { has: page.locator(`[name=${name}]`) }).first();
    if ((await details.count()) > 0 && (await details.evaluate((e) => !e.open)))
        await details.locator("summary").first().click();
}

const view = async (page, name) => page.locator(`#jawaban-tab-${name}`).click();
const fact = (page, i) => page.locator(".explorer-facts dd").nth(i).textContent();

/* What is wrong is told beside the field, and nothing is sent. */
async function checkRefusal(page, watch) {
    const before = sent(watch);
    const limit = page.locator("[name=limit]");
    for (const wrong of ["abc", "0", "1.5"]) {
        await limit.fill(wrong);
        await page.locator("#kirim").click();
        equal(await limit.getAttribute("aria-invalid"), "true", wrong);
        const error = page.locator(`#${(await limit.getAttribute("aria-describedby")).split(" ").pop()}`);
        assert(await error.isVisible() && (await error.textContent()).trim() !== "", `the error of ${wrong} stands beside the field`);
    }
    assert((await page.locator("#galat-kirim").textContent()).trim() !== "", "the button's own message");
    await limit.fill("5");
    equal(await limit.getAttribute("aria-invalid"), "false");
    equal(sent(watch), before, "requests for what is wrong");
}

async function checkAnswer(page) {
    assert((await send(page)).startsWith("200"), "200");
    assert(/\d+ ms/.test(await fact(page, 1)), "the time");
    assert(/\d/.test(await fact(page, 2)), "the size");
    assert(/json/.test(await fact(page, 3)), "the type");
    assert(/\d/.test(await fact(page, 4)), "what is left of the quota");
    equal(await page.evaluate(() => document.activeElement.id), "jawaban-judul", "the focus goes to the answer");
    const tree = page.locator("#jawaban-panel .json");
    const folded = tree.locator("details:not([open]) > summary").first();
    await folded.click();
    const open = await tree.locator("details[open]").count();
    await page.locator("#jawaban-panel .cluster button").last().click();
    await until("all folded but the whole", async () => (await tree.locator("details details[open]").count()) === 0);
    await page.locator("#jawaban-panel .cluster button").first().click();
    assert((await tree.locator("details[open]").count()) >= open, "all unfolded");
    await view(page, "table");
    equal(await page.locator(".explorer-table tbody tr").count(), 5, "rows");
    await view(page, "headers");
    const headers = (await page.locator("#jawaban-panel").textContent()).toLowerCase();
    for (const name of ["ratelimit", "etag", "content-type"])
        assert(headers.includes(name), `header ${name}`);
    await view(page, "raw");
    equal(JSON.parse(await page.locator(".explorer-raw code").textContent()).data.length, 5);
}

/* Code that is shown does what was done; curl in a shell, the others at least name the address. */
async function checkCode(page, key) {
    const code = async (name) => page.locator(`#kode_${name}`).textContent();
    const curl = await code("curl");
    assert(!curl.includes(key), "the key is not in the code");
    const answer = JSON.parse(execFileSync("sh", ["-c", curl], { env: { ...process.env, ODP_KEY: key }, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    equal(answer.data.length, 5, "curl's records");
    for (const name of ["javascript", "python", "php"])
        assert((await code(name)).includes(BASE.replace(/\/$/, "")) && (await code(name)).includes("/v1/kumuh") && (await code(name)).includes("ODP_KEY"), `${name}: ${await code(name)}`);
    return curl;
}

async function checkMap(page) {
    await choose(page, "kumuh", "#GET/v1/kumuh");
    await page.locator("[name=limit]").fill("5");
    await unfold(page, "f");
    await page.locator("[name=f]").selectOption("geojson");
    assert((await send(page)).startsWith("200"), "GeoJSON");
    await view(page, "map");
    await page.locator(".explorer-map .odp-map-walk").waitFor();
    await until("shapes", async () => (await page.locator(".leaflet-overlay-pane path.leaflet-interactive").count()) > 0);
    await page.locator(".odp-map-walk button").last().click();
    await page.locator(".odp-map-popup").waitFor();
}

/* The API's own words, as it gave them. */
async function checkError(page, watch, key) {
    watch.expected = (url, status) => status === 400 || status === 401;
    await choose(page, "kumuh", "#GET/v1/kumuh");
    await page.locator("[name=filter]").fill("tidak_ada > 3");
    assert((await send(page)).startsWith("400"), "400");
    const lang = await page.locator("html").getAttribute("lang");
    const answer = await fetch(`${BASE}v1/kumuh?filter=tidak_ada%20%3E%203`, { headers: { Authorization: `Bearer ${key}`, "Accept-Language": lang } });
    const problem = await answer.json();
    const box = await page.locator(".explorer-problem").textContent();
    assert(box.includes(problem.title) && box.includes(problem.detail), `"${box}" has ${problem.title}: ${problem.detail}`);
    const about = await page.locator(".explorer-problem a").getAttribute("href");
    assert(about.endsWith(`#${problem.code}`), about);
    await page.locator("#kunci-lupa").click();
    await page.locator("[name=filter]").fill("");
    assert((await send(page)).startsWith("401"), "401 without a key");
}

export async function explorerWhole({ visit }, lang, width) {
    const { page, watch } = await visit(lang === "en" ? "en/register.html" : "daftar.html", { viewport: { width: Number(width), height: 800 }, locale: lang });
    const key = await register(page, `explorer-${Date.now()}@example.org`);
    await page.locator("#kunci-baru a[href*='#'], #kunci-baru a").last().click();
    await page.locator("#kunci-api").waitFor(); /* it stands in the page before the script that fills it in has run */
    await until("the explorer has the key", async () => (await page.locator("#kunci-api").inputValue()) === key);
    equal(await page.evaluate(() => Object.keys(localStorage).length), 0, "nothing outlives the session");
    await page.locator("#cari-endpoint").waitFor();
    equal(await page.evaluate(sideways), null);
    await choose(page, "kumuh", "#GET/v1/kumuh");
    await checkRefusal(page, watch);
    equal(fragment(page), "#GET/v1/kumuh?limit=5", "the address is a state");
    await checkAnswer(page);
    const curl = await checkCode(page, key);
    equal(await page.evaluate(sideways), null);
    await checkMap(page);
    equal(await page.evaluate(sideways), null);
    await page.reload();
    await page.locator("#kirim").waitFor();
    equal(await page.locator("[name=limit]").inputValue(), "5", "a reload keeps the request");
    await checkError(page, watch, key);
    return { curl };
}

/* Keys alone: the search of endpoints, an endpoint, its fields, the button, the answer's tabs. */
export async function explorerKeys({ visit }) {
    const { page } = await visit("en/register.html", { locale: "en-GB" });
    const release = await held(page, /\/v1\/openapi\.json$/);
    await page.goto(new URL("en/explorer.html", BASE).href);
    await page.locator("#cari-endpoint").focus();
    await page.keyboard.type("index.json");
    for (let i = 0; i < 6 && !(await page.evaluate(() => document.activeElement.matches(".explorer-endpoint"))); i++)
        await page.keyboard.press("Tab");
    equal(await page.evaluate(() => document.activeElement.getAttribute("href")), "#GET/v1/index.json");
    await page.keyboard.press("Enter");
    release(); // the list of endpoints came with the page, their parameters come when they come
    await page.locator("#kirim").waitFor();
    equal(await page.evaluate(() => document.activeElement.id), "permintaan-judul");
    for (let i = 0; i < 12 && !(await page.evaluate(() => document.activeElement.id === "kirim")); i++)
        await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".explorer-status").waitFor();
    for (let i = 0; i < 8 && !(await page.evaluate(() => document.activeElement.matches("[role=tab]"))); i++)
        await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowRight");
    equal(await page.evaluate(() => document.activeElement.id), "jawaban-tab-table");
    await page.locator(".explorer-table").waitFor();
}
