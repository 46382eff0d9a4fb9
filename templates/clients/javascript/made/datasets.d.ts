/* Made from the catalogue: {{{origin}}} */
import type { Dataset, Geometry } from "./index.js";
{{#datasets}}
{{#resources}}

/** {{{comment}}} */
export interface {{{type}}} {
{{#fields}}
{{#told}}
  /** {{{comment}}}{{#deprecated}} @deprecated{{/deprecated}} */
{{/told}}
  "{{name}}": {{#texts}}"{{.}}"{{^-last}} | {{/-last}}{{/texts}}{{#numbers}}{{{.}}}{{^-last}} | {{/-last}}{{/numbers}}{{^closed}}{{{type}}}{{/closed}}{{#nullable}} | null{{/nullable}};
{{/fields}}
{{#geometry}}
  /** Where it lies (GeoJSON, WGS 84). */
  geometry: Geometry | null;
{{/geometry}}
}
{{/resources}}
{{/datasets}}

/** What is known of each dataset, by its slug. */
export interface Datasets {
{{#datasets}}
  "{{slug}}": {
    {{#first}}{{> shape}}{{/first}};
    resources: {
{{#further}}
      "{{name}}": { {{> shape}} };
{{/further}}
    };
    timeline: {{#timeline}}{ {{> shape}} }{{/timeline}}{{^timeline}}never{{/timeline}};
  };
{{/datasets}}
}

/** The datasets as properties of a client. */
export interface DatasetProperties {
{{#datasets}}
  /** {{{comment}}} */
  readonly {{{property}}}: Dataset<Datasets["{{slug}}"]>;
{{/datasets}}
}

export {};
