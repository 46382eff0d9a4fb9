<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * Takes an answer as it comes.
 *
 * @internal
 */
interface Receiver
{
    /** @param array<string, list<string>> $headers by small name */
    public function head(int $status, array $headers): void;

    public function body(string $bytes): void;
}
