// Without JavaScript: reading, downloading, registering, and one's own key.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { assert, BASE, equal, until } from "../lib.mjs";

const without = { javaScriptEnabled: false };
const status = async (key) => (await fetch(`${BASE}v1/kumuh?limit=1`, { headers: { Authorization: `Bearer ${key}` } })).status;
const keyOn = (page) => page.locator("pre.key, .key").first().textContent();

export async function plainReading({ visit }, width) {
    const { page } = await visit("index.html", { ...without, viewport: { width: Number(width), height: 800 }, acceptDownloads: true });
    assert((await page.locator("#kelompok .dataset").count()) >= 22, "all datasets are there");
    assert(!(await page.locator(".filters").isVisible()), "what needs scripts is not shown");
    await page.locator(".dataset[data-slug=kumuh] a").first().click();
    await page.waitForURL(/katalog\/kumuh\.html$/);
    assert((await page.locator(".ds-table tbody tr").count()) >= 5, "first records");
    assert(await page.locator(".map img").isVisible(), "the map is a picture");
    assert((await page.locator(".map-figure figcaption").textContent()).trim().length > 60, "told in words");
    for (const name of ["curl", "JavaScript", "Python", "PHP"])
        assert(await page.locator(`section[data-tab="${name}"] pre`).first().isVisible(), `${name} is there without tabs`);
    const sizes = [];
    const files = page.locator(".ds-files > li");
    for (let i = 0; i < await files.count(); i++) {
        const [download] = await Promise.all([page.waitForEvent("download"), files.nth(i).locator("a[download]").click()]);
        const bytes = fs.readFileSync(await download.path());
        await files.nth(i).locator("summary").click();
        const digest = (await files.nth(i).locator("pre code").first().textContent()).trim();
        equal(createHash("sha256").update(bytes).digest("hex"), digest, download.suggestedFilename());
        sizes.push(bytes.length);
    }
    assert(sizes.length >= 3, `${sizes.length} files`);
    await page.locator("a.language").click();
    await page.waitForURL(/en\/catalog\/kumuh\.html$/);
    return { files: sizes.length };
}

export async function plainKey({ visit }) {
    const { page } = await visit("daftar.html", without);
    await page.locator("#name").fill("Tanpa Skrip");
    await page.locator("#email").fill(`tanpa-skrip-${Date.now()}@example.org`);
    await Promise.all([page.waitForURL(/auth\/register$/), page.locator("#daftar button[type=submit]").click()]);
    const key = (await keyOn(page)).trim();
    assert(/^odp_live_\w{36}$/.test(key), key);
    equal(await status(key), 200);
    await page.goto(new URL("kunci-saya.html", BASE).href);
    assert(!(await page.content()).includes(key), "the key is shown once");
    await page.locator("#key").fill(key);
    await Promise.all([page.waitForURL(/auth\/key\/view$/), page.locator("#kunci button[type=submit]").click()]);
    assert((await page.locator("main dl").count()) > 0, "the key's state");
    await Promise.all([page.waitForURL(/auth\/key\/rotate$/), page.locator("form[action$='key/rotate'] button").click()]);
    const next = (await keyOn(page)).trim();
    assert(next !== key && /^odp_live_\w{36}$/.test(next), next);
    await until("the new key to be known", async () => (await status(next)) === 200);
    await Promise.all([page.waitForURL(/auth\/key\/view$/), page.locator("form[action$='key/view'] button").click()]);
    await Promise.all([page.waitForURL(/auth\/key\/revoke$/), page.locator("form[action$='key/revoke'] button").click()]);
    equal(await status(next), 200, "revoking asks first");
    await Promise.all([page.waitForEvent("load"), page.locator("form[action$='key/revoke'] button").click()]);
    await until("the key to end", async () => (await status(next)) === 401);
    assert(!(await page.content()).includes(next), "a key that ended is not shown");
}
