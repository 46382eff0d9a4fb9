<?php

declare(strict_types=1);

namespace Odp\Client;

/**
 * One record: read-only, its columns as properties and, by the names they have in the data, as `$record['luas_ha']`.
 *
 * Each dataset that this package knows has a class of its own below Odp\Client\Record. Columns that are newer than the package are
 * there by `[]`, and in toArray().
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<string, mixed>
 */
class Record implements \ArrayAccess, \IteratorAggregate, \JsonSerializable
{
    /** @var array<string, array{string, string}> name of the column => [name of the property, type] */
    protected const COLUMNS = [];

    /** @var list<string> names of the columns that make the key */
    public const KEY = [];

    /**
     * @internal
     * @param array<string, mixed> $odpRaw the record as it stands in JSON
     */
    final public function __construct(private readonly array $odpRaw)
    {
        foreach (static::COLUMNS as $name => [$property, $type]) {
            if (!array_key_exists($name, $odpRaw)) {
                $this->leave($property);
                continue;
            }
            try {
                $this->take($property, self::convert($odpRaw[$name], $type));
            } catch (\TypeError) { // of another type than this package knows: by [] alone
                $this->leave($property);
            }
        }
    }

    /** The record with its real column names; days and instants are DateTimeImmutable. @return array<string, mixed> */
    public function toArray(): array
    {
        $all = [];
        foreach (array_keys($this->odpRaw) as $name) {
            $all[$name] = $this->offsetGet($name);
        }
        return $all;
    }

    /** The record as it came. @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->odpRaw;
    }

    /** Its columns, as toArray() has them. @return \ArrayIterator<string, mixed> */
    public function getIterator(): \ArrayIterator
    {
        return new \ArrayIterator($this->toArray());
    }

    /** Whether the column is there (it may be null). */
    public function offsetExists(mixed $offset): bool
    {
        return array_key_exists($offset, $this->odpRaw);
    }

    public function offsetGet(mixed $offset): mixed
    {
        if (!array_key_exists($offset, $this->odpRaw)) {
            throw self::missing((string) $offset);
        }
        $value = $this->odpRaw[$offset];
        $type = static::COLUMNS[$offset][1] ?? 'any';
        return $type === 'date' || $type === 'datetime' ? self::convert($value, $type) : $value;
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new \LogicException('A record is read-only');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new \LogicException('A record is read-only');
    }

    /** Called for what was not given: a column that was not asked for is not null. */
    public function __get(string $name): mixed
    {
        foreach (static::COLUMNS as $column => [$property]) {
            if ($property === $name && array_key_exists($column, $this->odpRaw)) {
                throw new \LogicException("The column \"$column\" has values that this package does not know as such; read it as ['$column']");
            }
            if ($property === $name) {
                throw self::missing($column);
            }
        }
        return $this->offsetGet($name);
    }

    public function __isset(string $name): bool
    {
        return ($this->odpRaw[$name] ?? null) !== null;
    }

    public function __set(string $name, mixed $value): void
    {
        throw new \LogicException('A record is read-only');
    }

    public function __unset(string $name): void
    {
        throw new \LogicException('A record is read-only');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return $this->odpRaw;
    }

    /** Sets a property of the subclass, in whose scope it must happen. */
    protected function take(string $property, mixed $value): void
    {
    }

    /** Makes reading a property of the subclass call __get. */
    protected function leave(string $property): void
    {
    }

    private static function convert(mixed $value, string $type): mixed
    {
        if (!is_string($value) || ($type !== 'date' && $type !== 'datetime')) {
            return $value;
        }
        if ($type === 'date') {
            $date = \DateTimeImmutable::createFromFormat('!Y-m-d', $value, new \DateTimeZone('UTC'));
            return $date !== false && $date->format('Y-m-d') === $value ? $date : $value;
        }
        try {
            return new \DateTimeImmutable($value, new \DateTimeZone('UTC'));
        } catch (\Exception) {
            return $value;
        }
    }

    private static function missing(string $column): \LogicException
    {
        return new \LogicException("The column \"$column\" was not asked for (fields), or there is none of that name");
    }
}
