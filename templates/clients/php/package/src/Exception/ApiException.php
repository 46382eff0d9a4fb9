<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/**
 * The portal said no. What it said stands in the problem document (RFC 9457); the subclasses are kinds of it.
 *
 * The message is the portal's own; programs should look at $errorCode, which is the same from release to release.
 */
class ApiException extends \RuntimeException implements OdpException
{
    /** What went wrong, in a word: "record-not-found", "quota-exceeded" …; null where the answer was no problem document */
    public readonly ?string $errorCode;
    public readonly ?string $title;
    public readonly ?string $detail;

    /**
     * @param int $status the HTTP status, also as getCode()
     * @param array<string, mixed> $problem the whole problem document; empty where the answer was none
     * @param string $request what was asked: "GET https://…"
     */
    final public function __construct(
        public readonly int $status,
        public readonly array $problem,
        public readonly string $request,
        ?\Throwable $previous = null,
    ) {
        $this->errorCode = self::text($problem, 'code');
        $this->title = self::text($problem, 'title');
        $this->detail = self::text($problem, 'detail');
        $said = implode(': ', array_filter([$this->title, $this->detail], static fn (?string $s): bool => $s !== null && $s !== ''));
        parent::__construct(($said === '' ? 'The portal answered ' . $status : $said) . " ($status, $request)", $status, $previous);
    }

    /** @param array<string, mixed> $problem */
    private static function text(array $problem, string $name): ?string
    {
        return is_string($problem[$name] ?? null) ? $problem[$name] : null;
    }
}
