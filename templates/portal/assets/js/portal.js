// On every page: what JavaScript alone can use is shown, code can be copied, examples in several languages become tabs.
// Without this file everything stands there already; words come from the page (data-* of <body>).

import { copyText } from "./lib/dom.js";
import { fetchInto } from "./lib/lazy.js";

const words = document.body.dataset;

document.documentElement.classList.add("js");

function announce(text) {
    let box = document.getElementById("portal-status");
    if (!box) {
        box = document.createElement("p");
        box.id = "portal-status";
        box.className = "visually-hidden";
        box.setAttribute("role", "status");
        document.body.append(box);
    }
    box.textContent = text;
}

function addCopyButton(block) {
    const box = document.createElement("div");
    const button = document.createElement("button");
    box.className = "copy-box";
    if (!block.hasAttribute("tabindex")) block.tabIndex = 0; // long lines scroll: with keys, too
    button.type = "button";
    button.className = "button-secondary button-small copy-button";
    button.textContent = words.copy;
    block.replaceWith(box);
    box.append(button, block);
    button.addEventListener("click", async () => {
        const before = document.activeElement;
        try {
            await copyText(block.textContent.replace(/\n$/, ""));
            button.textContent = words.copied;
            announce(words.copied);
            setTimeout(() => (button.textContent = words.copy), 2000);
        } catch {
            announce(words.copyFailed);
            button.textContent = words.copy;
            getSelection().selectAllChildren(block);
        }
        before.focus();
    });
}

let tabCount = 0;

// The WAI-ARIA pattern: one tab stop, arrows and Home/End choose; the choice of a language holds for all examples of the page.
function makeTabs(box) {
    const panels = [...box.querySelectorAll(":scope > [data-tab]")];
    if (panels.length < 2) return;
    const list = document.createElement("div");
    list.className = "tablist";
    list.setAttribute("role", "tablist");
    if (box.dataset.label) list.setAttribute("aria-label", box.dataset.label);
    const tabs = panels.map((panel) => {
        const tab = document.createElement("button");
        const heading = panel.querySelector(":scope > h2, :scope > h3, :scope > h4, :scope > h5");
        tabCount++;
        tab.type = "button";
        tab.id = "tab-" + tabCount;
        tab.textContent = panel.dataset.tab;
        tab.setAttribute("role", "tab");
        panel.id = panel.id || "panel-" + tabCount;
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", tab.id);
        panel.tabIndex = 0;
        tab.setAttribute("aria-controls", panel.id);
        if (heading) heading.classList.add("visually-hidden");
        list.append(tab);
        return tab;
    });
    const choose = (index, focus) => {
        tabs.forEach((tab, i) => {
            tab.setAttribute("aria-selected", String(i === index));
            tab.tabIndex = i === index ? 0 : -1;
            panels[i].hidden = i !== index;
        });
        if (focus) tabs[index].focus();
    };
    tabs.forEach((tab, i) => tab.addEventListener("click", () => {
        choose(i, true);
        document.dispatchEvent(new CustomEvent("odp-tab", { detail: { name: panels[i].dataset.tab, from: box } }));
    }));
    document.addEventListener("odp-tab", (event) => {
        const index = panels.findIndex((panel) => panel.dataset.tab === event.detail.name);
        if (event.detail.from !== box && index >= 0) choose(index, false);
    });
    list.addEventListener("keydown", (event) => {
        const at = tabs.indexOf(event.target);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (at < 0 || to === undefined) return;
        event.preventDefault();
        tabs[(to + tabs.length) % tabs.length].click();
    });
    box.prepend(list);
    choose(0, false);
}

document.querySelectorAll("pre[data-copy]").forEach(addCopyButton);
document.querySelectorAll("[data-tabs]").forEach(makeTabs);

// The search is loaded when somebody begins to use it, or has asked (?q= on the home page).
const search = document.querySelector("form.search[data-search]");
if (search) {
    let loading = false;
    const load = () => {
        if (!loading) fetchInto("script", { src: search.dataset.script, integrity: search.dataset.scriptIntegrity }).catch(() => (loading = false));
        loading = true;
    };
    search.addEventListener("focusin", load);
    search.addEventListener("input", load);
    if (search.contains(document.activeElement) || (document.getElementById("temuan") && new URLSearchParams(location.search).get("q"))) load();
}
