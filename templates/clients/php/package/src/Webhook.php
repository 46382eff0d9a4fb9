<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Exception\SignatureException;

/** Messages that the portal sends (Standard Webhooks 1.0.0). No client and no key are needed to verify one. */
final class Webhook
{
    /** Seconds that a message's time may be off. */
    public const TOLERANCE = 300;

    private function __construct()
    {
    }

    /**
     * The message, if it is the portal's and of now; SignatureException otherwise.
     *
     *     $message = Webhook::verify(file_get_contents('php://input'), getallheaders(), $secret);
     *
     * @param string $payload the body, as the bytes that came: parsed and written again it is another text
     * @param array<string, mixed> $headers of any usual kind: getallheaders(), $_SERVER, getHeaders() of a PSR-7 request
     * @param string|list<string> $secret "whsec_…"; several while it is being replaced
     * @param int|null $now the time in seconds; null: the clock's
     * @return array<string, mixed> type, timestamp, data
     */
    public static function verify(string $payload, array $headers, #[\SensitiveParameter] string|array $secret, ?int $now = null): array
    {
        $keys = self::keys($secret);
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signatures = self::header($headers, 'webhook-signature');
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
            throw new SignatureException('webhook-timestamp is no time');
        }
        if (abs(($now ?? time()) - (int) $timestamp) > self::TOLERANCE) {
            throw new SignatureException('The message is not of now (webhook-timestamp)');
        }
        $right = false;
        foreach ($keys as $key) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$payload", $key, true));
            foreach (explode(' ', $signatures) as $given) {
                $right = hash_equals($expected, $given) || $right;
            }
        }
        if (!$right) {
            throw new SignatureException('webhook-signature has no signature that is right');
        }
        try {
            $message = json_decode($payload, true, 100, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
        } catch (\JsonException $e) {
            throw new SignatureException('The message is signed, but no JSON', 0, $e);
        }
        if (!is_array($message)) {
            throw new SignatureException('The message is signed, but no object');
        }
        return $message;
    }

    /**
     * @param string|array<mixed> $secret
     * @return list<string>
     */
    private static function keys(#[\SensitiveParameter] string|array $secret): array
    {
        $keys = [];
        foreach ((array) $secret as $one) {
            $text = is_string($one) ? preg_replace('/^whsec_/', '', trim($one)) : null;
            $key = $text === null || preg_match('~^[A-Za-z0-9+/]+={0,2}$~D', $text) !== 1 ? false : base64_decode($text, true);
            if ($key === false || $key === '') {
                throw new \InvalidArgumentException('A secret is "whsec_" and base64');
            }
            $keys[] = $key;
        }
        return $keys !== [] ? $keys : throw new \InvalidArgumentException('There is no secret to verify with');
    }

    /** @param array<string, mixed> $headers */
    private static function header(array $headers, string $name): string
    {
        $found = null;
        foreach ($headers as $key => $value) {
            $key = strtr(strtolower((string) $key), '_', '-');
            if ($key === $name || $key === "http-$name") {
                $values = array_filter((array) $value, is_string(...));
                if ($found !== null || $values === [] || ($name !== 'webhook-signature' && count($values) !== 1)) {
                    throw new SignatureException("The header $name is there more than once, or is no text");
                }
                $found = trim(implode(' ', $values));
            }
        }
        return $found ?? throw new SignatureException("The header $name is missing");
    }
}
