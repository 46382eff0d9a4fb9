/* A key that was just issued, shown once. */

import { copyText, el } from "./dom.js";
import { say } from "./words.js";

/* KEY in an element that one click selects, with a button that copies it; NOTES below it, texts. */
export function showKey(key, notes) {
    const code = el("code", { class: "key" }, key);
    const status = el("span", { role: "status" });
    const button = el("button", {
        type: "button",
        class: "button",
        click: async () => {
            try {
                await copyText(key);
                status.textContent = say("key_js_copied");
            } catch (error) {
                getSelection().selectAllChildren(code);
            }
        },
    }, say("key_js_copy"));
    return el("div", { class: "stack" },
        el("p", { class: "notice notice-warning" }, say("key_js_made_once")),
        el("p", null, code),
        el("p", { class: "cluster" }, button, status),
        ...notes.map((note) => el("p", null, note)));
}
