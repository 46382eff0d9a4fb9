<?php

declare(strict_types=1);

namespace Odp\Client\Exception;

/** More was asked than the key allows, and waiting would take longer than maxWait: 429. */
final class QuotaExceededException extends ApiException
{
    private ?\DateTimeImmutable $until = null;
    private ?float $seconds = null;

    /** When it opens again; null where the portal did not say. */
    public function reset(): ?\DateTimeImmutable
    {
        return $this->until;
    }

    /** In how many seconds it opened again, counted from the answer; null where the portal did not say. */
    public function retryAfter(): ?float
    {
        return $this->seconds;
    }

    /** @internal */
    public function opens(?float $seconds, float $now): self
    {
        $this->seconds = $seconds;
        $this->until = $seconds === null || $seconds > 1e9 ? null : (new \DateTimeImmutable('@' . (int) ceil($now + $seconds)));
        return $this;
    }
}
