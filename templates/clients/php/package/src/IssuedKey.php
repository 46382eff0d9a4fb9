<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Exception\ProtocolException;

/** A new key. It is shown this once: keep it. */
final class IssuedKey extends Document
{
    public readonly string $tier;
    /** requests a day; null: no limit */
    public readonly ?int $limit;
    public readonly ?\DateTimeImmutable $created;
    public readonly ?\DateTimeImmutable $expires;
    /** after rotate(): until when the old key still works */
    public readonly ?\DateTimeImmutable $previousValidUntil;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(#[\SensitiveParameter] array $members)
    {
        parent::__construct($members);
        if (preg_match('/^[\x21-\x7e]{1,200}$/D', $this->key()) !== 1) {
            throw new ProtocolException('The answer has no key, or one that is none');
        }
        $this->tier = $this->text('tier') ?? '';
        $this->limit = $this->number('limit');
        $this->created = $this->time('created');
        $this->expires = $this->time('expires');
        $this->previousValidUntil = $this->time('previous_valid_until');
    }

    /** The key itself: "odp_live_…". */
    public function key(): string
    {
        return (string) $this->text('key');
    }
}
