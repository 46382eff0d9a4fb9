/* The worker that answers questions about a table (explore-worker.js), as promises: what is asked and what comes back are one message each; progress comes between. An
 * error has the worker's kind: "groups", "whole", "failed". */

export class Engine {
    /* ADDRESS of the worker; PROGRESS({read, total}) while it loads. */
    constructor(address, progress) {
        this.waiting = new Map();
        this.next = 1;
        this.worker = new Worker(address);
        this.worker.addEventListener("message", ({ data }) => {
            if (data.progress) {
                progress(data.progress);
                return;
            }
            const one = this.waiting.get(data.id);
            this.waiting.delete(data.id);
            if (one && data.error !== undefined)
                one.reject(Object.assign(new Error(data.error), { kind: data.kind }));
            else if (one)
                one.resolve(data);
        });
        this.worker.addEventListener("error", (event) => this.fail(new Error(event.message || "worker")));
    }

    fail(error) {
        this.waiting.forEach((one) => one.reject(error));
        this.waiting.clear();
    }

    ask(what, about) {
        return new Promise((resolve, reject) => {
            const id = this.next++;
            this.waiting.set(id, { resolve, reject });
            this.worker.postMessage({ ...about, id, do: what });
        });
    }

    close() {
        this.worker.terminate();
        this.fail(new Error("closed"));
    }
}

/* The latest of what is asked again and again: while one is under way the next waits, and what has been overtaken is dropped. ASK() a promise; DONE(answer) of the
 * latest alone. */
export function latest(done, failed) {
    let running = false, wanted = null, number = 0;
    const run = async () => {
        const ask = wanted, mine = number;
        wanted = null;
        running = true;
        try {
            const answer = await ask();
            if (mine === number)
                done(answer);
        } catch (error) {
            if (mine === number)
                failed(error);
        }
        running = false;
        if (wanted !== null)
            run();
    };
    return (ask) => {
        wanted = ask;
        number++;
        if (!running)
            run();
    };
}
