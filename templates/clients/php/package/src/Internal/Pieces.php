<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\IntegrityException;
use Odp\Client\Exception\ProtocolException;

/**
 * Writes a file as it comes, from where it ended before, hashing what is written.
 *
 * @internal
 */
final class Pieces implements Receiver
{
    public int $done = 0;
    public int $transferred = 0;
    /** Some of it came another time. */
    public bool $resumed = false;
    public ?string $etag = null;
    private \HashContext $hash;
    /** @var resource */
    private $file;
    private bool $own = false;

    /** @param \Closure(int, int): mixed|null $progress */
    public function __construct(private string $path, private readonly int $total, private readonly ?\Closure $progress)
    {
        $this->file = $this->open($path);
        $this->hash = hash_init('sha256');
        $size = (int) (fstat($this->file)['size'] ?? 0);
        if ($size > $total) {
            $this->begin();
        } elseif ($size > 0) {
            $this->done = hash_update_stream($this->hash, $this->file);
            $this->resumed = true;
        }
    }

    /**
     * The file at PATH itself, nobody else's: not what a link there leads to, not what has just got another name.
     *
     * @return resource
     */
    private function open(string $path)
    {
        for ($tries = 0; $tries < 10; $tries++) {
            if (is_link($path)) {
                unlink($path);
            }
            $file = @fopen($path, 'c+b');
            if ($file === false) {
                break;
            }
            if (!flock($file, LOCK_EX | LOCK_NB)) {
                fclose($file); // somebody else is at work on it: then under a name of our own, which nobody goes on with
                $this->own = true;
                $this->path = substr($path, 0, -4) . getmypid() . '-' . bin2hex(random_bytes(4)) . '.part';
                return $this->open($this->path);
            }
            clearstatcache(true, $path);
            $there = @lstat($path);
            $here = fstat($file);
            if ($there !== false && $here !== false && [$there['dev'], $there['ino']] === [$here['dev'], $here['ino']]) {
                return $file;
            }
            fclose($file);
        }
        throw new \RuntimeException("$path cannot be written");
    }

    /** From the start again. */
    public function begin(): void
    {
        if (!ftruncate($this->file, 0) || !rewind($this->file)) {
            throw new \RuntimeException("{$this->path} cannot be written");
        }
        $this->hash = hash_init('sha256');
        $this->done = 0;
        $this->resumed = false;
    }

    public function head(int $status, array $headers): void
    {
        $encoding = strtolower($headers['content-encoding'][0] ?? 'identity');
        if ($encoding !== 'identity') {
            throw new ProtocolException("A file came encoded as \"$encoding\"");
        }
        $from = 0;
        if ($status === 206) {
            if (preg_match('~^bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15}|\*)$~iD', $headers['content-range'][0] ?? '', $m) !== 1) {
                throw new ProtocolException('A part of a file came without saying which');
            }
            $from = (int) $m[1];
        }
        if ($from !== $this->done && $from !== 0) {
            throw new ProtocolException("A part of a file came from byte $from, not {$this->done}");
        }
        if ($from === 0 && $this->done > 0) {
            $this->begin();
        } elseif ($from > 0) {
            $this->resumed = true;
        }
        $this->etag = $headers['etag'][0] ?? $this->etag;
    }

    public function body(string $bytes): void
    {
        $n = strlen($bytes);
        $this->transferred += $n;
        if ($this->done + $n > $this->total) {
            $this->done += $n;
            throw new IntegrityException("{$this->path}: more bytes than there should be", $this->total, $this->done);
        }
        if (@fwrite($this->file, $bytes) !== $n) {
            throw new \RuntimeException("{$this->path} cannot be written: is the disk full?");
        }
        hash_update($this->hash, $bytes);
        $this->done += $n;
        if ($this->progress !== null) {
            ($this->progress)($this->done, $this->total);
        }
    }

    /** The SHA-256 of what is there. */
    public function digest(): string
    {
        return hash_final(hash_copy($this->hash));
    }

    /** Gives it its name. */
    public function keepAs(string $path): void
    {
        if ($this->transferred === 0 && $this->progress !== null) { // all of it was there
            ($this->progress)($this->done, $this->total);
        }
        if (!fflush($this->file) || !fsync($this->file)) {
            throw new \RuntimeException("{$this->path} cannot be written");
        }
        fclose($this->file);
        if (!@rename($this->path, $path)) {
            throw new \RuntimeException("$path cannot be written");
        }
    }

    public function remove(): void
    {
        $this->close();
        @unlink($this->path);
    }

    public function close(): void
    {
        if (is_resource($this->file)) {
            fclose($this->file);
            if ($this->done === 0 || $this->own) {
                @unlink($this->path); // nothing to go on with
            }
        }
    }
}
