<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** A file is not what its publisher says it is. */
final class IntegrityException extends \RuntimeException implements OdpException
{
    /**
     * @param string|int $expected SHA-256 (hexadecimal), or size in bytes
     * @param string|int $found the same of what came
     */
    public function __construct(string $message, public readonly string|int $expected, public readonly string|int $found)
    {
        parent::__construct("$message: expected $expected, found $found");
    }
}
