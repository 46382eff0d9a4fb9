<?php

declare(strict_types=1);

namespace Odp\Client;

/**
 * One page of records.
 *
 * @template T of Record
 * @implements \IteratorAggregate<int, T>
 */
final class Page implements \IteratorAggregate, \Countable
{
    /**
     * @internal
     * @param list<T> $records
     * @param int|null $total all records that match; null where counting took too long
     * @param string|null $version of the data
     */
    public function __construct(public readonly array $records, public readonly ?int $total, public readonly ?string $version)
    {
    }

    /** @return \ArrayIterator<int, T> */
    public function getIterator(): \ArrayIterator
    {
        return new \ArrayIterator($this->records);
    }

    public function count(): int
    {
        return count($this->records);
    }
}
