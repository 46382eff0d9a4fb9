/* The documentation of a dataset's API: each request in four languages, for the server that the page came from, with the key that this tab
 * knows. What is asked stands in the page (data-request, tools/odp-build/site/pages/docs_api.c); without this file there is curl. */
import { codeOf, withKey } from "./lib/code.js";
import { el } from "./lib/dom.js";
import { getKey, shownForm } from "./lib/key.js";
import { rememberedLanguage, rememberLanguage } from "./lib/language.js";

const LANGUAGES = { curl: "curl", javascript: "JavaScript", python: "Python", php: "PHP" };

const page = document.querySelector(".docs-api");
const root = new URL(page.dataset.root || "./", location.href).href;
const origin = /^https?:/.test(root) ? root : page.dataset.published;
const known = Object.keys(LANGUAGES).find((name) => LANGUAGES[name] === rememberedLanguage());
const state = { language: known || "curl", key: "" };
const boxes = [];

function choose(language) {
    state.language = language;
    rememberLanguage(LANGUAGES[language]);
    show();
}

function show() {
    for (const box of boxes) {
        box.select.value = state.language;
        box.code.textContent = withKey(codeOf(box.request, origin)[state.language], state.key);
    }
}

function addLanguages(element) {
    const asked = JSON.parse(element.dataset.request);
    const title = element.querySelector(".api-box-title");
    const select = el(
        "select",
        { class: "api-language", "aria-label": title.textContent, change: () => choose(select.value) },
        ...Object.entries(LANGUAGES).map(([name, label]) => el("option", { value: name }, label)),
    );
    const head = el("div", { class: "api-box-head" });
    title.replaceWith(head);
    head.append(title, select);
    const box = element.querySelector(".copy-box"); /* portal.js's: its button goes up to the language */
    if (box) {
        head.append(box.querySelector("button"));
        box.replaceWith(box.querySelector("pre"));
    }
    boxes.push({
        select,
        code: element.querySelector("code"),
        request: { ...asked, query: asked.query.map(({ name, value }) => [name, value]) },
    });
}

/* The key is in the page only where somebody wants it there. */
function addKey(box) {
    const key = getKey();
    if (key === "") return;
    const text = el("span", { role: "status" });
    const button = el("button", { type: "button", class: "button-secondary button-small" }, box.dataset.show);
    button.addEventListener("click", () => {
        state.key = state.key === "" ? key : "";
        text.textContent = state.key === "" ? "" : `${box.dataset.filled} `;
        button.textContent = state.key === "" ? box.dataset.show : box.dataset.hide;
        show();
    });
    box.replaceChildren(text, button, " ", el("code", null, shownForm(key)));
}

/* Names of members, told apart from their values. */
function addNames(code) {
    const parts = code.textContent.split(/("(?:[^"\\\n]|\\.)*")(?=:)/);
    code.replaceChildren(...parts.map((part, i) => (i % 2 === 1 ? el("span", { class: "api-name" }, part) : part)));
}

document.querySelectorAll("[data-request]").forEach(addLanguages);
document.querySelectorAll(".api-box > pre > code").forEach(addNames);
addKey(document.getElementById("api-kunci"));
show();

/* The list shows where one is, and the page stays where it is. */
document.querySelectorAll(".docs-nav [aria-current]").forEach((link) => {
    for (const box of [link.closest("nav"), link.closest("ul")]) {
        const [at, around] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
        box.scrollTop += Math.max(0, at.bottom - around.bottom + around.height / 2);
        box.scrollLeft += Math.max(0, at.right - around.right);
    }
});
