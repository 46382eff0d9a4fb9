<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * What one gzip stream holds, line by line and byte by byte, without ever holding all of it.
 *
 * @internal
 */
final class Unpacked
{
    private const PIECE = 4096; // bytes of gzip at once: 4 MiB at most when unpacked

    private readonly \InflateContext $gzip;
    private string $buffer = '';
    private int $at = 0;
    private int $fed = 0;
    private bool $ended = false;

    /** @param resource $file */
    public function __construct(private $file)
    {
        $this->gzip = inflate_init(ZLIB_ENCODING_GZIP) ?: throw new DeltaException('zlib does not work');
    }

    /** The next line of at most MOST bytes, without its line feed. */
    public function line(int $most): string
    {
        while (($end = strpos($this->buffer, "\n", $this->at)) === false) {
            if (strlen($this->buffer) - $this->at > $most || !$this->more()) {
                throw new DeltaException('A line is too long, or has no end');
            }
        }
        $line = substr($this->buffer, $this->at, $end - $this->at);
        if (strlen($line) > $most) {
            throw new DeltaException('A line is too long');
        }
        $this->at = $end + 1;
        return $line;
    }

    /** At least one byte and at most MOST. */
    public function some(int $most): string
    {
        while ($this->at >= strlen($this->buffer)) {
            if (!$this->more()) {
                throw new DeltaException('It ends early');
            }
        }
        $bytes = substr($this->buffer, $this->at, $most);
        $this->at += strlen($bytes);
        return $bytes;
    }

    /** Nothing may follow: no bytes in the stream, none behind it; and its checksum is right. */
    public function end(): void
    {
        if ($this->at < strlen($this->buffer)) {
            throw new DeltaException('Something follows the end');
        }
        while ($this->more()) {
            if ($this->at < strlen($this->buffer)) {
                throw new DeltaException('Something follows the end');
            }
        }
    }

    /** Unpacks a piece more (which may be nothing yet); false at the proper end. */
    private function more(): bool
    {
        if ($this->ended) {
            return false;
        }
        $piece = fread($this->file, self::PIECE);
        if ($piece === false || $piece === '') {
            throw new DeltaException('The gzip stream ends early');
        }
        $plain = @inflate_add($this->gzip, $piece);
        if ($plain === false) {
            throw new DeltaException('It is no gzip, or damaged');
        }
        $this->fed += strlen($piece);
        $this->buffer = substr($this->buffer, $this->at) . $plain;
        $this->at = 0;
        if (inflate_get_status($this->gzip) === ZLIB_STREAM_END) {
            if (inflate_get_read_len($this->gzip) !== $this->fed || fread($this->file, 1) !== '') {
                throw new DeltaException('Something stands behind the gzip stream');
            }
            $this->ended = true;
        }
        return true;
    }
}
