<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\TransportException;

/**
 * What one call has of patience: how long it has waited, how often it was tried. Says whether to ask again, and waits until then.
 *
 * @internal
 */
final class Patience
{
    private const TRANSIENT = [408, 502, 503, 504];

    private float $waited = 0.0;
    private int $tries = 0;

    /**
     * @param bool $safe asking twice changes nothing
     * @param \Closure(float, string): void $wait
     */
    public function __construct(
        private readonly bool $safe,
        private readonly int $retries,
        private readonly float $maxWait,
        private readonly \Closure $wait,
    ) {
    }

    /** Bytes came: what is tried now is another try. */
    public function progress(): void
    {
        $this->tries = 0;
    }

    public function afterBreak(TransportException $e): bool
    {
        return !$e->permanent && ($this->safe || !$e->connected) && $this->again(null, $e->getMessage());
    }

    public function afterAnswer(Answer $answer): bool
    {
        $told = self::retryAfter($answer);
        if ($answer->status === 429) {
            $wait = max($told ?? 1.0, 1.0); // told to wait for nothing, this must end as well
            if ($this->waited + $wait > $this->maxWait) {
                return false;
            }
            $this->wait($wait, 'the portal answered 429');
            return true;
        }
        return $this->safe && in_array($answer->status, self::TRANSIENT, true) && $this->again($told, "the portal answered {$answer->status}");
    }

    /** Seconds until it may be tried again, as the answer says; null where it does not. */
    public static function retryAfter(Answer $answer): ?float
    {
        $told = $answer->header('retry-after') ?? '';
        if (preg_match('/^[0-9]+$/D', $told) === 1) {
            return (float) $told;
        }
        $date = \DateTimeImmutable::createFromFormat('D, d M Y H:i:s \G\M\T', $told, new \DateTimeZone('UTC'));
        return $date === false ? null : max(0.0, $date->getTimestamp() - microtime(true));
    }

    private function again(?float $told, string $why): bool
    {
        if ($this->tries >= $this->retries || $this->waited + ($told ?? 0.0) > $this->maxWait) {
            return false;
        }
        $this->wait(max($told ?? 0.0, min(8.0, 0.5 * 2 ** min($this->tries, 4)) * random_int(0, 1_000_000) / 1_000_000), $why);
        $this->tries++;
        return true;
    }

    private function wait(float $seconds, string $why): void
    {
        $this->waited += $seconds;
        ($this->wait)($seconds, $why);
    }
}
