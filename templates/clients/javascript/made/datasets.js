/* Made from the catalogue. */

export const packageName = "{{package}}";
export const release = "{{release}}";
export const baseUrl = "{{base}}";

export const datasets = [
{{#datasets}}
  { slug: "{{slug}}", property: "{{{property}}}", resources: [
{{#resources}}
    { name: "{{name}}", path: "{{path}}", key: [{{#keys}}"{{name}}"{{^-last}}, {{/-last}}{{/keys}}]{{#is_timeline}}, timeline: true{{/is_timeline}} },
{{/resources}}
  ] },
{{/datasets}}
];
