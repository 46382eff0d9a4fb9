<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ApiException;
use Odp\Client\Exception\IntegrityException;
use Odp\Client\Sync;
use Odp\Client\SyncAction;

/**
 * A file made the newest version's: by deltas from the version it has, where that is less, else by downloading it.
 *
 * @internal
 */
final class Syncer
{
    private readonly Downloader $downloader;
    private int $transferred = 0;

    public function __construct(Session $session)
    {
        $this->downloader = new Downloader($session);
    }

    public function sync(History $history, string $resource, string $path, ?string $format): Sync
    {
        $format ??= self::format($history->formats($resource), $path);
        $newest = $history->file($resource, $format, null);
        $digest = is_file($path) ? hash_file('sha256', $path) : false;
        if ($digest === $newest->sha256) {
            return new Sync($path, $newest->version, SyncAction::Current, 0, $newest->sha256);
        }
        if ($digest !== false) {
            foreach ($history->files($resource, $format) as $file) {
                if ($file->sha256 === $digest && $this->patch($history->deltas($resource, $format, $file->version, $newest->version), $path, $newest)) {
                    return new Sync($path, $newest->version, SyncAction::Patched, $this->transferred, $newest->sha256);
                }
            }
        }
        $done = $this->downloader->download($newest, $path);
        return new Sync($path, $newest->version, SyncAction::Downloaded, $this->transferred + $done->transferred, $newest->sha256);
    }

    /**
     * Whether PATH is the newest file now. A delta that is gone, damaged or does not fit is no error.
     *
     * @param list<array{File, File}>|null $way
     */
    private function patch(?array $way, string $path, File $newest): bool
    {
        $bytes = array_sum(array_map(static fn (array $step): int => $step[0]->bytes, $way ?? []));
        if ($way === null || $way === [] || $bytes * 2 >= $newest->bytes || !function_exists('inflate_init')) {
            return false;
        }
        $at = $path;
        $made = [];
        try {
            foreach ($way as [$delta, $makes]) {
                $fetched = $made[] = self::own($delta, $path, 'delta');
                $this->transferred += $this->downloader->download($delta, $fetched)->transferred;
                $next = $made[] = self::own($makes, $path, 'part');
                Delta::apply($at, $fetched, $next, $makes);
                $at = $next;
            }
            return @rename($at, $path) ?: throw new \RuntimeException("$path cannot be written");
        } catch (DeltaException | IntegrityException | ApiException) {
            return false;
        } finally {
            foreach ($made as $file) {
                @unlink($file);
            }
        }
    }

    /** A name beside PATH that no other process has. */
    private static function own(File $file, string $path, string $end): string
    {
        return $path . '.' . substr($file->sha256, 0, 16) . '.' . getmypid() . '-' . bin2hex(random_bytes(4)) . '.' . $end;
    }

    /** @param list<string> $formats */
    private static function format(array $formats, string $path): string
    {
        usort($formats, static fn (string $a, string $b): int => strlen($b) <=> strlen($a)); // "excel.csv" before "csv"
        foreach ($formats as $format) {
            if (str_ends_with(strtolower($path), ".$format")) {
                return $format;
            }
        }
        throw new \InvalidArgumentException("The ending of $path is none of " . implode(', ', $formats) . ': say which format');
    }
}
