<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Exception\ProtocolException;

/** One published version of a dataset. */
final class Version extends Document
{
    public readonly string $version;
    public readonly ?\DateTimeImmutable $date;
    /** @var string 'published', 'thinned' (its files are not kept) or 'withdrawn' */
    public readonly string $state;
    public readonly ?int $rows;
    public readonly ?string $release;
    /** the version before it */
    public readonly ?string $previous;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        parent::__construct($members);
        $this->version = $this->text('version') ?? throw new ProtocolException('A version has no name');
        $this->date = $this->time('date');
        $this->state = $this->text('state') ?? '';
        $this->rows = $this->number('rows');
        $this->release = $this->text('release');
        $this->previous = $this->text('previous');
    }
}
