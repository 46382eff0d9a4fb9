/* Over the map: what is shown, which measure, when. */
import { make } from "./leaflet-text.js";
import { titleOf } from "./leaflet-legend.js";
import { say } from "./words.js";

const STEP = 1100; /* milliseconds a time when they play */

let count = 0;

/* Two or more buttons of which one is on. CHOICES: [[word, value], …]. */
export function makeSwitch(label, choices, on, run) {
    const name = `odp-map-switch-${++count}`;
    return make("fieldset", { class: "odp-map-switch" }, make("legend", { class: "visually-hidden" }, label), ...choices.map(([word, value]) => {
        const input = make("input", { type: "radio", name, checked: value === on });
        input.addEventListener("change", () => run(value));
        return make("label", {}, input, make("span", {}, word));
    }));
}

function makeMeasures(areas, changed) {
    const { measures } = areas.figures;
    if (measures.length < 2)
        return null;
    const option = (measure) => make("option", { value: measure.name, selected: measure === areas.measure }, titleOf(measure));
    const [first, rest] = [true, false].map((highlight) => measures.filter((measure) => Boolean(measure.highlight) === highlight).map(option));
    const group = (word, options) => (first.length > 0 && rest.length > 0 ? [make("optgroup", { label: say(word) }, ...options)] : options);
    const select = make("select", {}, ...group("map_highlights", first), ...group("map_others", rest));
    select.addEventListener("change", () => changed(measures.find(({ name }) => name === select.value)));
    return make("label", { class: "odp-map-measure" }, make("span", {}, say("map_measure")), select);
}

/* A slider over the times that the measure has; hidden where there are less than two. */
class Times {
    constructor(areas) {
        this.areas = areas;
        this.input = make("input", { type: "range", min: "0", step: "1", "aria-label": say("map_time") });
        this.output = make("output", {});
        this.play = make("button", { type: "button", class: "button button-secondary button-small" });
        this.element = make("div", { class: "odp-map-time" }, this.play, this.input, this.output);
        this.input.addEventListener("input", () => this.set(Number(this.input.value)));
        this.play.addEventListener("click", () => (this.timer ? this.stop() : this.start()));
        this.fit();
    }

    /* The stops: all times together (where they add up), then each. */
    fit() {
        const { figures, measure, time } = this.areas;
        const times = figures.timesOf(measure);
        this.stops = figures.panel ? times : [null, ...times];
        this.element.hidden = times.length < 2;
        this.input.max = String(this.stops.length - 1);
        const at = this.stops.indexOf(time);
        this.show(at >= 0 ? at : figures.panel ? this.stops.length - 1 : 0);
        this.stop();
    }

    show(at) {
        const time = this.stops[at];
        const text = time === null || time === undefined ? say("map_all_times") : this.areas.figures.times[time];
        this.input.value = String(at);
        this.input.setAttribute("aria-valuetext", text);
        this.output.textContent = text;
        return time === undefined ? null : time;
    }

    set(at) {
        this.areas.set(this.areas.measure, this.show(at));
    }

    start() {
        this.play.textContent = say("map_pause");
        if (Number(this.input.value) === this.stops.length - 1)
            this.set(this.stops[0] === null ? 1 : 0);
        this.timer = setInterval(() => {
            const next = Number(this.input.value) + 1;
            if (next < this.stops.length && document.contains(this.element))
                this.set(next);
            else
                this.stop();
        }, STEP);
    }

    stop() {
        clearInterval(this.timer);
        this.timer = null;
        this.play.textContent = say("map_play");
    }
}

/* Chooser of the measure and slider of times; each only where there is something to choose. */
export function makeChoosers(areas) {
    const times = areas.figures.times.length > 1 ? new Times(areas) : null;
    const measures = makeMeasures(areas, (measure) => {
        const same = areas.time !== null && areas.figures.timesOf(measure).includes(areas.time);
        areas.set(measure, same ? areas.time : null);
        if (times)
            times.fit();
    });
    return [measures, times && times.element].filter(Boolean);
}

