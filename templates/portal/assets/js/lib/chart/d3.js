/* What Plot takes of D3, in place of the package "d3" (CMakeLists.txt: --alias): the parts that our charts draw with. The others (maps, colour schemes, scales that
 * we have no axis for, clocks) have their names here and nothing behind them, or each reader would load 60 KB that no chart calls. A chart that calls one fails in
 * tests/portal_js. */
export { InternMap, InternSet, ascending, bisect, bisector, count, cross, cumsum, descending, deviation, extent, greatest, group, groupSort, least,
    max, maxIndex, mean, median, min, minIndex, mode, pairs, quantile, range, rank, reverse, rollup, rollups, sort, sum, thresholdScott,
    thresholdSturges, tickIncrement, ticks, variance } from "d3-array";
export { rgb } from "d3-color";
export { format } from "d3-format";
export { interpolateNumber, interpolateRgb, interpolateRound, piecewise, quantize } from "d3-interpolate";
export { pathRound } from "d3-path";
export { scaleBand, scaleIdentity, scaleImplicit, scaleLinear, scaleOrdinal, scalePoint } from "d3-scale";
export { creator, namespaces, pointer, select } from "d3-selection";
export { area, curveLinear, curveStepAfter, line, symbolAsterisk, symbolCircle, symbolCross, symbolDiamond, symbolDiamond2, symbolPlus, symbolSquare,
    symbolSquare2, symbolStar, symbolTimes, symbolTriangle, symbolTriangle2, symbolWye, symbolsFill, symbolsStroke } from "d3-shape";

/* What is called when a module is read answers with something that can be called again. */
function none() {
    return none;
}
export { none as Delaunay, none as axisBottom, none as blur2, none as blurImage, none as cluster, none as contourDensity, none as contours, none as
    curveBasis, none as curveBasisClosed, none as curveBasisOpen, none as curveBumpX, none as curveBumpY, none as curveBundle, none as curveCardinal,
    none as curveCardinalClosed, none as curveCardinalOpen, none as curveCatmullRom, none as curveCatmullRomClosed, none as curveCatmullRomOpen, none
    as curveLinearClosed, none as curveMonotoneX, none as curveMonotoneY, none as curveNatural, none as curveStep, none as curveStepBefore, none as
    geoAlbers, none as geoAlbersUsa, none as geoAzimuthalEqualArea, none as geoAzimuthalEquidistant, none as geoCentroid, none as geoClipRectangle,
    none as geoConicConformal, none as geoConicEqualArea, none as geoConicEquidistant, none as geoEqualEarth, none as geoEquirectangular, none as
    geoGnomonic, none as geoGraticule10, none as geoMercator, none as geoOrthographic, none as geoPath, none as geoStereographic, none as geoStream,
    none as geoTransform, none as geoTransverseMercator, none as interpolateBlues, none as interpolateBrBG, none as interpolateBuGn, none as
    interpolateBuPu, none as interpolateCividis, none as interpolateCool, none as interpolateCubehelixDefault, none as interpolateGnBu, none as
    interpolateGreens, none as interpolateGreys, none as interpolateHcl, none as interpolateHsl, none as interpolateInferno, none as interpolateLab,
    none as interpolateMagma, none as interpolateOrRd, none as interpolateOranges, none as interpolatePRGn, none as interpolatePiYG, none as
    interpolatePlasma, none as interpolatePuBu, none as interpolatePuBuGn, none as interpolatePuOr, none as interpolatePuRd, none as
    interpolatePurples, none as interpolateRainbow, none as interpolateRdBu, none as interpolateRdGy, none as interpolateRdPu, none as
    interpolateRdYlBu, none as interpolateRdYlGn, none as interpolateReds, none as interpolateSinebow, none as interpolateSpectral, none as
    interpolateTurbo, none as interpolateViridis, none as interpolateWarm, none as interpolateYlGn, none as interpolateYlGnBu, none as
    interpolateYlOrBr, none as interpolateYlOrRd, none as nice, none as randomLcg, none as scaleDiverging, none as scaleDivergingLog, none as
    scaleDivergingPow, none as scaleDivergingSymlog, none as scaleLog, none as scalePow, none as scaleQuantile, none as scaleSymlog, none as
    scaleThreshold, none as scaleTime, none as scaleUtc, none as schemeAccent, none as schemeBlues, none as schemeBrBG, none as schemeBuGn, none as
    schemeBuPu, none as schemeCategory10, none as schemeDark2, none as schemeGnBu, none as schemeGreens, none as schemeGreys, none as
    schemeObservable10, none as schemeOrRd, none as schemeOranges, none as schemePRGn, none as schemePaired, none as schemePastel1, none as
    schemePastel2, none as schemePiYG, none as schemePuBu, none as schemePuBuGn, none as schemePuOr, none as schemePuRd, none as schemePurples, none
    as schemeRdBu, none as schemeRdGy, none as schemeRdPu, none as schemeRdYlBu, none as schemeRdYlGn, none as schemeReds, none as schemeSet1, none as
    schemeSet2, none as schemeSet3, none as schemeSpectral, none as schemeTableau10, none as schemeYlGn, none as schemeYlGnBu, none as schemeYlOrBr,
    none as schemeYlOrRd, none as stratify, none as thresholdFreedmanDiaconis, none as timeDay, none as timeFormat, none as timeFriday, none as
    timeHour, none as timeMinute, none as timeMonday, none as timeMonth, none as timeSaturday, none as timeSecond, none as timeSunday, none as
    timeThursday, none as timeTuesday, none as timeWednesday, none as timeWeek, none as timeYear, none as tree, none as unixDay, none as utcFormat,
    none as utcFriday, none as utcHour, none as utcMinute, none as utcMonday, none as utcMonth, none as utcSaturday, none as utcSecond, none as
    utcSunday, none as utcThursday, none as utcTickInterval, none as utcTuesday, none as utcWednesday, none as utcWeek, none as utcYear };
