<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;
use Odp\Client\Version;

/**
 * What versions.json tells of a dataset: versions, files, differences, deltas.
 *
 * @internal
 */
final class History
{
    /** @param list<array<string, mixed>> $entries newest first */
    private function __construct(
        private readonly string $slug,
        private readonly string $url,
        private readonly array $entries,
        private readonly ?string $current,
    ) {
    }

    public static function of(Session $session, string $slug): self
    {
        $url = $session->url("data/$slug/versions.json");
        $answer = $session->ask($url, null, false);
        $entries = Json::data($answer, "The answer to GET $url");
        foreach ($entries as $entry) {
            if (!is_string($entry['version'] ?? null)) {
                throw new ProtocolException("$url has a version without a name");
            }
        }
        $current = $answer['meta']['current'] ?? null;
        return new self($slug, $url, $entries, is_string($current) ? $current : null);
    }

    /** @return list<Version> */
    public function versions(): array
    {
        return array_map(static fn (array $entry): Version => new Version($entry), $this->entries);
    }

    /** The name of the newest version that is published. */
    public function newest(): string
    {
        foreach ($this->entries as $entry) {
            if ($this->current === null ? ($entry['state'] ?? 'published') === 'published' : $entry['version'] === $this->current) {
                return $entry['version'];
            }
        }
        throw new \InvalidArgumentException("The dataset \"{$this->slug}\" has no published version");
    }

    public function file(string $resource, string $format, ?string $version): File
    {
        $version ??= $this->newest();
        $of = $this->resource($resource, $version);
        $names = [];
        foreach (self::objects($of, 'files') as $file) {
            if (($file['name'] ?? null) === $format) {
                return $this->published($file, $format, $version);
            }
            $names[] = is_string($file['name'] ?? null) ? $file['name'] : '?';
        }
        throw new \InvalidArgumentException("Version $version has no file \"$format\"; there is " . ($names === [] ? 'none' : implode(', ', $names)));
    }

    /**
     * The file of every version that has one, newest first.
     *
     * @return list<File>
     */
    public function files(string $resource, string $format): array
    {
        $all = [];
        foreach ($this->entries as $entry) {
            foreach (self::objects($this->find($entry, $resource) ?? [], 'files') as $file) {
                if (($file['name'] ?? null) === $format) {
                    $all[] = $this->published($file, $format, $entry['version']);
                    break;
                }
            }
        }
        return $all;
    }

    /** Names of the newest version's files. @return list<string> */
    public function formats(string $resource): array
    {
        $names = array_column(self::objects($this->resource($resource, $this->newest()), 'files'), 'name');
        return array_values(array_filter($names, is_string(...)));
    }

    /**
     * Deltas that lead from version FROM to version TO, in the order in which they are applied, each with the file it makes; null: there is no way.
     *
     * @return list<array{File, File}>|null
     */
    public function deltas(string $resource, string $format, string $from, string $to): ?array
    {
        $way = [];
        for ($at = $to; $at !== $from; $at = $before) {
            $of = $this->resource($resource, $at);
            $before = null;
            foreach (self::objects($of, 'deltas') as $delta) {
                if (($delta['name'] ?? null) === $format && is_string($delta['from'] ?? null)) {
                    $before = $delta['from'];
                    array_unshift($way, [$this->published($delta, $format, $at), $this->file($resource, $format, $at)]);
                    break;
                }
            }
            if ($before === null || !$this->knows($before) || count($way) > count($this->entries)) {
                return null;
            }
        }
        return $way;
    }

    /**
     * The differences between FROM and TO, step by step.
     *
     * @return list<array{from: string, to: string, url: string}>
     */
    public function steps(string $resource, ?string $from, ?string $to): array
    {
        $to ??= $this->newest();
        $steps = [];
        if ($from !== null && !$this->knows($from)) {
            throw new \InvalidArgumentException("The dataset \"{$this->slug}\" has no version \"$from\"");
        }
        for ($at = $to; $at !== $from; $at = $before) {
            $changes = $this->resource($resource, $at)['changes'] ?? null;
            $before = $changes['from'] ?? null;
            if (!is_string($before) || !is_string($changes['json'] ?? null)) {
                throw new \InvalidArgumentException('No differences are published that lead ' . ($from === null ? '' : "from version $from ") . "to version $to");
            }
            array_unshift($steps, ['from' => $before, 'to' => $at, 'url' => Url::resolve($this->url, $changes['json'])]);
            if ($from === null) {
                break;
            }
            if (count($steps) > count($this->entries)) {
                throw new \InvalidArgumentException("The differences before version $to go in a circle");
            }
        }
        return $steps;
    }

    /** @param array<string, mixed> $file */
    private function published(array $file, string $format, string $version): File
    {
        $url = $file['url'] ?? null;
        $bytes = $file['bytes'] ?? null;
        $hash = $file['hash'] ?? null;
        if (!is_string($url) || !is_int($bytes) || $bytes < 0 || !is_string($hash) || preg_match('/^sha256:[0-9a-f]{64}$/D', $hash) !== 1) {
            throw new ProtocolException("{$this->url}: a file of version $version has no address, size or SHA-256");
        }
        $url = Url::resolve($this->url, $url);
        if (Url::origin($url) === '') {
            throw new ProtocolException("{$this->url}: a file of version $version has an address that is none of http");
        }
        return new File($version, $format, $url, $bytes, substr($hash, 7));
    }

    private function knows(string $version): bool
    {
        return in_array($version, array_column($this->entries, 'version'), true);
    }

    /** @return array<string, mixed> */
    private function resource(string $name, string $version): array
    {
        foreach ($this->entries as $entry) {
            if ($entry['version'] === $version) {
                return $this->find($entry, $name)
                    ?? throw new \InvalidArgumentException("Version $version of \"{$this->slug}\" has nothing published of \"$name\"");
            }
        }
        throw new \InvalidArgumentException("The dataset \"{$this->slug}\" has no version \"$version\"");
    }

    /**
     * @param array<string, mixed> $entry
     * @return array<string, mixed>|null
     */
    private function find(array $entry, string $name): ?array
    {
        foreach (self::objects($entry, 'resources') as $resource) {
            if (($resource['name'] ?? null) === $name) {
                return $resource;
            }
        }
        return null;
    }

    /**
     * @param array<string, mixed> $of
     * @return list<array<string, mixed>>
     */
    private static function objects(array $of, string $name): array
    {
        $list = $of[$name] ?? [];
        return is_array($list) ? array_values(array_filter($list, is_array(...))) : [];
    }
}
