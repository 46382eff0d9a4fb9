<?php

declare(strict_types=1);

namespace Odp\Client;

/** What happened to a record from one version to the next. */
enum ChangeType: string
{
    case Added = 'added';
    case Removed = 'removed';
    case Changed = 'changed';
}
