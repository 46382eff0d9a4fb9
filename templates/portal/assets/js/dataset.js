/* A dataset's page: pictures of maps and charts come alive when they come into view. */
import { setUpCharts } from "./lib/lazy.js";
import { setUpMaps } from "./lib/maps.js";

setUpMaps();
setUpCharts();
