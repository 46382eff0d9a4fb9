// Looks at pages with axe-core, in light and dark, wide and narrow; at what they load; whether they scroll sideways at 320 px.
//   node quality.mjs LIST.json     LIST: [{"path": "index.html", "looks": ["light", "dark"], "scripts": true}…]; a path may be a full address.
//                                  A page made by a form: {"path": where the form is, "form": {selector: value…}, "submit": selector}.
// Prints {"pages": n, "faults": [text…]}.
import fs from "node:fs";
import { axeSource, BASE, launch, PATIENCE, picture, tell, Watch } from "./lib.mjs";

const LOOKS = { light: { colorScheme: "light", width: 1280, height: 900 }, dark: { colorScheme: "dark", width: 360, height: 740 } };
const RULES = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"], elementRef: false };
const AT_ONCE = 2;

const list = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const faults = [];
const browser = await launch();

const explain = (violation) => violation.nodes.slice(0, 3).map((node) => `${violation.id} (${violation.impact}): ${node.target.join(" ")}: ${node.html.slice(0, 200)}\n      ${node.failureSummary.replace(/\n\s*/g, " ")}`)
    .join("\n    ") + (violation.nodes.length > 3 ? `\n    … and ${violation.nodes.length - 3} more` : "");

/* What is loaded when it comes into view: the table and the map of a dataset's page. */
async function awaken(page) {
    if (await page.locator(".ds-table[data-src]").count() > 0) {
        await page.locator(".ds-table[data-src]").first().scrollIntoViewIfNeeded();
        await page.locator(".ds-pager").first().waitFor({ timeout: PATIENCE });
    }
    if (await page.locator(".ds-map[data-src]").count() > 0) {
        await page.locator(".ds-map[data-src]").first().scrollIntoViewIfNeeded();
        await page.locator(".odp-map .odp-map-walk").first().waitFor({ timeout: PATIENCE });
    }
}

/* The widest part that makes the page scroll sideways, or null. */
const sideways = () => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth)
        return null;
    const wide = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1 && !e.closest(".table-wrap, pre, .tablist"));
    const e = wide.pop();
    return `${root.scrollWidth} px wide, ${e ? `<${e.tagName.toLowerCase()} class="${e.className}" id="${e.id}">` : "unknown element"}`;
};

async function look(page, entry, name, scripts) {
    const style = LOOKS[name];
    await page.setViewportSize({ width: style.width, height: style.height });
    await page.emulateMedia({ colorScheme: style.colorScheme, reducedMotion: "reduce" });
    const result = await page.evaluate((rules) => window.axe.run(document, rules), RULES);
    for (const violation of result.violations)
        faults.push(`${entry.path}${entry.form ? " (form)" : ""}, ${name}${scripts ? "" : ", no scripts"}:\n    ${explain(violation)}`);
    if (result.violations.length > 0)
        await picture(page, `axe-${name}-${entry.path}`);
}

async function visit(context, watch, entry) {
    const page = watch.add(await context.newPage());
    const scripts = entry.scripts !== false;
    try {
        const address = new URL(entry.path, BASE).href;
        await page.goto(address, { waitUntil: "load", timeout: PATIENCE });
        if (entry.form) {
            for (const [selector, value] of Object.entries(entry.form))
                await page.locator(selector).fill(value);
            await page.locator(entry.submit).click();
            await page.waitForLoadState("load");
        }
        if (scripts)
            await awaken(page);
        await page.waitForLoadState("networkidle", { timeout: PATIENCE });
        await page.evaluate(axeSource);
        for (const name of entry.looks || ["light"])
            await look(page, entry, name, scripts);
        await page.setViewportSize({ width: 320, height: 640 });
        const wide = await page.evaluate(sideways);
        if (wide) {
            faults.push(`${entry.path}: scrolls sideways at 320 px: ${wide}`);
            await picture(page, `wide-${entry.path}`);
        }
    } catch (error) {
        faults.push(`${entry.path}: ${error.message.split("\n").slice(0, 4).join(" ")} ${await picture(page, `error-${entry.path}`)}`);
    }
    await page.close();
}

const waiting = list.slice();
await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const contexts = {};
    while (waiting.length > 0) {
        const entry = waiting.shift();
        const scripts = entry.scripts !== false;
        contexts[scripts] = contexts[scripts] || await browser.newContext({ javaScriptEnabled: scripts, bypassCSP: false });
        const watch = new Watch();
        watch.expected = (url, status) => (entry.status || []).includes(status);
        await visit(contexts[scripts], watch, entry);
        faults.push(...watch.faults);
    }
}));
await browser.close();
tell({ pages: list.length, faults });
