// On every page: what JavaScript alone can use is shown, code can be copied, sections become tabs, menus close.
// Without this file everything stands there already; words come from the page (data-* of <body>).

import { copyText } from "./lib/dom.js";
import { fetchInto } from "./lib/lazy.js";
import { makeTabs } from "./lib/tabs.js";

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

// A menu closes when something else is touched, and by Escape.
function closeMenus(event) {
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
        if (event.type === "keydown") {
            if (event.key !== "Escape") return;
            if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
        } else if (menu.contains(event.target)) return;
        menu.open = false;
    });
}
["keydown", "click", "focusin"].forEach((name) => document.addEventListener(name, closeMenus));

document.querySelectorAll("pre[data-copy]").forEach(addCopyButton);
makeTabs();

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
