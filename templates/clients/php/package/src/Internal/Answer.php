<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;
use Odp\Client\Exception\TransportException;

/**
 * An answer that is held whole, up to a bound. What is no success is always held so, also of a download.
 *
 * @internal
 */
final class Answer implements Receiver
{
    public const MOST = 64 * 1024 * 1024;
    private const MOST_OF_ERROR = 1024 * 1024;

    public int $status = 0;
    /** @var array<string, list<string>> */
    public array $headers = [];
    public string $text = '';
    private ?\InflateContext $gzip = null;

    /** @param Receiver|null $into where the body of a success goes */
    public function __construct(private readonly ?Receiver $into = null)
    {
    }

    public function head(int $status, array $headers): void
    {
        $this->status = $status;
        $this->headers = $headers;
        $this->text = '';
        $this->gzip = null;
        if ($this->into !== null && $this->succeeded()) {
            $this->into->head($status, $headers);
            return;
        }
        $encoding = strtolower($this->header('content-encoding') ?? 'identity');
        if (in_array($encoding, ['gzip', 'x-gzip'], true) && function_exists('inflate_init')) {
            $this->gzip = inflate_init(ZLIB_ENCODING_GZIP) ?: null;
        } elseif ($encoding !== 'identity' && $encoding !== '') {
            throw new ProtocolException("The answer is encoded as \"$encoding\", which nobody asked for");
        }
    }

    public function body(string $bytes): void
    {
        if ($this->into !== null && $this->succeeded()) {
            $this->into->body($bytes);
            return;
        }
        if ($this->gzip === null) {
            $this->add($bytes);
            return;
        }
        foreach (str_split($bytes, 4096) as $piece) { // 4 KiB become 4 MiB at most
            $plain = @inflate_add($this->gzip, $piece);
            if ($plain === false) {
                throw new ProtocolException('The answer is no gzip');
            }
            $this->add($plain);
        }
    }

    /** Called when the transport is done: nothing may be missing. */
    public function finish(): void
    {
        if ($this->gzip !== null && $this->text !== '' && inflate_get_status($this->gzip) !== ZLIB_STREAM_END) {
            throw new TransportException('The answer ended early');
        }
        $this->gzip = null;
    }

    public function header(string $name): ?string
    {
        return $this->headers[$name][0] ?? null;
    }

    /** Whether the answer itself says where it ends; else it is as long as the connection lasts. */
    public function delimited(): bool
    {
        return $this->header('content-length') !== null || $this->header('transfer-encoding') !== null || in_array($this->status, [204, 304], true);
    }

    /** Whether it ends before the JSON in it does. */
    public function isUnfinished(): bool
    {
        $brackets = count_chars((string) preg_replace('/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"/s', '', $this->text), 0);
        return trim($this->text) === '' || $brackets[ord('[')] + $brackets[ord('{')] > $brackets[ord(']')] + $brackets[ord('}')];
    }

    public function succeeded(): bool
    {
        return $this->status >= 200 && $this->status < 300;
    }

    private function add(string $plain): void
    {
        if (!$this->succeeded() && strlen($this->text) + strlen($plain) > self::MOST_OF_ERROR) {
            throw new Enough();
        }
        if (strlen($this->text) + strlen($plain) > self::MOST) {
            throw new ProtocolException('The answer is larger than ' . self::MOST . ' bytes');
        }
        $this->text .= $plain;
    }
}
