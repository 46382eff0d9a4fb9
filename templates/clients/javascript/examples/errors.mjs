import { ApiError, BadRequestError, Client, NotFoundError, QuotaExceededError, TransportError } from "@odp/client";

const client = new Client({ timeout: 10_000, retries: 5, maxWait: 30_000 });

async function attempt(what, call) {
  try {
    console.log(what, await call());
  } catch (error) {
    if (error instanceof NotFoundError) console.log(`${what}: there is none (${error.code})`);
    else if (error instanceof BadRequestError) console.log(`${what}: ${error.detail}`);
    else if (error instanceof QuotaExceededError) console.log(`${what}: again at ${error.reset?.toISOString()}`);
    else if (error instanceof ApiError) console.log(`${what}: ${error.status} ${error.code}`, error.problem);
    else if (error instanceof TransportError) console.log(`${what}: no answer`, error.cause);
    else throw error; // a mistake in this program, or something worse
  }
}

await attempt("a record", () => client.@DATASET@.get("no such key"));
await attempt("a filter", () => client.@DATASET@.list({ filter: "@NUMBER@ >" }).next());
await attempt("a dataset", () => client.dataset("no-such-dataset").list().next());

// Any call can be given up.
await attempt("in time", () => client.@DATASET@.list({ signal: AbortSignal.timeout(10_000) }).next().then(({ done }) => !done));
