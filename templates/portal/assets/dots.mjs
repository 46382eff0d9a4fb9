/* The islands of the home page as dots, of static/coast.json: css/parts/dots.css was made by this.
 *
 *   node dots.mjs > css/parts/dots.css */
import { readFileSync } from "node:fs";

const STEP = 0.78; /* degrees between dots */
const [WEST, SOUTH, EAST, NORTH] = [94.5, -11.2, 141.2, 6.2];

const own = JSON.parse(readFileSync(new URL("static/coast.json", import.meta.url), "utf8")).features.filter((one) => one.properties.who === "id");
const polygons = own.flatMap((one) => one.geometry.coordinates);
const crosses = (ring, x, y) => ring.reduce((inside, [ax, ay], i) => {
    const [bx, by] = ring[(i + ring.length - 1) % ring.length];
    return ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax ? !inside : inside;
}, false);
const land = (x, y) => polygons.some((rings) => crosses(rings[0], x, y) && !rings.slice(1).some((ring) => crosses(ring, x, y)));

/* Small islands have a dot too, where they are near its middle. */
const near = [[0, 0], [0.25, 0], [-0.25, 0], [0, 0.25], [0, -0.25]];
const rows = [];
for (let y = NORTH, j = 0; y > SOUTH; y -= STEP, j++) {
    const dots = [];
    for (let x = WEST, i = 0; x < EAST; x += STEP, i++)
        if (near.some(([dx, dy]) => land(x + dx * STEP, y + dy * STEP))) dots.push(i);
    if (dots.length > 0) rows.push(`M${dots[0] + 1} ${j + 1}h0${dots.slice(1).map((i, k) => `m${i - dots[k]} 0h0`).join("")}`);
}
const [width, height] = [Math.ceil((EAST - WEST) / STEP) + 1, Math.ceil((NORTH - SOUTH) / STEP) + 1];
const svg = `%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${width} ${height}'%3E%3Cpath stroke='black' stroke-width='.55' stroke-linecap='round' d='${rows.join("")}'/%3E%3C/svg%3E`;
console.log(`/* Made by dots.mjs of Natural Earth's coast lines (world-atlas). */\n.hero { --islands: url("data:image/svg+xml,${svg}"); }`);
