// The status page: whether the service answers this browser now, and which datasets are late by the reader's own clock (a build has none).
import { say } from "./lib/words.js";

const locale = document.documentElement.lang;
const patience = 15000; // a slow network is no outage

function write(box, badge, text, details) {
    const state = box.querySelector(".live-state");
    const mark = document.createElement("span");
    mark.className = "badge badge-" + badge;
    mark.textContent = text;
    state.replaceChildren(mark);
    box.querySelector(".live-detail").textContent = details.join(" · ");
}

// What the answer says of itself.
const details = {
    index: (body) => say("status_js_release", { release: body.meta.release, total: body.meta.total }),
    tiers: (body) => say("status_js_tiers", { n: body.data.length }),
};

async function check(box) {
    const kind = box.dataset.live;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), patience);
    const begin = performance.now();
    try {
        const answer = await fetch(box.dataset.address, { cache: "no-store", credentials: "omit", signal: stop.signal });
        const time = say("status_js_time", { n: new Intl.NumberFormat(locale).format(Math.round(performance.now() - begin)) });
        let body = null;
        if (answer.ok) {
            body = await answer.json().catch(() => null);
        }
        if (body !== null) {
            write(box, "ok", say("status_js_ok"), [details[kind](body), time]);
        } else if (kind === "tiers" && (answer.ok || answer.status === 404)) {
            // Files alone, without a gateway: there is nothing to be down.
            write(box, "warning", say("status_js_static"), [time]);
        } else {
            write(box, "error", say("status_js_down"), [say("status_js_code", { code: answer.status }), time]);
        }
    } catch (error) {
        write(box, "error", say("status_js_down"), []);
    } finally {
        clearTimeout(timer);
    }
}

function markOverdue() {
    const now = new Date();
    const today = [now.getFullYear(), String(now.getMonth() + 1).padStart(2, "0"), String(now.getDate()).padStart(2, "0")].join("-");
    let late = 0;
    for (const due of document.querySelectorAll("time.due")) {
        if (due.dateTime.slice(0, 10) >= today) continue;
        const mark = document.createElement("span");
        mark.className = "badge badge-warning";
        mark.textContent = say("status_js_overdue");
        due.after(" ", mark);
        late++;
    }
    const line = document.getElementById("terlambat");
    if (line) line.textContent = late > 0 ? say("status_js_overdue_count", { n: late }) : say("status_js_on_time");
}

const boxes = [...document.querySelectorAll("[data-live]")];
const again = document.getElementById("periksa-lagi");
// One after the other: a late answer would say that what has just answered is down.
async function checkAll() {
    again.disabled = true;
    await Promise.all(boxes.map(check));
    again.disabled = false;
}
again.addEventListener("click", () => checkAll().then(() => again.focus()));
checkAll();
markOverdue();
