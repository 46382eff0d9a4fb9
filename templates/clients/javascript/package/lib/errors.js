/**
 * Gives a class its name in stack traces, also where a bundler has shortened its identifier.
 * @param {Function} type
 * @param {string} name
 */
function named(type, name) {
  Object.defineProperty(type.prototype, "name", { value: name, configurable: true, writable: true });
}

/** What all errors of this library have in common. Wrong arguments are TypeError or RangeError, as everywhere. */
export class OdpError extends Error {
  static {
    named(this, "OdpError");
  }
}

/** The server answered with an error: a problem document (RFC 9457). */
export class ApiError extends OdpError {
  static {
    named(this, "ApiError");
  }

  /**
   * @param {number} status
   * @param {{ [member: string]: any }} problem
   * @param {{ method: string, url: string }} request
   * @param {number | null} [retryAfter]
   */
  constructor(status, problem, request, retryAfter = null) {
    const text = (/** @type {unknown} */ value) => (typeof value === "string" && value !== "" ? value : null);
    const code = text(problem.code);
    const title = text(problem.title);
    const detail = text(problem.detail);
    super(`${status}${code ? ` ${code}` : ""}: ${[title, detail].filter(Boolean).join(": ") || "the server gave no reason"} (${request.method} ${request.url})`);
    this.status = status;
    this.code = code;
    this.title = title;
    this.detail = detail;
    this.problem = problem;
    this.request = request;
    this.retryAfter = retryAfter;
  }
}

/** The request is wrong: an unknown field, a filter that cannot be read, a body that is too large (400, 406, 413 …). */
export class BadRequestError extends ApiError {
  static {
    named(this, "BadRequestError");
  }
}

/** No key, or not a valid one (401). */
export class AuthenticationError extends ApiError {
  static {
    named(this, "AuthenticationError");
  }
}

/** The key may not do this (403). */
export class PermissionDeniedError extends ApiError {
  static {
    named(this, "PermissionDeniedError");
  }
}

/** There is no such record, dataset or subscription (404). */
export class NotFoundError extends ApiError {
  static {
    named(this, "NotFoundError");
  }
}

/** It contradicts what is there: the e-mail has a key already, too many subscriptions (409). */
export class ConflictError extends ApiError {
  static {
    named(this, "ConflictError");
  }
}

/** It was there and was withdrawn (410). */
export class GoneError extends ApiError {
  static {
    named(this, "GoneError");
  }
}

/** The version that a walk over pages began with is gone: begin again. */
export class CursorExpiredError extends GoneError {
  static {
    named(this, "CursorExpiredError");
  }
}

/** The quota is used up for longer than the client waits (429). */
export class QuotaExceededError extends ApiError {
  static {
    named(this, "QuotaExceededError");
  }

  /**
   * @param {number} status
   * @param {{ [member: string]: any }} problem
   * @param {{ method: string, url: string }} request
   * @param {number | null} [retryAfter]
   */
  constructor(status, problem, request, retryAfter = null) {
    super(status, problem, request, retryAfter);
    const seconds = retryAfter ?? (Number.isFinite(problem.reset) ? problem.reset : null);
    /** When the quota opens again. */
    const at = seconds === null ? NaN : Date.now() + seconds * 1000;
    this.reset = Math.abs(at) <= 8.64e15 ? new Date(at) : null; // as far as dates go
  }
}

/** The server failed (5xx). */
export class ServerError extends ApiError {
  static {
    named(this, "ServerError");
  }
}

/** No answer came: name not found, refused, cut. `cause` is what fetch said. */
export class TransportError extends OdpError {
  static {
    named(this, "TransportError");
  }

  /**
   * @param {string} message
   * @param {{ method: string, url: string }} request
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, request, options) {
    super(`${message} (${request.method} ${request.url})`, options);
    this.request = request;
  }
}

/** Nothing came for as long as `timeout` says. */
export class RequestTimeoutError extends TransportError {
  static {
    named(this, "RequestTimeoutError");
  }
}

/** An answer that is none of ours: no JSON, no envelope, a link to another host. */
export class ProtocolError extends OdpError {
  static {
    named(this, "ProtocolError");
  }

  /**
   * @param {string} message
   * @param {{ method: string, url: string }} request
   * @param {{ cause?: unknown }} [options]
   */
  constructor(message, request, options) {
    super(`${message} (${request.method} ${request.url})`, options);
    this.request = request;
  }
}

/** A file is not the one that was published. */
export class IntegrityError extends OdpError {
  static {
    named(this, "IntegrityError");
  }

  /**
   * @param {string} what
   * @param {string | number} expected
   * @param {string | number} found
   */
  constructor(what, expected, found) {
    super(`${what}: expected ${expected}, found ${found}`);
    this.expected = expected;
    this.found = found;
  }
}

/** A webhook's message that was not signed by us, or not now. */
export class SignatureError extends OdpError {
  static {
    named(this, "SignatureError");
  }
}

/**
 * The error that says what an answer's status says.
 * @param {number} status
 * @param {{ [member: string]: any }} problem
 * @param {{ method: string, url: string }} request
 * @param {number | null} retryAfter
 * @returns {ApiError}
 */
export function errorOf(status, problem, request, retryAfter) {
  const type =
    status >= 500 ? ServerError
    : status === 401 ? AuthenticationError
    : status === 403 ? PermissionDeniedError
    : status === 404 ? NotFoundError
    : status === 409 ? ConflictError
    : status === 410 ? (problem.code === "cursor-expired" ? CursorExpiredError : GoneError)
    : status === 429 ? QuotaExceededError
    : BadRequestError;
  return new type(status, problem, request, retryAfter);
}
