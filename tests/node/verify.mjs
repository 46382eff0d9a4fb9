// The reference verifier of Standard Webhooks: node verify.mjs MODULES < lines {"secret", "headers", "body": base64}; prints how many it accepts and what it
// says of the first it refuses.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
const { Webhook } = createRequire(process.argv[2] + "/")("standardwebhooks");
let accepted = 0;
const refused = [];
for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  try {
    new Webhook(secret).verify(Buffer.from(body, "base64").toString("utf8"), headers);
    accepted++;
  } catch (error) {
    refused.push(`${headers["webhook-id"]}: ${error.message}`);
  }
}
console.log(JSON.stringify({ accepted, refused }));
