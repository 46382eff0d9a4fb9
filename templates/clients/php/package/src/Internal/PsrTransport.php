<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\Exception\TransportException;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;

/**
 * HTTP by a PSR-18 client of the program's own. Its timeouts are its own affair.
 *
 * @internal
 */
final class PsrTransport implements Transport
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(Request $request, Receiver $receiver): void
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->lines() as $line) {
            [$name, $value] = explode(': ', $line, 2);
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streams->createStream($request->body));
        }
        try {
            $answer = $this->client->sendRequest($message);
        } catch (ClientExceptionInterface $e) {
            throw new TransportException($e->getMessage() . " ($request)", true, false, $e);
        }
        $headers = array_change_key_case($answer->getHeaders());
        $receiver->head($answer->getStatusCode(), array_map(array_values(...), $headers));
        $body = $answer->getBody();
        $length = $answer->getHeader('Content-Length')[0] ?? null;
        $came = 0;
        try {
            while (($bytes = self::read($body, $request)) !== null) {
                $came += strlen($bytes);
                $receiver->body($bytes);
            }
        } finally {
            $body->close();
        }
        if ($length !== null && $came < (int) $length) {
            throw new TransportException("The answer ended early ($request)");
        }
    }

    private static function read(StreamInterface $body, Request $request): ?string
    {
        try {
            return $body->eof() ? null : $body->read(65536);
        } catch (\RuntimeException $e) {
            throw new TransportException($e->getMessage() . " ($request)", true, false, $e);
        }
    }

    public function close(): void
    {
    }
}
