<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Exception\ProtocolException;

/** A webhook: who is told of what. */
final class Subscription extends Document
{
    public readonly string $id;
    public readonly ?string $url;
    /** @var list<string> */
    public readonly array $events;
    /** @var list<string> empty: all datasets */
    public readonly array $datasets;
    /** @var string|array<string, mixed>|null */
    public readonly string|array|null $filter;
    public readonly string $description;
    /** @var string 'unverified', 'active', 'paused' or 'disabled' */
    public readonly string $state;
    /** why it is not active */
    public readonly ?string $reason;
    public readonly ?\DateTimeImmutable $created;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(#[\SensitiveParameter] array $members)
    {
        parent::__construct($members);
        $this->id = $this->text('id') ?? throw new ProtocolException('The answer has no subscription');
        $this->url = $this->text('url');
        $this->events = $this->texts('events');
        $this->datasets = $this->texts('datasets');
        $filter = $members['filter'] ?? null;
        $this->filter = is_string($filter) || is_array($filter) ? $filter : null;
        $this->description = $this->text('description') ?? '';
        $this->state = $this->text('state') ?? '';
        $this->reason = $this->text('reason');
        $this->created = $this->time('created');
    }

    /** What messages are signed with, "whsec_…": only in the answers to create() and rotateSecret(), so keep it. */
    public function secret(): ?string
    {
        return $this->text('secret');
    }
}
