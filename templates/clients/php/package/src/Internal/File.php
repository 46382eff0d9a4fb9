<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * A published file, as versions.json names it.
 *
 * @internal
 */
final class File
{
    public function __construct(
        public readonly string $version,
        public readonly string $format,
        public readonly string $url,
        public readonly int $bytes,
        public readonly string $sha256,
    ) {
    }
}
