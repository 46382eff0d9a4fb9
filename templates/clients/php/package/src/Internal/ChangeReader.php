<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Change;
use Odp\Client\ChangeType;
use Odp\Client\Exception\ProtocolException;
use Odp\Client\Exception\TransportException;
use Odp\Client\Record;

/**
 * Published differences (changes.json), one change after the other: the file has one a line, so none of it need be held.
 *
 * @internal
 */
final class ChangeReader
{
    private const LINE = 16 * 1024 * 1024;

    /**
     * @template T of Record
     * @param list<array{from: string, to: string, url: string}> $steps
     * @param class-string<T> $record
     * @return \Generator<int, Change<T>>
     */
    public static function read(Session $session, array $steps, string $record): \Generator
    {
        foreach ($steps as $step) {
            $file = self::fetch($session, $step['url']);
            try {
                foreach (self::entries($file, $step) as $raw) {
                    yield self::change($raw, $step['from'], $step['to'], $step['url'], $record);
                }
            } finally {
                fclose($file);
            }
        }
    }

    /**
     * The file, at its beginning, in a place that goes by itself.
     *
     * @return resource
     */
    private static function fetch(Session $session, string $url)
    {
        $patience = $session->patience(true);
        while (true) {
            $file = tmpfile() ?: throw new \RuntimeException('No temporary file can be made');
            try {
                $answer = $session->attempt('GET', $url, ['Accept-Encoding' => 'identity'], null, false, new Spool($file));
            } catch (TransportException $e) {
                if ($patience->afterBreak($e)) {
                    continue;
                }
                throw $e;
            }
            if ($answer->succeeded()) {
                rewind($file);
                return $file;
            }
            if (!$patience->afterAnswer($answer)) {
                throw $session->error($answer, "GET $url");
            }
        }
    }

    /**
     * @param resource $file
     * @param array{from: string, to: string, url: string} $step
     * @return iterable<array<string, mixed>>
     */
    private static function entries($file, array $step): iterable
    {
        $url = $step['url'];
        $head = '';
        while (($line = fgets($file, self::LINE)) !== false) {
            $head .= $line;
            if (str_starts_with($line, '"changes":[')) {
                break;
            }
            if (strlen($head) > Answer::MOST) {
                throw new ProtocolException("$url is too large");
            }
        }
        if ($line === false || trim($line) !== '"changes":[') { // all of it is here: there are none, or it was written otherwise
            $whole = Json::decode($head . stream_get_contents($file, Answer::MOST), $url);
            self::check($whole, $step);
            foreach (is_array($whole['changes'] ?? null) ? $whole['changes'] : throw new ProtocolException("$url has no changes") as $change) {
                yield is_array($change) ? $change : throw new ProtocolException("$url has a change that is none");
            }
            return;
        }
        self::check(Json::decode(rtrim($head) . ']}', $url), $step);
        $n = 0;
        while (($line = fgets($file, self::LINE)) !== false && !str_starts_with($line, ']')) {
            $n++;
            yield Json::decode(rtrim($line, ",\r\n"), $url, 2);
        }
        if ($line === false) {
            throw new ProtocolException("$url ends early");
        }
        $tail = Json::decode('{"changes":[' . $line . stream_get_contents($file, Answer::MOST), $url);
        $summary = is_array($tail['summary'] ?? null) ? $tail['summary'] : [];
        if (($summary['added'] ?? 0) + ($summary['removed'] ?? 0) + ($summary['changed'] ?? 0) !== $n) {
            throw new ProtocolException("$url has $n changes and counts otherwise");
        }
    }

    /**
     * @param array<mixed> $head
     * @param array{from: string, to: string, url: string} $step
     */
    private static function check(array $head, array $step): void
    {
        if (($head['from']['version'] ?? null) !== $step['from'] || ($head['to']['version'] ?? null) !== $step['to']) {
            throw new ProtocolException("{$step['url']} tells of other versions than {$step['from']} and {$step['to']}");
        }
        if (is_string($head['note'] ?? null)) { // to give none would say that nothing has changed
            throw new \InvalidArgumentException("Between {$step['from']} and {$step['to']} records are not told: {$head['note']}");
        }
    }

    /**
     * @template T of Record
     * @param array<string, mixed> $raw
     * @param class-string<T> $record
     * @return Change<T>
     */
    private static function change(array $raw, string $from, string $to, string $url, string $record): Change
    {
        $type = ChangeType::tryFrom(is_string($raw['op'] ?? null) ? $raw['op'] : '') ?? throw new ProtocolException("$url has a change of no known kind");
        $of = static fn (string $name): ?array => is_array($raw[$name] ?? null) ? $raw[$name] : null;
        $values = $of('record');
        return new Change($type, $of('key'), $values === null ? null : new $record($values), $of('cells') ?? [], $of('geometry'), $from, $to, $raw);
    }
}
