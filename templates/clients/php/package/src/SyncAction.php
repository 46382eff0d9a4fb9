<?php

declare(strict_types=1);

namespace Odp\Client;

/** How a file became the newest version's. */
enum SyncAction: string
{
    /** it was already */
    case Current = 'current';
    /** by deltas to the version it had */
    case Patched = 'patched';
    /** whole */
    case Downloaded = 'downloaded';
}
