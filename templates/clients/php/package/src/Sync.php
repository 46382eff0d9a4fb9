<?php

declare(strict_types=1);

namespace Odp\Client;

/** A file that is the newest version's now. */
final class Sync
{
    /**
     * @internal
     * @param string $sha256 hexadecimal
     * @param int $transferred bytes that came over the wire
     */
    public function __construct(
        public readonly string $path,
        public readonly string $version,
        public readonly SyncAction $action,
        public readonly int $transferred,
        public readonly string $sha256,
    ) {
    }
}
