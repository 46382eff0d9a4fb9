// The search of every page: what is first for real questions, by keys, on the page of results, for screen readers.
import { assert, axeSource, BASE, equal, held, sideways, until } from "../lib.mjs";

const input = (page) => page.locator("#cari-kata");

/* What is suggested for WORDS: [[group, title, note, href]]; [] with what is said where nothing is found. */
async function ask(page, words) {
    await input(page).fill("");
    await until("an empty answer", () => page.evaluate(() => (document.getElementById("cari-saran")?.nextElementSibling.textContent ?? "") === ""));
    await input(page).fill(words);
    return until(`an answer to ${words}`, () => page.evaluate(() => {
        const list = document.getElementById("cari-saran");
        const said = list && list.nextElementSibling;
        if (!said || said.textContent === "") return null;
        return { said: said.textContent, found: [...list.querySelectorAll("[role=option]")].map((one) => [one.closest("[role=group]")?.firstChild.textContent ?? "", one.firstChild.textContent, one.lastChild.textContent.trim(), one.getAttribute("href").replace(/^(\.\.\/)+/, "")]) };
    }));
}

/* QUESTIONS: [[page, words]…] as JSON; what is suggested for each. */
export async function searchQuestions({ visit }, questions) {
    const answers = [];
    const pages = new Map();
    for (const [path, words] of JSON.parse(questions)) {
        if (!pages.has(path)) pages.set(path, (await visit(path)).page);
        const page = pages.get(path);
        await input(page).focus();
        await until("the search", () => page.evaluate(() => document.getElementById("cari-kata").getAttribute("role") === "combobox"));
        answers.push(await ask(page, words));
        equal(await page.evaluate(sideways), null);
    }
    return answers;
}

/* The combobox pattern of WAI-ARIA, at WIDTH; nothing is loaded before somebody types; axe with the list open. */
export async function searchKeys({ visit }, width, scheme) {
    const { page, watch } = await visit("rilis.html", { viewport: { width: Number(width), height: 800 }, colorScheme: scheme });
    const state = () => page.evaluate(() => {
        const field = document.getElementById("cari-kata");
        const active = document.getElementById(field.getAttribute("aria-activedescendant"));
        return { open: field.getAttribute("aria-expanded"), active: active && active.getAttribute("aria-selected") === "true" ? active.textContent : null, focus: document.activeElement === field };
    });
    assert(!watch.requests.some((url) => url.endsWith("/cari.json")), "nothing is loaded before it is needed");
    await input(page).focus();
    await until("the search", () => page.evaluate(() => document.getElementById("cari-kata").getAttribute("role") === "combobox"));
    const { found } = await ask(page, "bandung");
    assert(found.length > 2, `${found}`);
    equal(await state(), { open: "true", active: null, focus: true });
    await page.evaluate(axeSource);
    const axe = await page.evaluate(() => axe.run(document));
    equal(axe.violations.map((one) => `${one.id}: ${one.nodes[0].html}`), []);
    equal(await page.evaluate(sideways), null);
    await page.keyboard.press("ArrowDown");
    assert((await state()).active.startsWith(found[0][1]), "Down: the first");
    await page.keyboard.press("ArrowDown");
    assert((await state()).active.startsWith(found[1][1]), "Down: the second");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    equal((await state()).active, null, "Up from the first: the field itself");
    await page.keyboard.press("ArrowUp");
    assert((await state()).active.startsWith(found[found.length - 1][1]), "Up from the field: the last");
    await page.keyboard.press("Escape");
    equal(await state(), { open: "false", active: null, focus: true });
    equal(await input(page).inputValue(), "bandung", "the first Escape leaves the words");
    await page.keyboard.press("ArrowDown");
    equal((await state()).open, "true");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => /\/tempat\/[\d.]+\.html$/.test(url.pathname)); // a place leads to its page
    equal(await page.locator("h1").textContent(), found[0][1]);
    await page.goto(`${BASE}index.html?q=bandung`);
    await page.locator("#temuan .found-in a").first().waitFor(); // and, among all results, to its records in each dataset
    assert((await page.locator("#temuan .found-in a").count()) > 2, "datasets of the place");
    equal(await page.evaluate(sideways), null);
    return { datasets: await page.locator("#temuan .found").first().locator(".found-in").first().locator("a").count() };
}

/* Enter without a choice: the page of results, which an address is, too. */
export async function searchPage({ visit }) {
    const { page } = await visit("en/docs/index.html");
    await input(page).fill("slums");
    await input(page).press("Enter");
    await page.waitForURL(`${BASE}en/index.html?q=slums`);
    await page.locator("#temuan .found a").first().waitFor();
    equal(await page.locator("#cari-kata").inputValue(), "slums");
    await page.locator("#temuan .found a", { hasText: "Slum map" }).first().click();
    await page.waitForURL(`${BASE}en/catalog/kumuh.html`);
    await page.goBack();
    await page.locator("#temuan .found a").first().waitFor();
    await page.goto(`${BASE}index.html?q=zzqqyx`);
    await until("that nothing is found", async () => (await page.locator("#temuan [role=status]").textContent()).includes("zzqqyx"));
    equal(await page.locator("#temuan .found").count(), 0);
}

/* The page of results says which spelling they have. */
export async function searchSpelled({ visit }) {
    const { page } = await visit("en/index.html?q=housng");
    await page.locator("#temuan .found a").first().waitFor();
    equal(await page.locator("#temuan [role=status]").textContent(), "Nothing has “housng”. These are the results for “housing”:");
}

const SHARD = /\/assets\/[0-9a-f]+\.json$/;

/* SHARDREAD is true in the task after the one in which the words of a shard are read: the search has answered by then. */
const tellShard = (page) => page.evaluate(() => {
    const read = Response.prototype.json;
    Response.prototype.json = function () {
        return read.call(this).finally(() => setTimeout(() => (window.shardRead = true)));
    };
});

/* A list that was closed stays so, whatever answer is on its way. */
export async function searchClosed({ visit }) {
    const { page } = await visit("en/releases.html");
    await input(page).focus();
    await until("the search", () => page.evaluate(() => document.getElementById("cari-kata").getAttribute("role") === "combobox"));
    await ask(page, "slum");
    await tellShard(page);
    const release = await held(page, SHARD), asked = page.waitForRequest(SHARD);
    await page.keyboard.type(" map");
    await asked;
    await page.keyboard.press("Escape");
    release();
    await until("an answer to slum map", () => page.evaluate(() => window.shardRead));
    equal(await page.locator("#cari-saran").isVisible(), false);
}

/* A suggestion under the pressed button stays, whatever answers come meanwhile: it leads where it said. */
export async function searchPressed({ visit }) {
    const { page } = await visit("en/releases.html");
    await input(page).focus();
    await until("the search", () => page.evaluate(() => document.getElementById("cari-kata").getAttribute("role") === "combobox"));
    await ask(page, "slum");
    await page.locator("#cari-saran a[href$='catalog/kumuh.html']").first().hover();
    await tellShard(page);
    await page.mouse.down();
    await page.keyboard.type(" map");
    await until("an answer to slum map", () => page.evaluate(() => window.shardRead));
    await page.mouse.up();
    await page.waitForURL(`${BASE}en/catalog/kumuh.html`);
}

/* Without scripts the form goes to the catalogue, where everything stands. */
export async function searchPlain({ visit }) {
    const { page } = await visit("katalog/kumuh.html", { javaScriptEnabled: false });
    await input(page).fill("kumuh");
    await page.locator("form.search button").click();
    await page.waitForURL(`${BASE}index.html?q=kumuh`);
    assert(await page.locator("#kelompok .dataset").first().isVisible(), "the catalogue");
}
