// The page of components: what scripts make of tabs and menus, and that nothing is there that cannot be seen.
import { assert, equal, sideways } from "../lib.mjs";

const inFront = (page) => page.evaluate(() => ["satu", "dua", "tiga"].filter((id) => !document.getElementById(id).hidden && document.getElementById(id).offsetHeight > 0));
const chosen = (page) => page.evaluate(() => document.querySelector("nav.tabs [aria-selected=true]").hash);

async function tabs(page) {
    equal(await inFront(page), ["satu"], "the first is in front");
    await page.locator("nav.tabs a").nth(1).click();
    equal([await inFront(page), new URL(page.url()).hash], [["dua"], "#dua"], "chosen by pointer");
    await page.keyboard.press("ArrowRight");
    equal([await inFront(page), await chosen(page), await page.evaluate(() => document.activeElement.hash)], [["tiga"], "#tiga", "#tiga"], "by arrow");
    await page.keyboard.press("ArrowRight");
    equal(await inFront(page), ["satu"], "round");
    await page.keyboard.press("End");
    equal(await inFront(page), ["tiga"], "the last");
    await page.reload();
    equal(await inFront(page), ["tiga"], "the address is a state");
    await page.evaluate(() => (location.hash = "#dua"));
    await page.waitForFunction(() => !document.getElementById("dua").hidden);
    equal(await page.evaluate(() => [...document.querySelectorAll("[role=tab]")].every((tab) => document.getElementById(tab.getAttribute("aria-controls")).getAttribute("aria-labelledby") === tab.id)), true, "tabs and panels know each other");
}

async function menus(page) {
    const menu = page.locator("details.menu");
    await menu.locator("summary").click();
    assert(await menu.locator("li a").first().isVisible(), "the menu opens");
    await page.keyboard.press("Escape");
    assert(!(await menu.evaluate((element) => element.open)), "Escape closes it");
    await menu.locator("summary").click();
    await page.locator("h1").click();
    assert(!(await menu.evaluate((element) => element.open)), "and so does a click elsewhere");
}

export async function components({ visit }, width) {
    const { page } = await visit("komponen.html", { viewport: { width: Number(width), height: 800 } });
    equal(await page.evaluate(sideways), null);
    await tabs(page);
    await menus(page);
    equal(await page.evaluate(() => [...document.querySelectorAll(".icon")].filter((icon) => icon.offsetWidth < 8 || !getComputedStyle(icon).maskImage.startsWith("url")).map((icon) => icon.className)), [], "every icon is drawn");
    await page.emulateMedia({ media: "print" });
    equal(await inFront(page).then(() => page.evaluate(() => ["satu", "dua", "tiga"].every((id) => document.getElementById(id).offsetHeight > 0))), true, "paper has all of them");
    const plain = await visit("komponen.html", { viewport: { width: Number(width), height: 800 }, javaScriptEnabled: false });
    for (const id of ["satu", "dua", "tiga"]) assert(await plain.page.locator(`#${id}`).isVisible(), `${id} is there without scripts`);
    return {};
}
