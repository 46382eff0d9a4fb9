// What the reference library of Standard Webhooks (npm standardwebhooks, whose folder is the argument) signs, and what it says of messages that were tampered with:
// a JSON array of {about, payload (base64), headers, secret, accepted, message?}.
import { createRequire } from "node:module";
import { randomBytes } from "node:crypto";

const { Webhook } = createRequire(import.meta.url)(process.argv[2]);
const texts = [
  '{"test": 2432232314}',
  '{"type":"dataset.version.published","timestamp":"2024-03-15T05:00:00.000Z","data":{"title":{"id":"Peta – é 🏚"},"rows":1204,"match":null}}',
  '{"type":"webhook.test"}',
  '{"a":[1,2.5,true,false,null,"\\u00e9\\n"]}',
  ` {"spaces" : "around" , "long":"${"x".repeat(20000)}"} \n`,
];
const cases = [];

/** Adds one case with the reference's own verdict. */
function add(about, secret, headers, body) {
  const one = { about, payload: body.toString("base64"), headers, secret };
  try {
    one.message = new Webhook(secret).verify(body.toString("utf8"), headers);
    one.accepted = true;
  } catch {
    one.accepted = false;
  }
  cases.push(one);
}

/** BYTES with bit number AT turned. */
function flip(bytes, at) {
  const other = Buffer.from(bytes);
  other[at >> 3] ^= 1 << (at & 7);
  return other;
}

for (let round = 0; round < 24; round++) {
  const text = texts[round % texts.length], body = Buffer.from(text);
  const secret = (round % 3 ? "whsec_" : "") + randomBytes(24 + (round % 41)).toString("base64");
  const other = "whsec_" + randomBytes(24).toString("base64");
  const id = "msg_" + randomBytes(12).toString("hex");
  const at = new Date(Date.now() - (round % 5) * 20000);
  const signature = new Webhook(secret).sign(id, at, text);
  const seconds = String(Math.floor(at / 1000));
  const headers = { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signature };
  const signed = (changes) => ({ ...headers, ...changes });
  add(`signed ${round}`, secret, headers, body);
  add(`signed, one of several ${round}`, secret, signed({ "webhook-signature": `${new Webhook(other).sign(id, at, text)} ${signature} v1a,AAAA` }), body);
  add(`upper case ${round}`, secret, Object.fromEntries(Object.entries(headers).map(([n, v]) => [n.toUpperCase(), v])), body);
  for (const bit of [0, 1, 5 + round, body.length * 8 - 1]) {
    const tampered = flip(body, bit % (body.length * 8));
    if (Buffer.from(tampered.toString("utf8")).equals(tampered)) add(`body's bit ${bit} ${round}`, secret, headers, tampered);
  }
  add(`body longer ${round}`, secret, headers, Buffer.concat([body, Buffer.from(" ")]));
  add(`body shorter ${round}`, secret, headers, body.subarray(0, -1));
  const bytes = Buffer.from(signature.slice(3), "base64");
  for (const bit of [0, 7, 128, 255]) add(`signature's bit ${bit} ${round}`, secret, signed({ "webhook-signature": "v1," + flip(bytes, bit).toString("base64") }), body);
  add(`another secret ${round}`, other, headers, body);
  add(`another id ${round}`, secret, signed({ "webhook-id": id.slice(0, -1) + (id.endsWith("0") ? "1" : "0") }), body);
  add(`another time ${round}`, secret, signed({ "webhook-timestamp": String(Number(seconds) + 1) }), body);
  for (const minutes of [-6, 6]) {
    const when = new Date(at.getTime() + minutes * 60000 + Math.sign(minutes) * 100000);
    add(`${minutes} minutes ${round}`, secret, { "webhook-id": id, "webhook-timestamp": String(Math.floor(when / 1000)), "webhook-signature": new Webhook(secret).sign(id, when, text) }, body);
  }
  for (const name of Object.keys(headers)) add(`without ${name} ${round}`, secret, Object.fromEntries(Object.entries(headers).filter(([n]) => n !== name)), body);
  add(`v1a ${round}`, secret, signed({ "webhook-signature": signature.replace("v1,", "v1a,") }), body);
}
process.stdout.write(JSON.stringify(cases));
