<?php

declare(strict_types=1);

namespace Odp\Client;

/** A file that was downloaded and proved. */
final class Download
{
    /**
     * @internal
     * @param int $bytes its size
     * @param string $sha256 hexadecimal
     * @param int $transferred bytes that came over the wire
     */
    public function __construct(
        public readonly string $path,
        public readonly string $version,
        public readonly int $bytes,
        public readonly string $sha256,
        public readonly int $transferred,
    ) {
    }
}
