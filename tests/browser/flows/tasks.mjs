// What people come for, by name only; every click, and every word that is typed and chosen, is a step.
import { until } from "../lib.mjs";

const settled = (page) => until("an answer", () => page.evaluate(() => document.querySelector(".ex.ex-live[aria-busy=false]") !== null));
const rows = (page, n) => page.evaluate((most) => [...document.querySelectorAll(".ex-grid .ex-rows .ex-row")].slice(0, most).map((row) => [...row.children].map((cell) => cell.textContent)), n);

/* Somebody with a page of all records in front of them. */
class Somebody {
    constructor(page) {
        this.page = page;
        this.steps = 0;
    }

    async click(place) {
        this.steps++;
        await place.scrollIntoViewIfNeeded();
        await place.click();
        await settled(this.page);
    }

    async choose(place, label) {
        this.steps++;
        await place.selectOption({ label });
        await settled(this.page);
    }

    /* Types WORDS into the search of the page and takes what is offered as NAME. */
    async find(words, name) {
        this.steps++;
        await this.page.locator("#jelajah-cari").fill(words);
        await this.page.locator(".ex-suggest button", { has: this.page.locator(`span:text-is("${name}")`) }).first().click();
        await settled(this.page);
    }

    async answer(n) {
        return { steps: this.steps, status: await this.page.locator(".ex-status").textContent(), rows: await rows(this.page, n), heads: await this.page.locator(".ex-head .ex-cell").allTextContents() };
    }
}

export async function tasks({ visit }, width) {
    const options = { viewport: { width: Number(width), height: 800 }, reducedMotion: "reduce" };
    const at = async (slug) => {
        const { page } = await visit(`katalog/${slug}/index.html`, options);
        await settled(page);
        return new Somebody(page);
    };

    /* From the front page: a place leads to its records. */
    const home = (await visit("index.html", options)).page;
    await home.locator("#cari-kata").focus();
    await until("the search", () => home.evaluate(() => document.getElementById("cari-kata").getAttribute("role") === "combobox"));
    await home.locator("#cari-kata").fill("kumuh bandung");
    await home.locator("#cari-saran [role=option][href*='katalog/kumuh/'][href*='32.73']").first().click();
    await settled(home);
    const slums = await new Somebody(home).answer(20);
    slums.steps = 1;

    const backlog = await at("perumahan");
    await backlog.find("2023", "2023");
    const head = backlog.page.locator(".ex-head .ex-cell", { hasText: "Backlog kepemilikan" });
    await backlog.click(head);

    const late = await at("proyek");
    await late.find("jawa barat", "Jawa Barat");
    await late.find("pelaksanaan", "Dalam pelaksanaan");
    await late.click(late.page.locator(".ex-head .ex-cell", { hasText: "Tanggal selesai" })); /* what should have ended comes first */

    const budget = await at("anggaran");
    await budget.find("perumahan", "Perumahan dan Kawasan Permukiman");
    await budget.click(budget.page.locator("[data-open=jelajah-kelompok]"));
    await budget.choose(budget.page.locator("[data-focus=by-0]"), "Tahun anggaran");
    await until("groups", async () => /kelompok/.test(await budget.page.locator(".ex-status").textContent()));
    const asked = new URL(budget.page.url()).searchParams.get("aggregate").split(",").map((one) => /^(\w+)\((\w*)\)$/.exec(one)).filter(([, fn]) => fn !== "count");
    const years = { ...(await budget.answer(40)), measure: asked.map(([, fn, field]) => ({ fn, field })) };
    return { slums, backlog: await backlog.answer(5), late: await late.answer(40), budget: years };
}
