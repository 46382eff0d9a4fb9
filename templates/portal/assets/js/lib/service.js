/* Calls of the portal's own service (/auth/…), for the pages about keys. */

import { say } from "./words.js";

/* From this page to the site's root: the form's action says it, "../auth/register". */
export function rootOf(form) {
    return form.getAttribute("action").replace(/auth\/.*$/, "");
}

/* The first record of the answer. Throws an Error with the sentence to show; its member "field" names what the service found fault with. */
export async function call(address, { method = "GET", key = "", body } = {}) {
    const headers = { Accept: "application/json" };
    if (key)
        headers.Authorization = `Bearer ${key}`;
    if (body !== undefined)
        headers["Content-Type"] = "application/json";
    let response, answer;
    try {
        response = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
        answer = await response.json();
    } catch (error) {
        throw new Error(say("key_js_network"));
    }
    if (!response.ok) {
        const problem = new Error([answer.title, answer.detail].filter(Boolean).join(". "));
        problem.field = answer.field || "";
        throw problem;
    }
    return answer.data[0];
}
