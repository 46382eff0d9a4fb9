/* Observable Plot: what our charts take of it. */
export { barX, barY, dot, gridX, gridY, lineY, plot, rectY, ruleX, ruleY, text, axisX, axisY } from "@observablehq/plot";
