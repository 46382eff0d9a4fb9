<?php

/* Written by odp-build: {{{origin}}} */

declare(strict_types=1);

namespace {{{module}}}\Record;

/** {{{comment}}} */
final class {{{type}}} extends \{{{module}}}\Record
{
    public const KEY = [{{#keys}}'{{name}}'{{^-last}}, {{/-last}}{{/keys}}];
    protected const COLUMNS = [
{{#fields}}
        '{{name}}' => ['{{{attribute}}}', '{{{kind}}}'],
{{/fields}}
{{#geometry}}
        'geometry' => ['{{{geometry}}}', 'array'],
{{/geometry}}
    ];
{{#fields}}

    /** {{#item}}@var list<{{{item}}}>{{#nullable}}|null{{/nullable}} {{/item}}{{#closed}}@var {{#texts}}'{{.}}'{{^-last}}|{{/-last}}{{/texts}}{{#numbers}}{{{.}}}{{^-last}}|{{/-last}}{{/numbers}}{{#nullable}}|null{{/nullable}} {{/closed}}{{{comment}}}{{#renamed}} (column: {{{column}}}){{/renamed}} */
    public readonly {{#optional}}?{{/optional}}{{{type}}} ${{{attribute}}};
{{/fields}}
{{#geometry}}

    /** @var array<string, mixed>|null GeoJSON */
    public readonly ?array ${{{geometry}}};
{{/geometry}}

    protected function take(string $property, mixed $value): void
    {
        $this->$property = $value;
    }

    protected function leave(string $property): void
    {
        unset($this->$property);
    }
}
