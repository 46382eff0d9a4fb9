/* Iterators that can be asked again after a failure. A generator that threw has ended: whoever catches the error and asks for the next one would be told that there
 * is none, and take what he has for all there is. */

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

/**
 * @template T
 * @implements {AsyncGenerator<T, void, void>}
 */
class Iteration {
  #step;
  #end;
  #ended = false;
  /** Calls of next wait for each other, as those of a generator do. @type {Promise<unknown>} */
  #last = Promise.resolve();

  static {
    Object.setPrototypeOf(this.prototype, AsyncIteratorPrototype);
  }

  /**
   * @param {() => Promise<{ value: T } | null>} step
   * @param {() => Promise<unknown>} end
   */
  constructor(step, end) {
    this.#step = step;
    this.#end = end;
  }

  /** @returns {Promise<IteratorResult<T, void>>} */
  next() {
    const ask = () => this.#ask();
    const result = this.#last.then(ask, ask);
    this.#last = result;
    return result;
  }

  /** @returns {Promise<IteratorResult<T, void>>} */
  async return() {
    this.#ended = true;
    await this.#end();
    return { done: true, value: undefined };
  }

  /** @param {unknown} error @returns {Promise<IteratorResult<T, void>>} */
  async throw(error) {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<T, void>>} */
  async #ask() {
    const found = this.#ended ? null : await this.#step();
    if (found !== null && !this.#ended) return { done: false, value: found.value };
    this.#ended = true;
    return { done: true, value: undefined };
  }
}

/**
 * An iterator over what STEP finds, until it finds nothing (null). Where it fails, the next call tries it again. END: nobody wants any more.
 * @template T
 * @param {() => Promise<{ value: T } | null>} step
 * @param {() => Promise<unknown>} [end]
 * @returns {AsyncGenerator<T, void, void>}
 */
export function iterate(step, end = async () => {}) {
  return /** @type {AsyncGenerator<T, void, void>} */ (/** @type {unknown} */ (new Iteration(step, end)));
}
