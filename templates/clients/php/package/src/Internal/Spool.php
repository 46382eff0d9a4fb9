<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

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
    }

    public function body(string $bytes): void
    {
        if (fwrite($this->file, $bytes) !== strlen($bytes)) {
            throw new \RuntimeException('The temporary file cannot be written: is the disk full?');
        }
    }
}
