<?php

declare(strict_types=1);

namespace Odp\Client;

/** What the key may, and what it has used. */
final class Usage extends Document
{
    public readonly string $tier;
    /** requests a day; null: no limit */
    public readonly ?int $limit;
    /** used today */
    public readonly int $used;
    /** left of today; null: no limit */
    public readonly ?int $remaining;
    /** when the day's quota opens again */
    public readonly ?\DateTimeImmutable $reset;
    /** @var list<array{date: string, requests: int}> the days before, oldest first */
    public readonly array $days;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        parent::__construct($members);
        $this->tier = $this->text('tier') ?? '';
        $this->limit = $this->number('limit');
        $this->used = $this->number('used') ?? 0;
        $this->remaining = $this->limit === null ? null : max(0, $this->limit - $this->used);
        $this->reset = $this->time('reset');
        $days = [];
        foreach (is_array($members['usage'] ?? null) ? $members['usage'] : [] as $day) {
            if (is_string($day['date'] ?? null) && is_int($day['requests'] ?? null)) {
                $days[] = ['date' => $day['date'], 'requests' => $day['requests']];
            }
        }
        $this->days = $days;
    }
}
