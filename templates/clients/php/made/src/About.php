<?php

/* Written by odp-build: {{{origin}}} */

declare(strict_types=1);

namespace {{{module}}};

/** Where this package comes from, and what it knows. */
final class About
{
    public const PACKAGE = '{{package}}';
    public const RELEASE = '{{release}}';
    public const RELEASE_DATE = '{{date}}';
    public const BASE_URL = '{{base}}';
    public const TITLE = '{{title}}';
    public const PUBLISHER = '{{publisher}}';
    public const DATA_LICENSE = '{{license}}';

    /**
     * By slug: the class of its records, those of its further resources, and the name of the one with a timeline.
     *
     * @internal
     * @var array<string, array{class-string<Record>, array<string, class-string<Record>>, string|null}>
     */
    public const DATASETS = [
{{#datasets}}
        '{{slug}}' => [{{#first}}Record\{{{type}}}::class{{/first}}, [{{#further}}'{{name}}' => Record\{{{type}}}::class{{^-last}}, {{/-last}}{{/further}}], {{#timeline}}'{{name}}'{{/timeline}}{{^timeline}}null{{/timeline}}],
{{/datasets}}
    ];
}
