/* A dataset's page. */
import { setUpMaps } from "./lib/maps.js";

setUpMaps();
