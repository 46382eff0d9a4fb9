/* The registration form without leaving the page. Without this file the service answers with a page of its own. */

import { setKey } from "./lib/key.js";
import { showKey } from "./lib/newkey.js";
import { call } from "./lib/service.js";
import { el } from "./lib/dom.js";
import { say } from "./lib/words.js";

const form = document.getElementById("daftar");
const news = document.getElementById("daftar-kabar");
const button = form.querySelector("button[type=submit]");

/* TEXT beside the field NAME; "" takes it away. */
function mark(name, text) {
    const field = form.elements[name];
    const id = `${name}-error`;
    const old = document.getElementById(id);
    const others = (field.getAttribute("aria-describedby") || "").split(" ").filter((x) => x && x !== id);
    if (old)
        old.remove();
    if (text) {
        field.closest(".field").append(el("p", { class: "error", id }, text));
        others.push(id);
        field.setAttribute("aria-invalid", "true");
    } else {
        field.removeAttribute("aria-invalid");
    }
    if (others.length)
        field.setAttribute("aria-describedby", others.join(" "));
    else
        field.removeAttribute("aria-describedby");
}

/* What is wrong with the fields, by name; the browser's own messages are in the browser's language, which may be neither of ours. */
function faults() {
    const found = {};
    for (const name of ["name", "email"])
        if (!form.elements[name].value.trim())
            found[name] = say("key_js_required");
    if (!found.email && form.elements.email.validity.typeMismatch)
        found.email = say("key_js_email");
    return found;
}

function show(faultsFound) {
    for (const name of ["name", "email", "organisation", "purpose"])
        mark(name, faultsFound[name] || "");
    const first = Object.keys(faultsFound)[0];
    if (first)
        form.elements[first].focus();
    return first !== undefined;
}

form.noValidate = true;
form.addEventListener("submit", async (event) => {
    event.preventDefault();
    news.replaceChildren();
    if (show(faults()))
        return;
    const body = {};
    for (const name of ["name", "email", "organisation", "purpose"])
        if (form.elements[name].value.trim())
            body[name] = form.elements[name].value.trim();
    button.disabled = true;
    try {
        const issued = await call(form.getAttribute("action"), { method: "POST", body });
        const section = document.getElementById("kunci-baru");
        setKey(issued.key);
        document.getElementById("kunci-baru-isi").replaceChildren(showKey(issued.key, []));
        form.hidden = true;
        section.hidden = false;
        section.focus();
    } catch (error) {
        if (error.field && form.elements[error.field])
            show({ [error.field]: error.message });
        else
            news.replaceChildren(el("p", { class: "notice notice-error" }, error.message));
    }
    button.disabled = false;
});
