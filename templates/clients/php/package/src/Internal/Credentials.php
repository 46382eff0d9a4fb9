<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * Holds the API key where no dump finds it: var_dump, var_export, print_r and array casts show an object without properties.
 *
 * @internal
 */
final class Credentials
{
    /** @var \WeakMap<self, string>|null */
    private static ?\WeakMap $keys = null;

    public function __construct(#[\SensitiveParameter] ?string $key)
    {
        $this->set($key);
    }

    public function set(#[\SensitiveParameter] ?string $key): void
    {
        $key = $key === '' ? null : $key;
        if ($key !== null && str_contains($key, '://')) {
            throw new \InvalidArgumentException('The API key is an address; that of a portal has a name: new Client(baseUrl: …)');
        }
        if ($key !== null && preg_match('/^[\x21-\x7e]{1,200}$/D', $key) !== 1) {
            throw new \InvalidArgumentException('The API key has characters that no key has');
        }
        self::$keys ??= new \WeakMap();
        unset(self::$keys[$this]);
        if ($key !== null) {
            self::$keys[$this] = $key;
        }
    }

    /** @return list<string> the header line that shows who asks */
    public function lines(): array
    {
        return isset(self::$keys[$this]) ? ['Authorization: Bearer ' . self::$keys[$this]] : [];
    }

    public function any(): bool
    {
        return isset(self::$keys[$this]);
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new \LogicException('A key is not serialized');
    }

    private function __clone()
    {
    }
}
