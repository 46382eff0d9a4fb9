<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\RequestTimeoutException;
use Odp\Client\Exception\TransportException;

/**
 * HTTP by ext-curl. Connections are kept; proxies of the environment are curl's own affair.
 *
 * @internal
 */
final class CurlTransport implements Transport
{
    private const CERTIFICATE = [51, 58, 59, 60, 66, 77, 82, 83, 90, 91]; // CURLE_… of certificates and their files

    private ?\CurlMultiHandle $multi = null;
    private bool $busy = false;

    public function send(Request $request, Receiver $receiver): void
    {
        if ($this->busy) { // asked from inside of a progress callback
            (new self())->send($request, $receiver);
            return;
        }
        $failure = null;
        $last = microtime(true);
        $curl = self::handle($request, $receiver, $failure, $last);
        $multi = $this->multi ??= curl_multi_init();
        curl_multi_add_handle($multi, $curl);
        $this->busy = true;
        try {
            $code = $this->run($multi, $curl, $request, $failure, $last);
        } finally {
            $this->busy = false;
            curl_multi_remove_handle($multi, $curl);
        }
        if ($failure !== null) {
            throw $failure;
        }
        if ($code !== CURLE_OK) {
            throw self::failed($code, $curl, $request);
        }
    }

    public function close(): void
    {
        if (!$this->busy) {
            $this->multi = null;
        }
    }

    /** Until it is done; the code with which it ended. */
    private function run(\CurlMultiHandle $multi, \CurlHandle $curl, Request $request, ?\Throwable &$failure, float &$last): int
    {
        $sent = 0;
        while (true) {
            $state = curl_multi_exec($multi, $running);
            if ($state !== CURLM_OK) {
                throw new TransportException('curl: ' . curl_multi_strerror($state));
            }
            while (($done = curl_multi_info_read($multi)) !== false) {
                if ($done['handle'] === $curl) {
                    return $done['result'];
                }
            }
            $now = microtime(true);
            $size = (int) curl_getinfo($curl, CURLINFO_REQUEST_SIZE);
            if ($size !== $sent) { // connected, the request is on its way
                [$sent, $last] = [$size, $now];
            }
            $left = $last + $request->timeout - $now;
            if ($left <= 0) {
                $failure = new RequestTimeoutException("Nothing came for {$request->timeout} s ($request)", $size > 0);
                return CURLE_OPERATION_TIMEDOUT;
            }
            if (curl_multi_select($multi, min($left, 1.0)) <= 0 && microtime(true) - $now < 0.001) {
                usleep(1000); // there is nothing to wait for yet
            }
        }
    }

    private static function handle(Request $request, Receiver $receiver, ?\Throwable &$failure, float &$last): \CurlHandle
    {
        $curl = curl_init();
        $status = 0;
        $headers = [];
        $guard = static function (\Closure $do) use (&$failure): bool {
            try {
                $do();
                return true;
            } catch (\Throwable $e) { // must not go through curl's own frames
                $failure = $e;
                return false;
            }
        };
        curl_setopt_array($curl, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => [...$request->lines(), 'Expect:'],
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_SUPPRESS_CONNECT_HEADERS => true,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_CONNECTTIMEOUT_MS => (int) max(1, $request->timeout * 1000),
            CURLOPT_FRESH_CONNECT => $request->method !== 'GET', // on a kept connection curl might send it twice
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$status, &$headers, &$last, $receiver, $guard): int {
                $last = microtime(true);
                $text = rtrim($line, "\r\n");
                if (preg_match('~^HTTP/[0-9.]+ ([0-9]{3})~', $text, $m) === 1) {
                    [$status, $headers] = [(int) $m[1], []];
                } elseif ($text === '') {
                    return $status < 200 || $guard(static fn () => $receiver->head($status, $headers)) ? strlen($line) : 0;
                } else {
                    [$name, $value] = explode(':', $text, 2) + [1 => ''];
                    $headers[strtolower(trim($name))][] = trim($value);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($_, string $bytes) use (&$last, $receiver, $guard): int {
                $last = microtime(true);
                return $guard(static fn () => $receiver->body($bytes)) ? strlen($bytes) : -1;
            },
        ]);
        if ($request->body !== null) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $request->body);
        }
        return $curl;
    }

    private static function failed(int $code, \CurlHandle $curl, Request $request): TransportException
    {
        $sent = (int) curl_getinfo($curl, CURLINFO_REQUEST_SIZE) > 0;
        $why = curl_error($curl) ?: (string) curl_strerror($code);
        return $code === CURLE_OPERATION_TIMEDOUT
            ? new RequestTimeoutException("$why ($request)", $sent)
            : new TransportException("$why ($request)", $sent, in_array($code, self::CERTIFICATE, true));
    }
}
