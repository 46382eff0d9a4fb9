<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\ProtocolException;
use Odp\Client\Exception\RequestTimeoutException;
use Odp\Client\Exception\TransportException;

/**
 * HTTP/1.1 (RFC 9112) by PHP's own streams, for where ext-curl is not. One connection a request.
 *
 * PHP's http:// wrapper would not do: it does not tell an answer that was cut off from one that is whole, nor a connection
 * that was never made from one that broke.
 *
 * @internal
 */
final class SocketTransport implements Transport
{
    private const HEAD = 65536; // bytes that the head of an answer may have

    public function send(Request $request, Receiver $receiver): void
    {
        $socket = self::connect($request);
        try {
            stream_set_timeout($socket, (int) $request->timeout, (int) (fmod($request->timeout, 1) * 1e6));
            self::write($socket, $request, self::head($request) . ($request->body ?? ''));
            do {
                [$status, $headers] = self::readHead($socket, $request);
            } while ($status < 200);
            $receiver->head($status, $headers);
            if ($status !== 204 && $status !== 304) {
                self::readBody($socket, $request, $headers, $receiver);
            }
        } finally {
            fclose($socket);
        }
    }

    public function close(): void
    {
    }

    /** @return resource */
    private static function connect(Request $request)
    {
        $parts = parse_url($request->url);
        if ($parts === false || !isset($parts['host'], $parts['scheme'])) {
            throw new ProtocolException("No address of http: $request");
        }
        $host = $parts['host'];
        $secure = strtolower($parts['scheme']) === 'https';
        $at = $host . ':' . ($parts['port'] ?? ($secure ? 443 : 80));
        $proxy = self::proxy($secure, trim($host, '[]'));
        $tls = ['ssl' => ['peer_name' => trim($host, '[]'), 'SNI_enabled' => true, 'verify_peer' => true, 'verify_peer_name' => true]];
        if ($secure && !extension_loaded('openssl')) {
            throw new TransportException('https needs ext-curl or ext-openssl', false, true);
        }
        $warning = null;
        set_error_handler(static function (int $_, string $message) use (&$warning): bool {
            $warning ??= preg_replace(['/^\w+\(\): /', '/\s+/'], ['', ' '], $message);
            return true;
        });
        try {
            $socket = stream_socket_client(
                ($secure && $proxy === null ? 'ssl://' : 'tcp://') . ($proxy === null ? $at : $proxy['at']),
                $number,
                $why,
                $request->timeout,
                STREAM_CLIENT_CONNECT,
                stream_context_create($tls),
            );
            if ($socket === false) {
                $certificate = $warning !== null && str_contains($warning, 'certificate');
                $message = "No connection to $at: " . ($certificate || $why === '' ? $warning : $why);
                throw str_contains((string) $why, 'timed out')
                    ? new RequestTimeoutException($message, false) : new TransportException($message, false, $certificate);
            }
            if ($secure && $proxy !== null) {
                self::tunnel($socket, $request, $at, $proxy['lines']);
                if (stream_socket_enable_crypto($socket, true, STREAM_CRYPTO_METHOD_TLS_CLIENT) !== true) {
                    $certificate = $warning !== null && str_contains($warning, 'certificate');
                    throw new TransportException("No connection to $at: " . ($warning ?? 'TLS failed'), false, $certificate);
                }
            }
        } finally {
            restore_error_handler();
        }
        return $socket;
    }

    /** @return array{at: string, lines: list<string>}|null the proxy that the environment names for HOST */
    private static function proxy(bool $secure, string $host): ?array
    {
        $names = $secure ? ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] : ['http_proxy', 'all_proxy', 'ALL_PROXY'];
        $found = array_filter(array_map(static fn (string $name): string => (string) getenv($name), $names));
        if ($found === []) {
            return null;
        }
        foreach (preg_split('/[\s,]+/', (string) (getenv('no_proxy') ?: getenv('NO_PROXY'))) ?: [] as $not) {
            $not = ltrim($not, '.');
            if ($not === '*' || ($not !== '' && (strcasecmp($host, $not) === 0 || str_ends_with(strtolower($host), '.' . strtolower($not))))) {
                return null;
            }
        }
        $url = reset($found);
        $parts = parse_url(str_contains($url, '://') ? $url : "http://$url");
        if ($parts === false || !isset($parts['host']) || strtolower($parts['scheme'] ?? '') !== 'http') {
            throw new TransportException('Without ext-curl a proxy is an http:// one', false, true);
        }
        $lines = isset($parts['user'])
            ? ['Proxy-Authorization: Basic ' . base64_encode(rawurldecode($parts['user']) . ':' . rawurldecode($parts['pass'] ?? ''))] : [];
        return ['at' => $parts['host'] . ':' . ($parts['port'] ?? 1080), 'lines' => $lines];
    }

    /**
     * @param resource $socket
     * @param list<string> $lines
     */
    private static function tunnel($socket, Request $request, string $at, array $lines): void
    {
        stream_set_timeout($socket, (int) $request->timeout, (int) (fmod($request->timeout, 1) * 1e6));
        try {
            self::write($socket, $request, implode("\r\n", ["CONNECT $at HTTP/1.1", "Host: $at", ...$lines]) . "\r\n\r\n");
            [$status] = self::readHead($socket, $request);
        } catch (RequestTimeoutException $e) {
            throw new RequestTimeoutException($e->getMessage(), false);
        } catch (TransportException $e) {
            throw new TransportException($e->getMessage(), false);
        }
        if ($status !== 200) {
            throw new TransportException("The proxy answered $status ($request)", false);
        }
    }

    private static function head(Request $request): string
    {
        $parts = parse_url($request->url) ?: [];
        $secure = strtolower($parts['scheme'] ?? '') === 'https';
        $target = ($parts['path'] ?? '/') . (isset($parts['query']) ? '?' . $parts['query'] : '');
        $lines = [];
        if (!$secure && ($proxy = self::proxy(false, trim($parts['host'] ?? '', '[]'))) !== null) {
            $target = explode('#', $request->url)[0];
            $lines = $proxy['lines'];
        }
        $host = ($parts['host'] ?? '') . (isset($parts['port']) ? ':' . $parts['port'] : '');
        $lines = ["{$request->method} $target HTTP/1.1", "Host: $host", ...$lines, ...$request->lines(), 'Connection: close'];
        if ($request->body !== null || $request->method === 'POST') {
            $lines[] = 'Content-Length: ' . strlen($request->body ?? '');
        }
        foreach ($lines as $line) {
            if (preg_match('/[\x00-\x1f\x7f]/', $line) === 1) {
                throw new ProtocolException('A control character in a request');
            }
        }
        return implode("\r\n", $lines) . "\r\n\r\n";
    }

    /** @param resource $socket */
    private static function write($socket, Request $request, string $bytes): void
    {
        while ($bytes !== '') {
            $n = @fwrite($socket, $bytes);
            if ($n === false || $n === 0) {
                self::broken($socket, $request);
            }
            $bytes = substr($bytes, $n);
        }
    }

    /**
     * @param resource $socket
     * @return array{int, array<string, list<string>>}
     */
    private static function readHead($socket, Request $request): array
    {
        $line = self::line($socket, $request, self::HEAD);
        if (preg_match('~^HTTP/1\.[01] ([0-9]{3})~', $line, $m) !== 1) {
            throw new ProtocolException("The answer is no HTTP ($request)");
        }
        $headers = [];
        $left = self::HEAD;
        while (($line = self::line($socket, $request, $left)) !== '') {
            $left -= strlen($line);
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower(trim($name))][] = trim($value);
        }
        return [(int) $m[1], $headers];
    }

    /** @param resource $socket */
    private static function line($socket, Request $request, int $most): string
    {
        $line = '';
        while (!str_ends_with($line, "\n")) {
            $more = @fgets($socket, 8192);
            if ($more === false || $more === '') {
                self::broken($socket, $request);
            }
            $line .= $more;
            if (strlen($line) > $most) {
                throw new ProtocolException("The head of the answer is too long ($request)");
            }
        }
        return rtrim($line, "\r\n");
    }

    /**
     * @param resource $socket
     * @param array<string, list<string>> $headers
     */
    private static function readBody($socket, Request $request, array $headers, Receiver $receiver): void
    {
        if (str_contains(strtolower(implode(',', $headers['transfer-encoding'] ?? [])), 'chunked')) {
            while (true) {
                $size = trim(explode(';', self::line($socket, $request, 8192))[0]);
                if (preg_match('/^[0-9a-f]{1,15}$/iD', $size) !== 1) {
                    throw new ProtocolException("A chunk of the answer has no size ($request)");
                }
                if ((int) hexdec($size) === 0) {
                    while (self::line($socket, $request, self::HEAD) !== '') {
                        continue; // trailers
                    }
                    return;
                }
                self::read($socket, $request, (int) hexdec($size), $receiver);
                self::line($socket, $request, 2);
            }
        }
        $length = $headers['content-length'][0] ?? null;
        if ($length !== null && preg_match('/^[0-9]{1,18}$/D', $length) !== 1) {
            throw new ProtocolException("The answer has no proper length ($request)");
        }
        self::read($socket, $request, $length === null ? null : (int) $length, $receiver);
    }

    /**
     * Reads N bytes; null: until the end.
     *
     * @param resource $socket
     */
    private static function read($socket, Request $request, ?int $n, Receiver $receiver): void
    {
        while ($n === null || $n > 0) {
            $bytes = @fread($socket, $n === null ? 65536 : min($n, 65536));
            if ($bytes === false || $bytes === '') {
                if ($n === null && $bytes === '' && feof($socket) && !stream_get_meta_data($socket)['timed_out']) {
                    return;
                }
                self::broken($socket, $request);
            }
            $n = $n === null ? null : $n - strlen($bytes);
            $receiver->body($bytes);
        }
    }

    /**
     * @param resource $socket
     * @return never
     */
    private static function broken($socket, Request $request): void
    {
        throw stream_get_meta_data($socket)['timed_out']
            ? new RequestTimeoutException("Nothing came for {$request->timeout} s ($request)")
            : new TransportException("The connection broke ($request)");
    }
}
