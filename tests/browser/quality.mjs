// Looks at pages with axe-core, in light and dark, wide and narrow; at what they load; whether a button covers code; whether they scroll sideways at 320 px.
//   node quality.mjs LIST.json     LIST: [{"path": "index.html", "looks": ["light", "dark"], "scripts": true}…]; a path may be a full address.
//                                  A page that answers a form: "steps": [{"fill": {selector: value…}, "click": selector}…] from "path"; "ends": how its address then ends.
//                                  "status": the errors that are expected.
// Prints {"pages": n, "looks": n, "faults": [text…]}.
import fs from "node:fs";
import { axeSource, BASE, covered, launch, PATIENCE, picture, sideways, tell, Watch } from "./lib.mjs";

const LOOKS = { light: { colorScheme: "light", width: 1280, height: 900 }, dark: { colorScheme: "dark", width: 360, height: 740 } };
const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], elementRef: false };
/* What colours and widths can change; the second look at a page asks for no more, the first has asked for the rest. */
const AGAIN = { ...RULES, runOnly: ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"] };
const AT_ONCE = 2;

const list = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const faults = [];
const browser = await launch();

let looks = 0;
const nameOf = (entry) => entry.path + (entry.ends ? ` to ${entry.ends}` : "");
const explain = (violation) => violation.nodes.slice(0, 3).map((node) => `${violation.id} (${violation.impact}): ${node.target.join(" ")}: ${node.html.slice(0, 200)}\n      ${node.failureSummary.replace(/\n\s*/g, " ")}`)
    .join("\n    ") + (violation.nodes.length > 3 ? `\n    … and ${violation.nodes.length - 3} more` : "");

/* What is loaded when it comes into view: the map of a dataset's page; what stands there once a worker has answered: all its records. */
async function awaken(page) {
    if (await page.locator(".ex").count() > 0)
        await page.locator(".ex-grid .ex-rows .ex-row").first().waitFor({ timeout: PATIENCE });
    if (await page.locator(".map[data-map-js]").count() > 0 && await page.locator(".map[data-map-js]").first().isVisible()) {
        await page.locator(".map[data-map-js]").first().scrollIntoViewIfNeeded();
        await page.locator("[data-map-open]").evaluateAll((buttons) => buttons.forEach((button) => button.click())); // a map of many shapes waits for the reader
        await page.locator(".odp-map .odp-map-walk").first().waitFor({ timeout: PATIENCE });
    }
}

const soon = (promise) => Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error("axe-core does not come to an end")), 2 * PATIENCE).unref())]);

async function look(page, entry, name, scripts, rules) {
    const style = LOOKS[name];
    looks++;
    await page.setViewportSize({ width: style.width, height: style.height });
    await page.emulateMedia({ colorScheme: style.colorScheme, reducedMotion: "reduce" });
    const result = await soon(page.evaluate((what) => window.axe.run(document, what), rules));
    for (const violation of result.violations)
        faults.push(`${nameOf(entry)}, ${name}${scripts ? "" : ", no scripts"}:\n    ${explain(violation)}`);
    if (result.violations.length > 0)
        await picture(page, `axe-${name}-${entry.path}`);
    const code = await page.evaluate(covered);
    if (code)
        faults.push(`${nameOf(entry)}, ${name}: the button to copy covers code: ${code} ${await picture(page, `copy-${entry.path}`)}`);
}

async function visit(context, watch, entry) {
    const page = watch.add(await context.newPage());
    const scripts = entry.scripts !== false;
    try {
        const address = new URL(entry.path, BASE).href;
        await page.goto(address, { waitUntil: "load", timeout: PATIENCE });
        for (const step of entry.steps || []) {
            for (const [selector, value] of Object.entries(step.fill || {}))
                await page.locator(selector).fill(value);
            await page.evaluate(() => document.querySelectorAll("form").forEach((form) => { form.noValidate = true; }));
            await Promise.all([page.waitForEvent("load", { timeout: PATIENCE }), page.locator(step.click).click()]);
        }
        if (entry.ends && !new URL(page.url()).pathname.endsWith(entry.ends))
            faults.push(`${nameOf(entry)}: the steps end at ${page.url()}`);
        if (scripts)
            await awaken(page);
        await page.waitForLoadState("networkidle", { timeout: PATIENCE });
        await page.evaluate(axeSource);
        for (const [i, name] of (entry.looks || ["light"]).entries())
            await look(page, entry, name, scripts, i === 0 ? RULES : AGAIN);
        await page.setViewportSize({ width: 320, height: 640 });
        const wide = await page.evaluate(sideways);
        if (wide) {
            faults.push(`${nameOf(entry)}: scrolls sideways at 320 px: ${wide}`);
            await picture(page, `wide-${entry.path}`);
        }
    } catch (error) {
        faults.push(`${nameOf(entry)}: ${error.message.split("\n").slice(0, 4).join(" ")} ${await picture(page, `error-${entry.path}`)}`);
    }
    await page.close();
}

/* A page as it is without scripts: axe-core is one itself, so scripts stay on, and the page comes without its own. */
async function withoutScripts(context) {
    await context.route((url) => url.pathname.endsWith(".html") || url.pathname.endsWith("/"), async (route) => {
        const answer = await route.fetch();
        const body = (await answer.text()).replace(/<\/?noscript>/g, "").replace(/<script [^>]*src="[^"]*"[^>]*><\/script>/g, "");
        await route.fulfill({ response: answer, body });
    });
    return context;
}

const waiting = list.slice();
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const contexts = {};
    while (waiting.length > 0) {
        const entry = waiting.shift();
        const scripts = entry.scripts !== false;
        if (!contexts[scripts])
            contexts[scripts] = scripts ? await browser.newContext() : await withoutScripts(await browser.newContext());
        const watch = new Watch();
        watch.expected = (url, status) => (entry.status || []).includes(status);
        await visit(contexts[scripts], watch, entry);
        faults.push(...watch.faults);
    }
}));
await browser.close();
tell({ pages: list.length, looks, faults });
