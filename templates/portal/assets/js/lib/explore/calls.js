/* A question as an API call, and as a program to copy. CONFIG.api is the address of the table's records: "https://data.example.go.id/v1/kumuh". */
import { codeOf } from "../code.js";
import { addressOf } from "../request.js";
import { writeQuestion } from "./question.js";

/* {address, filter: CQL2 text, curl, javascript, python, php}. */
export function callsOf(question, config) {
    const at = config.api.lastIndexOf("/v1/");
    const request = { method: "GET", path: config.api.slice(at), query: writeQuestion(question, config), body: null, isPublic: false };
    const origin = config.api.slice(0, at + 1);
    const filter = request.query.find(([name]) => name === "filter");
    return { address: origin + addressOf(request), filter: filter === undefined ? "" : filter[1], ...codeOf(request, origin) };
}
