// A key from registering to revoking, with scripts.
import { assert, BASE, equal, held, until } from "../lib.mjs";

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
    await until("all three requests, told in words", async () => {
        await show(page);
        return /^3 permintaan/.test(await page.locator("svg.usage").getAttribute("aria-label"));
    });
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

/* What is answered late shows and stores nothing where another key was asked for since; a button pressed twice is meant once. */
export async function keyLate({ visit }) {
    const { page, watch } = await visit("daftar.html");
    const first = await register(page, `dulu-${Date.now()}@example.org`);
    await page.goto(new URL("daftar.html", BASE).href);
    const second = await register(page, `kini-${Date.now()}@example.org`);
    await page.evaluate((key) => sessionStorage.setItem("odp-key", key), first);
    const release = await held(page, /\/auth\/key$/);
    await page.goto(new URL("kunci-saya.html", BASE).href);
    await page.locator("#key").fill(second);
    await show(page);
    const late = page.waitForResponse(/\/auth\/key$/);
    release();
    await (await late).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve))); // the task after the one in which it was read
    equal(await page.evaluate(() => sessionStorage.getItem("odp-key")), second);
    const rotated = await held(page, /\/auth\/rotate$/);
    const button = page.locator("#kunci-isi section button").first(), at = await button.boundingBox();
    await button.click();
    await page.mouse.click(at.x + at.width / 2, at.y + at.height / 2);
    rotated();
    await page.locator("#kunci-isi .key").waitFor();
    equal(watch.requests.filter((url) => url.endsWith("/auth/rotate")).length, 1, "one key for two presses");
    equal(await status(await page.locator("#kunci-isi .key").textContent()), 200);
}
