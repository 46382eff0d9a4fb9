/* Sums and averages of decimals as text, exact however long they are: the same text that the query engine gives. */

const DIGITS = 38; /* before the point of a sum: a longer one is null, as in the engine */
const MORE_PLACES = 6; /* of an average */
const SAFE = 2 ** 52;

const power = (n) => BigInt(10) ** BigInt(n);
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

/* {m, scale}: m / 10^scale is TEXT. */
function read(text) {
    const [, minus, whole, fraction = "", exponent = "0"] = NUMBER.exec(text);
    const m = BigInt(minus + whole + fraction);
    const scale = fraction.length - Number(exponent);
    return scale < 0 ? { m: m * power(-scale), scale: 0 } : { m, scale };
}

/* Without zeros at its end. */
function write(m, scale) {
    const digits = String(m < 0 ? -m : m).padStart(scale + 1, "0");
    const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
    const text = scale === 0 ? digits : digits.slice(0, -scale) + (fraction === "" ? "" : `.${fraction}`);
    return (m < 0 ? "-" : "") + text;
}

/* How many digits of TEXT count. */
export const decimalDigits = (text) => NUMBER.exec(text).slice(2, 4).join("").replace(/^0+|0+$/g, "").length;

/* Exactly TEXT in its shortest form: "12.50" and "1.25e1" are "12.5". Equal numbers are equal keys. */
export function normal(text) {
    if (/^-?(0|[1-9]\d*)$/.test(text))
        return text === "-0" ? "0" : text;
    const { m, scale } = read(text);
    return write(m, scale);
}

/* A sum that grows. Numbers of at most 15 digits, which are nearly all, are added as whole numbers of their own scale. */
export class DecimalSum {
    constructor() {
        this.small = []; /* by scale: whole numbers below 2^53 */
        this.large = []; /* by scale: what these have grown to */
        this.count = 0;
    }

    add(text) {
        const point = text.indexOf(".");
        this.count++;
        if (text.length > 15 || text.indexOf("e") >= 0 || text.indexOf("E") >= 0) {
            const { m, scale } = read(text);
            this.spill(scale, m);
            return;
        }
        const scale = point < 0 ? 0 : text.length - point - 1;
        const units = Number(point < 0 ? text : text.slice(0, point) + text.slice(point + 1));
        this.small[scale] = (this.small[scale] || 0) + units;
        if (Math.abs(this.small[scale]) > SAFE) {
            this.spill(scale, BigInt(this.small[scale]));
            this.small[scale] = 0;
        }
    }

    spill(scale, m) {
        this.large[scale] = (this.large[scale] || BigInt(0)) + m;
    }

    /* {m, scale}, or null where the engine has none. */
    get exact() {
        const most = Math.max(this.small.length, this.large.length) - 1;
        let m = BigInt(0);
        for (let scale = 0; scale <= most; scale++)
            m = m * BigInt(10) + BigInt(this.small[scale] || 0) + (this.large[scale] || BigInt(0));
        const whole = String(m < 0 ? -m : m).length - Math.max(most, 0);
        return this.count === 0 || whole > DIGITS ? null : { m, scale: Math.max(most, 0) };
    }

    text() {
        const sum = this.exact;
        return sum === null ? null : write(sum.m, sum.scale);
    }

    /* The exact quotient, half even, with six decimals more than the sum and than SCALE, the most that any value of the column has. */
    average(scale) {
        const sum = this.text();
        if (sum === null)
            return null;
        const exact = read(sum);
        const places = Math.max(exact.scale, scale) + MORE_PLACES;
        const n = BigInt(this.count);
        const negative = exact.m < 0;
        const m = (negative ? -exact.m : exact.m) * power(places - exact.scale);
        let quotient = m / n;
        const twice = (m % n) * BigInt(2);
        if (twice > n || (twice === n && quotient % BigInt(2) === BigInt(1)))
            quotient += BigInt(1);
        return write(negative ? -quotient : quotient, places);
    }
}

/* The most decimals of any of TEXTS, nulls aside; -1 where one has more than the engine's scale (15), or digits than a double. */
export function scaleOf(texts) {
    let most = 0;
    for (const text of texts) {
        if (text === null)
            continue;
        const [, , whole, fraction = "", exponent = "0"] = NUMBER.exec(text);
        const digits = (whole + fraction).replace(/^0+/, "").replace(/0+$/, "");
        const used = fraction.replace(/0+$/, "").length - Number(exponent);
        if (digits.length > 15 || used > 15)
            return -1;
        most = digits === "" ? most : Math.max(most, used);
    }
    return most;
}
