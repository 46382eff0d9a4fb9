<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Download;
use Odp\Client\Exception\IntegrityException;
use Odp\Client\Exception\TransportException;

/**
 * A file comes whole or not at all: beside its place, hashed as it comes, named when it is proved. What broke off is gone on with.
 *
 * @internal
 */
final class Downloader
{
    public function __construct(private readonly Session $session)
    {
    }

    /** @param \Closure(int, int): mixed|null $progress */
    public function download(File $file, string $path, bool $resume = true, ?\Closure $progress = null): Download
    {
        if (is_dir($path)) {
            throw new \InvalidArgumentException("$path is a folder: a file's name is needed");
        }
        $part = self::part($file, $path);
        $pieces = new Pieces($part, $file->bytes, $progress);
        try {
            if (!$resume) {
                $pieces->begin();
            }
            for ($again = false; !$this->fetched($file, $pieces, $again); $again = true) {
                $pieces->begin(); // what was there before may have been wrong
                $pieces->etag = null;
            }
            $pieces->keepAs($path);
        } catch (IntegrityException $e) {
            $pieces->remove();
            throw $e;
        } finally {
            $pieces->close();
        }
        return new Download($path, $file->version, $file->bytes, $file->sha256, $pieces->transferred);
    }

    /** Where FILE is put together before it is PATH. */
    public static function part(File $file, string $path): string
    {
        return $path . '.' . substr($file->sha256, 0, 16) . '.part';
    }

    /** Whether all is there and proved; false: it was put together from two times and is wrong, so once more (unless this was that). */
    private function fetched(File $file, Pieces $pieces, bool $again): bool
    {
        try {
            $this->fetch($file, $pieces);
            $digest = $pieces->digest();
            if ($pieces->done !== $file->bytes) {
                throw new IntegrityException("{$file->url} is not what was published (bytes)", $file->bytes, $pieces->done);
            }
            if (!hash_equals($file->sha256, $digest)) {
                throw new IntegrityException("{$file->url} is not what was published (SHA-256)", $file->sha256, $digest);
            }
            return true;
        } catch (IntegrityException $e) {
            return $pieces->resumed && !$again ? false : throw $e;
        }
    }

    private function fetch(File $file, Pieces $pieces): void
    {
        $patience = $this->session->patience(true);
        $furthest = $pieces->done;
        while ($pieces->done < $file->bytes || ($file->bytes === 0 && $pieces->transferred === 0)) {
            $headers = ['Accept' => '*/*', 'Accept-Encoding' => 'identity'];
            if ($pieces->done > 0) {
                $headers['Range'] = "bytes={$pieces->done}-";
                if ($pieces->etag !== null && !str_starts_with($pieces->etag, 'W/')) {
                    $headers['If-Range'] = $pieces->etag;
                }
            }
            try {
                $answer = $this->session->attempt('GET', $file->url, $headers, null, false, $pieces);
            } catch (TransportException $e) {
                if ($pieces->done > $furthest) { // not where it always begins again
                    $furthest = $pieces->done;
                    $patience->progress();
                }
                if ($patience->afterBreak($e)) {
                    continue;
                }
                throw $e;
            }
            if ($answer->status === 206 && $pieces->done < $file->bytes && $pieces->done > $furthest) {
                $furthest = $pieces->done;
                continue; // a smaller part than was asked for
            }
            if ($answer->succeeded()) {
                return; // as long as the server wanted it to be
            }
            if ($answer->status === 416 && $pieces->done > 0) {
                $pieces->begin();
            } elseif (!$patience->afterAnswer($answer)) {
                throw $this->session->error($answer, "GET {$file->url}");
            }
        }
    }
}
