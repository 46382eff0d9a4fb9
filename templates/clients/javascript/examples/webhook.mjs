import { createHmac, randomBytes } from "node:crypto";
import { SignatureError, verify } from "@odp/client";

// What a receiver does with each request: the body as its bytes came, the headers, the secret that creating the subscription gave:
//   const { id, secret } = await client.webhooks.create({ url: "https://example.org/hook", events: ["dataset.version.published"], datasets: ["@SLUG@"] });
async function receive(body, headers, secret) {
  try {
    const message = await verify(body, headers, secret);
    if (message.type === "webhook.challenge") return { status: 200, body: message.data.challenge };
    console.log(`${message.type}: ${message.data.dataset ?? ""}`); // work later, answer now
    return { status: 204 };
  } catch (error) {
    if (error instanceof SignatureError) return { status: 401 };
    throw error;
  }
}

// A message signed as the portal signs it, to try the receiver with.
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const body = Buffer.from(JSON.stringify({ type: "dataset.version.published", timestamp: new Date().toISOString(), data: { dataset: "@SLUG@" } }));
const id = "msg_2KWPBgLlAfxdpx2AI54pPJ";
const timestamp = String(Math.floor(Date.now() / 1000));
const key = Buffer.from(secret.slice("whsec_".length), "base64");
const signature = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };

console.log(await receive(body, headers, secret)); // 204
console.log(await receive(Buffer.concat([body, Buffer.from(" ")]), headers, secret)); // 401: not what was signed
