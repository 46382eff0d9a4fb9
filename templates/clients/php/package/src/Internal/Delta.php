<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * odp-delta-1: the new file of the old one and what differs. Nothing that a delta says is believed before it was compared with what is there;
 * memory does not grow with the files.
 *
 * @internal
 */
final class Delta
{
    private const HEADER = 4096;
    private const LINE = 35;
    private const MOST = 9007199254740991; // 2^53 - 1
    private const PIECE = 262144;

    /**
     * Makes NEW of OLD by DELTA. EXPECTED: what NEW must be, where it is known.
     *
     * @return string the SHA-256 of NEW
     */
    public static function apply(string $old, string $delta, string $new, ?File $expected = null): string
    {
        if (!function_exists('inflate_init')) {
            throw new DeltaException('ext-zlib is missing');
        }
        $from = $in = $out = false;
        try {
            $in = @fopen($delta, 'rb');
            $from = @fopen($old, 'rb');
            if ($in === false || $from === false) {
                throw new DeltaException("$old or $delta cannot be read");
            }
            $unpacked = new Unpacked($in);
            $header = self::header($unpacked->line(self::HEADER));
            if ($expected !== null && ($header['to']['bytes'] !== $expected->bytes || $header['to']['sha256'] !== $expected->sha256)) {
                throw new DeltaException('The delta makes another file');
            }
            if (fstat($from)['size'] !== $header['from']['bytes'] || self::digest($from) !== $header['from']['sha256']) {
                throw new DeltaException('The delta was made for another file');
            }
            $out = @fopen($new, 'wb');
            if ($out === false) {
                throw new \RuntimeException("$new cannot be written");
            }
            $digest = self::operations($unpacked, $from, $out, $header['from']['bytes'], $header['to']['bytes']);
            if ($digest !== $header['to']['sha256']) {
                throw new DeltaException('The result is another file');
            }
            if (!fflush($out) || !fsync($out)) {
                throw new \RuntimeException("$new cannot be written");
            }
            return $digest;
        } catch (\Throwable $e) {
            if ($out !== false) {
                @unlink($new);
            }
            throw $e;
        } finally {
            foreach ([$in, $from, $out] as $file) {
                if ($file !== false) {
                    fclose($file);
                }
            }
        }
    }

    /**
     * @param resource $from
     * @param resource $out
     * @return string the SHA-256 of what was written
     */
    private static function operations(Unpacked $delta, $from, $out, int $old, int $new): string
    {
        $hash = hash_init('sha256');
        $left = $new;
        while (($line = $delta->line(self::LINE)) !== 'E') {
            if (preg_match('/^(?:C (0|[1-9][0-9]{0,15}) |I )([1-9][0-9]{0,15})$/D', $line, $m) !== 1) {
                throw new DeltaException('No operation');
            }
            $offset = (int) $m[1];
            $length = (int) $m[2];
            if ($length > $left || $offset > self::MOST) {
                throw new DeltaException('More than the new file has');
            }
            $left -= $length;
            if ($line[0] === 'C') {
                if ($offset > $old || $length > $old - $offset) {
                    throw new DeltaException('Outside of the old file');
                }
                fseek($from, $offset);
            }
            while ($length > 0) {
                $bytes = $line[0] === 'I' ? $delta->some(min($length, self::PIECE)) : (string) fread($from, min($length, self::PIECE));
                if ($bytes === '') {
                    throw new DeltaException('The old file ends early');
                }
                if (@fwrite($out, $bytes) !== strlen($bytes)) {
                    throw new \RuntimeException('The new file cannot be written: is the disk full?');
                }
                hash_update($hash, $bytes);
                $length -= strlen($bytes);
            }
        }
        $delta->end();
        if ($left !== 0) {
            throw new DeltaException('The result is too short');
        }
        return hash_final($hash);
    }

    /** @return array{from: array{bytes: int, sha256: string}, to: array{bytes: int, sha256: string}} */
    private static function header(string $line): array
    {
        $header = json_decode($line, true, 32, JSON_BIGINT_AS_STRING);
        if (!is_array($header) || array_is_list($header) || self::hasTwice($line) || ($header['format'] ?? null) !== 'odp-delta-1') {
            throw new DeltaException('The header is none of odp-delta-1');
        }
        $sides = [];
        foreach (['from', 'to'] as $name) {
            $side = $header[$name] ?? null;
            $bytes = $side['bytes'] ?? null;
            $digest = $side['sha256'] ?? null;
            if (
                !is_array($side) || !is_int($bytes) || $bytes < 0 || $bytes > self::MOST || !is_string($digest)
                || preg_match('/^[0-9a-f]{64}$/D', $digest) !== 1 || (array_key_exists('version', $side) && !is_string($side['version']))
            ) {
                throw new DeltaException("The header's \"$name\" is wrong");
            }
            $sides[$name] = ['bytes' => $bytes, 'sha256' => $digest];
        }
        return $sides;
    }

    /** Whether an object in JSON (which is well-formed) has a member twice. */
    private static function hasTwice(string $json): bool
    {
        $open = []; // of every object that is open, its members; null: a list
        preg_match_all('/"(?:[^"\\\\]|\\\\.)*"(\s*:)?|[{}\[\]]/', $json, $tokens, PREG_SET_ORDER);
        foreach ($tokens as $token) {
            if ($token[0] === '{' || $token[0] === '[') {
                $open[] = [];
            } elseif ($token[0] === '}' || $token[0] === ']') {
                array_pop($open);
            } elseif (isset($token[1])) {
                $name = 'k' . json_decode(substr($token[0], 0, -strlen($token[1])));
                $in = array_key_last($open);
                if (isset($open[$in][$name])) {
                    return true;
                }
                $open[$in][$name] = true;
            }
        }
        return false;
    }

    /** @param resource $file */
    private static function digest($file): string
    {
        $hash = hash_init('sha256');
        hash_update_stream($hash, $file);
        return hash_final($hash);
    }
}
