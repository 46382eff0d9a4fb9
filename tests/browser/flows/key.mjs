// A key from registering to revoking, with scripts.
import { assert, BASE, equal, until } from "../lib.mjs";

/* Fills in the form that PAGE shows; the key. Faults first: they are told beside the fields, in the page's language. */
export async function register(page, email) {
    await page.locator("#email").fill("salah@");
    await page.locator("#daftar button[type=submit]").click();
    for (const name of ["name", "email"])
        assert(await page.locator(`#${name}-error`).isVisible(), `the error of ${name}`);
    equal(await page.evaluate(() => document.activeElement.id), "name");
    await page.locator("#name").fill("Sari Dewi");
    await page.locator("#email").fill(email);
    await page.keyboard.press("Enter");
    await page.locator("#kunci-baru").waitFor();
    const key = await page.locator("#kunci-baru .key").textContent();
    assert(/^odp_live_\w{36}$/.test(key), key);
    equal(await page.evaluate(() => sessionStorage.getItem("odp-key")), key);
    return key;
}

const status = async (key) => (await fetch(`${BASE}v1/kumuh?limit=1`, { headers: { Authorization: `Bearer ${key}` } })).status;

async function show(page) {
    await page.locator("#kunci button[type=submit]").click();
    await page.locator("#kunci-isi .facts").waitFor();
}

export async function keyWhole({ visit }, width) {
    const { page, context, watch } = await visit("daftar.html", { viewport: { width: Number(width), height: 800 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const key = await register(page, `kunci-${Date.now()}@example.org`);
    await page.locator("#kunci-baru .cluster button").first().click();
    await until("the key to be copied", async () => (await page.evaluate(() => navigator.clipboard.readText())) === key);
    for (let i = 0; i < 3; i++)
        equal(await status(key), 200);
    await page.goto(new URL("kunci-saya.html", BASE).href);
    await page.locator("#kunci-isi .facts").waitFor(); // the session knows the key
    await until("the use of today", async () => {
        await show(page);
        return (await page.locator("svg.usage rect").count()) > 0;
    });
    assert((await page.locator("svg.usage").getAttribute("aria-label")).includes("3"), "the picture is told in words");
    await page.locator("#kunci-isi details summary").click();
    equal(await page.locator("#kunci-isi table tbody tr").count(), 30, "days in the table");

    await page.locator("#kunci-isi section button").first().click();
    await page.locator("#kunci-isi .key").waitFor();
    const next = await page.locator("#kunci-isi .key").textContent();
    assert(next !== key && /^odp_live_\w{36}$/.test(next), next);
    await until("the new key to be known", async () => (await status(next)) === 200);

    await show(page);
    const buttons = page.locator("#kunci-isi [aria-labelledby=tindakan] button");
    await buttons.nth(1).click();
    equal(await status(next), 200, "revoking asks first");
    await buttons.nth(2).click(); // not now
    await buttons.nth(1).click();
    await buttons.nth(1).click(); // yes
    await page.locator("#kunci-isi .notice").waitFor();
    await until("the key to end", async () => (await status(next)) === 401);
    equal(await page.evaluate(() => sessionStorage.getItem("odp-key")), null, "the session forgets it");
    watch.expected = (url, code) => code === 401;
    await page.locator("#key").fill(next);
    await page.locator("#kunci button[type=submit]").click();
    await page.locator("#kunci-kabar .notice-error").waitFor();
}
