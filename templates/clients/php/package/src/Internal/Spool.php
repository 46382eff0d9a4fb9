<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;

/**
 * Keeps an answer in a file.
 *
 * @internal
 */
final class Spool implements Receiver
{
    /** @param resource $file */
    public function __construct(private $file)
    {
    }

    public function head(int $status, array $headers): void
    {
        if (strtolower($headers['content-encoding'][0] ?? 'identity') !== 'identity') {
            throw new ProtocolException('The answer is encoded, which nobody asked for');
        }
    }

    public function body(string $bytes): void
    {
        if (@fwrite($this->file, $bytes) !== strlen($bytes)) {
            throw new \RuntimeException('The temporary file cannot be written: is the disk full?');
        }
    }
}
