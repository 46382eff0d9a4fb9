<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;

/**
 * JSON as the portal speaks it. An integer that PHP cannot hold stays a text of its digits: as a float it would be another number.
 *
 * @internal
 */
final class Json
{
    public const DEPTH = 100;

    /**
     * @param int|null $exact from this depth on an object without members stays one (stdClass); elsewhere it is an array without members
     * @return array<mixed> an object or a list
     */
    public static function decode(string $text, string $what, ?int $exact = null): array
    {
        $objects = $exact !== null && preg_match('/\{\s*\}/', $text) === 1; // which is rare, and takes longer
        try {
            $value = json_decode($text, !$objects, self::DEPTH + 1, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException $e) {
            throw new ProtocolException("$what is no JSON: " . $e->getMessage(), 0, $e);
        }
        if ($objects) {
            $value = self::arrays($value, (int) $exact);
        }
        if (!is_array($value)) {
            throw new ProtocolException("$what is neither an object nor a list");
        }
        return $value;
    }

    public static function encode(mixed $value): string
    {
        $precision = ini_get('serialize_precision'); // 0.1 must go out as 0.1, whatever php.ini says
        if ($precision !== '-1') {
            ini_set('serialize_precision', '-1');
        }
        try {
            return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        } catch (\JsonException $e) {
            throw new \InvalidArgumentException('This cannot be said in JSON: ' . $e->getMessage(), 0, $e);
        } finally {
            if ($precision !== '-1' && $precision !== false) {
                ini_set('serialize_precision', $precision);
            }
        }
    }

    /**
     * The list under `data` of an envelope.
     *
     * @param array<mixed> $body
     * @return list<array<string, mixed>>
     */
    public static function data(array $body, string $what): array
    {
        $data = $body['data'] ?? null;
        if (!is_array($data) || !array_is_list($data)) {
            throw new ProtocolException("$what has no list under \"data\"");
        }
        foreach ($data as $entry) {
            if (!is_array($entry) || ($entry !== [] && array_is_list($entry))) {
                throw new ProtocolException("$what has something else than objects under \"data\"");
            }
        }
        return $data;
    }

    /**
     * The only entry under `data`.
     *
     * @param array<mixed> $body
     * @return array<string, mixed>
     */
    public static function one(array $body, string $what): array
    {
        $data = self::data($body, $what);
        if (count($data) !== 1) {
            throw new ProtocolException("$what has " . count($data) . ' entries under "data", not one');
        }
        return $data[0];
    }

    private static function arrays(mixed $value, int $exact): mixed
    {
        if ($value instanceof \stdClass && $exact <= 0 && (array) $value === []) {
            return $value;
        }
        if (is_array($value) || $value instanceof \stdClass) {
            return array_map(static fn (mixed $one): mixed => self::arrays($one, $exact - 1), (array) $value);
        }
        return $value;
    }
}
