// Looks at pages of the HTML report: axe-core light and dark, wide and narrow; what they ask for; sideways scrolling; the filter; the page without scripts.
//   node report.mjs PAGE.html…
// Prints {"looks": n, "faults": [text…], "shown": {page: [findings, after a choice of dataset, after a text]}}.
import path from "node:path";
import url from "node:url";
import { axeSource, launch, PATIENCE, picture, sideways, tell, Watch } from "./lib.mjs";

const LOOKS = { light: { colorScheme: "light", width: 1280, height: 900 }, dark: { colorScheme: "dark", width: 360, height: 740 } };
const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], elementRef: false };

const faults = [];
const shown = {};
let looks = 0;
const browser = await launch();

async function axe(page, name) {
    looks++;
    await page.evaluate(axeSource);
    const result = await page.evaluate((rules) => window.axe.run(document, rules), RULES);
    for (const violation of result.violations)
        faults.push(`${name}: ${violation.id}: ${violation.nodes[0].html.slice(0, 200)}: ${violation.nodes[0].failureSummary}`);
    const wide = await page.evaluate(sideways);
    if (wide)
        faults.push(`${name}: scrolls sideways: ${wide}`);
    if (result.violations.length > 0)
        await picture(page, `report-${name}`);
}

/* How many findings are to be seen: all, those of the first dataset of the list, those with a text that none has. */
async function filter(page) {
    const visible = () => page.locator("article:visible").count();
    const counts = [await visible()];
    await page.locator("#f-d").selectOption({ index: 1 });
    counts.push(await visible());
    await page.locator("#f-t").fill("this text stands nowhere");
    counts.push(await visible());
    await page.locator("#saring button").click();
    await page.waitForFunction((n) => document.querySelectorAll("article:not([hidden])").length === n, counts[0], { timeout: PATIENCE });
    await page.keyboard.press("Tab"); // the keyboard goes on behind the button
    return counts;
}

for (const file of process.argv.slice(2)) {
    const address = url.pathToFileURL(path.resolve(file)).href;
    const name = path.basename(file);
    for (const [look, style] of Object.entries(LOOKS)) {
        const watch = new Watch("file:///");
        const context = await browser.newContext({ viewport: { width: style.width, height: style.height }, colorScheme: style.colorScheme, reducedMotion: "reduce" });
        const page = watch.add(await context.newPage());
        await page.goto(address, { timeout: PATIENCE });
        await axe(page, `${name}, ${look}`);
        if (look === "light" && await page.locator("article").count() > 0)
            shown[name] = await filter(page);
        faults.push(...watch.faults);
        faults.push(...watch.requests.filter((asked) => asked !== address).map((asked) => `${name}: asks for ${asked}`));
        await context.close();
    }
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address, { timeout: PATIENCE });
    if (await page.locator("#saring:visible").count() > 0)
        faults.push(`${name}: the filter is to be seen without scripts`);
    const hidden = await page.locator("article:not(:visible)").count();
    if (hidden > 0)
        faults.push(`${name}: ${hidden} findings are hidden without scripts`);
    await context.close();
}
await browser.close();
tell({ looks, faults, shown });
