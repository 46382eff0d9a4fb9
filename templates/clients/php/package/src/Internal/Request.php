<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * One request on the wire.
 *
 * @internal
 */
final class Request
{
    /** @param array<string, string> $headers without the key, which only lines() shows */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly float $timeout,
        private readonly ?Credentials $credentials,
    ) {
    }

    /** @return list<string> "Name: value" */
    public function lines(): array
    {
        $lines = $this->credentials?->lines() ?? [];
        foreach ($this->headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        return $lines;
    }

    public function __toString(): string
    {
        return $this->method . ' ' . $this->url;
    }
}
