// Opens a page of all records and asks it: node explore.mjs PORT PATH. Between the browser and the server on PORT stands a relay that counts bytes. Prints
// {first, firstBytes, openBytes, longest, asked: [{query, time, bytes, status}]} as JSON; times in ms, by the page's clock.
import net from "node:net";
import { launch } from "../browser/lib.mjs";

const [port, path] = process.argv.slice(2);
const QUERIES = ["filter=kode_kabkota = '32.73'", "filter=kode_kabkota = '31.71' AND tahun = 2020", "filter=tahun BETWEEN 2019 AND 2021 AND jenis = 'susun'",
    "filter=id_unit = 'U-00654321'", "sortby=-tanggal", "q=cihampelas 77", "groupby=tahun&aggregate=count(),sum(nilai)"];

let moved = 0, last = 0;
const relay = net.createServer((from) => {
    const to = net.connect(Number(port), "127.0.0.1");
    to.on("data", (piece) => { moved += piece.length; last = Date.now(); from.write(piece) || to.pause(); });
    from.on("drain", () => to.resume());
    from.on("data", (piece) => to.write(piece));
    for (const [one, other] of [[from, to], [to, from]])
        one.on("close", () => other.end()).on("error", () => other.destroy());
});
await new Promise((resolve) => relay.listen(0, "127.0.0.1", resolve));

const quiet = async (ms) => { do await new Promise((resolve) => setTimeout(resolve, ms)); while (Date.now() - last < ms); };
const query = (text) => text.split("&").map((pair) => pair.replace(/=(.*)/s, (_, value) => `=${encodeURIComponent(value)}`)).join("&");

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
page.setDefaultTimeout(600000);
await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });
    /* When records of CONDITION's answer are on the page. */
    window.answered = () => document.querySelector(".ex.ex-live[aria-busy=false]") !== null && document.querySelector(".ex-grid .ex-rows .ex-row:not([aria-busy=true]) .ex-cell:not(:empty)") !== null;
    window.once = (test) => new Promise((resolve) => { const look = () => (test() ? resolve(performance.now()) : requestAnimationFrame(look)); look(); });
});
await page.goto(`http://127.0.0.1:${relay.address().port}/${path}`, { waitUntil: "commit" });
const first = await page.evaluate(() => window.once(window.answered));
const firstBytes = moved;
await quiet(1500);
const result = { first, firstBytes, openBytes: moved, asked: [] };
for (const text of QUERIES) {
    const before = moved;
    const [time, status] = await page.evaluate(async (address) => {
        const start = performance.now();
        history.pushState(null, "", `?${address}`);
        dispatchEvent(new PopStateEvent("popstate"));
        await new Promise(requestAnimationFrame);
        const end = await window.once(window.answered);
        return [end - start, document.querySelector(".ex-status").textContent];
    }, query(text));
    const bytes = moved - before;
    await quiet(1500);
    result.asked.push({ query: text, time, bytes, all: moved - before, status });
}
result.longest = await page.evaluate(() => Math.max(0, ...window.tasks));
await browser.close();
relay.close();
console.log(JSON.stringify(result));
process.exit(0);
