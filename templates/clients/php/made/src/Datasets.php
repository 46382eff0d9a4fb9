<?php

/* Written by odp-build: {{{origin}}} */

declare(strict_types=1);

namespace {{{module}}};

use {{{module}}}\Internal\Session;

/** The datasets, each a property of the client. */
abstract class Datasets
{
{{#datasets}}
    /** @var Dataset<{{#first}}Record\{{{type}}}{{/first}}, {{#timeline}}Record\{{{type}}}{{/timeline}}{{^timeline}}never{{/timeline}}> {{{comment}}} */
    public readonly Dataset ${{{property}}};

{{/datasets}}
    /** @internal */
    public function __construct(Session $session)
    {
{{#datasets}}
        $this->{{{property}}} = Dataset::of($session, '{{slug}}');
{{/datasets}}
    }
}
