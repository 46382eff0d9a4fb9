<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;
use Odp\Client\Page;
use Odp\Client\Record;

/**
 * From page to page by their links, all of one version.
 *
 * @internal
 * @template T of Record
 */
final class Walk
{
    /** @param class-string<T> $record */
    public function __construct(private readonly Session $session, private readonly string $path, private readonly string $record)
    {
    }

    /** @return \Generator<int, Page<T>> */
    public function pages(Query $query, bool $search): \Generator
    {
        $body = null;
        if ($search || $query->needsBody()) {
            $url = $this->session->url("v1/{$this->path}/search");
            $body = $query->body();
        } elseif ($query->isEmpty()) {
            $url = $this->session->url("v1/{$this->path}.json");
        } else {
            $url = $this->session->url("v1/{$this->path}?" . $query->address());
        }
        $seen = [hash('xxh128', $url, true) => true];
        $version = null;
        $later = false;
        while (true) {
            $what = 'The answer to ' . ($body === null ? 'GET' : 'POST') . " $url";
            $answer = $this->session->ask($url, $body, true, 3);
            $data = Json::data($answer, $what);
            $of = $answer['meta']['version'] ?? null;
            if ($later && $of !== $version) {
                throw new ProtocolException("$what is of another version than the pages before it");
            }
            [$version, $later] = [is_string($of) ? $of : null, true];
            $total = $answer['meta']['total'] ?? null;
            $links = $answer['links'] ?? [];
            if (!is_array($links) || ($links !== [] && array_is_list($links))) {
                throw new ProtocolException("$what has links that are none");
            }
            $next = $links['next'] ?? null;
            if ($next !== null) {
                $next = is_string($next) ? Url::resolve($url, $next) : throw new ProtocolException("$what has a next link that is none");
                if (!$this->session->isOwn($next)) {
                    throw new ProtocolException("$what leads to another host");
                }
                $mark = hash('xxh128', $next, true);
                if (isset($seen[$mark])) {
                    throw new ProtocolException("$what leads back to a page that was read");
                }
                $seen[$mark] = true;
            }
            $records = [];
            foreach ($data as $raw) {
                $records[] = new $this->record($raw);
            }
            unset($data, $answer);
            yield new Page($records, is_int($total) ? $total : null, $version);
            unset($records);
            if ($next === null) {
                return;
            }
            if ($body === null) {
                $url = $next;
            } else { // the link has the whole filter again, which may be too long for an address
                $cursor = Url::parameter($next, 'cursor') ?? throw new ProtocolException("$what has a next link without a cursor");
                $body = ['cursor' => $cursor] + $body;
            }
        }
    }
}
