<?php

declare(strict_types=1);

namespace Odp\Client;

/**
 * Something that the portal answered: read-only; what newer portals add is there by `[]`.
 *
 * @implements \ArrayAccess<string, mixed>
 */
abstract class Document implements \ArrayAccess, \JsonSerializable
{
    /** @param array<string, mixed> $members as they stand in JSON */
    protected function __construct(private readonly array $members)
    {
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->members;
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->members;
    }

    public function offsetExists(mixed $offset): bool
    {
        return array_key_exists($offset, $this->members);
    }

    public function offsetGet(mixed $offset): mixed
    {
        if (!array_key_exists($offset, $this->members)) {
            throw new \LogicException("There is no member \"$offset\"");
        }
        return $this->members[$offset];
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new \LogicException('An answer is read-only');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new \LogicException('An answer is read-only');
    }

    public function __set(string $name, mixed $value): void
    {
        throw new \LogicException('An answer is read-only');
    }

    /** @return array<string, mixed> keys and secrets are not shown */
    public function __debugInfo(): array
    {
        $shown = $this->members;
        foreach (['key', 'secret'] as $hidden) {
            if (is_string($shown[$hidden] ?? null)) {
                $shown[$hidden] = substr($shown[$hidden], 0, 6) . '***';
            }
        }
        return $shown;
    }

    protected function text(string $name): ?string
    {
        $value = $this->members[$name] ?? null;
        return is_string($value) ? $value : null;
    }

    protected function number(string $name): ?int
    {
        $value = $this->members[$name] ?? null;
        return is_int($value) ? $value : null;
    }

    protected function time(string $name): ?\DateTimeImmutable
    {
        $value = $this->text($name);
        try {
            return $value === null ? null : new \DateTimeImmutable($value, new \DateTimeZone('UTC'));
        } catch (\Exception) {
            return null;
        }
    }

    /** @return list<string> */
    protected function texts(string $name): array
    {
        $value = $this->members[$name] ?? null;
        return is_array($value) ? array_values(array_filter($value, is_string(...))) : [];
    }

    /**
     * A text in a language: {"id": …, "en": …}.
     *
     * @return array<string, string>
     */
    protected function languages(string $name): array
    {
        $value = $this->members[$name] ?? null;
        return is_array($value) ? array_filter($value, is_string(...)) : [];
    }
}
