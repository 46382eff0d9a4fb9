<?php

declare(strict_types=1);

namespace Odp\Client;

/**
 * One record that differs between two versions.
 *
 * @template T of Record
 */
final class Change implements \JsonSerializable
{
    /**
     * @internal
     * @param array<string, mixed>|null $key the record's key; null where it has none
     * @param T|null $record of what was added or removed, without its geometry
     * @param array<string, array{mixed, mixed}> $cells of what was changed: [before, after] by column
     * @param array<string, string>|null $geometry "before" and "after" in words, where it differs
     * @param string $from the version before
     * @param string $to the version after
     * @param array<string, mixed> $raw
     */
    public function __construct(
        public readonly ChangeType $type,
        public readonly ?array $key,
        public readonly ?Record $record,
        public readonly array $cells,
        public readonly ?array $geometry,
        public readonly string $from,
        public readonly string $to,
        private readonly array $raw,
    ) {
    }

    /** @return array<string, mixed> as it stands in the difference, with its versions */
    public function jsonSerialize(): array
    {
        return $this->raw + ['from' => $this->from, 'to' => $this->to];
    }
}
