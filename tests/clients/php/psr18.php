<?php

/**
 * A PSR-18 client for tests, by PHP's http:// wrapper, with as much of the PSR's interfaces as the library calls. What ODP_PSR18 names is required by driver.php.
 */

declare(strict_types=1);

namespace Psr\Http\Message {
    interface StreamInterface
    {
        public function eof(): bool;
        public function read(int $length): string;
        public function close(): void;
    }
    interface RequestInterface
    {
        public function withHeader(string $name, $value): RequestInterface;
        public function withBody(StreamInterface $body): RequestInterface;
    }
    interface ResponseInterface
    {
        public function getStatusCode(): int;
        public function getHeaders(): array;
        public function getHeader(string $name): array;
        public function getBody(): StreamInterface;
    }
    interface RequestFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface;
    }
    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace Psr\Http\Client {
    interface ClientExceptionInterface extends \Throwable
    {
    }
    interface ClientInterface
    {
        public function sendRequest(\Psr\Http\Message\RequestInterface $request): \Psr\Http\Message\ResponseInterface;
    }
}

namespace {
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\StreamFactoryInterface;
    use Psr\Http\Message\StreamInterface;

    final class Text implements StreamInterface
    {
        public int $at = 0;

        public function __construct(public readonly string $text)
        {
        }

        public function eof(): bool
        {
            return $this->at >= strlen($this->text);
        }

        public function read(int $length): string
        {
            $piece = substr($this->text, $this->at, min($length, 1000));
            $this->at += strlen($piece);
            return $piece;
        }

        public function close(): void
        {
        }
    }

    final class Message implements RequestInterface, ResponseInterface
    {
        public array $headers = [];
        public ?StreamInterface $body = null;

        public function __construct(public readonly string $method, public readonly string $uri, public readonly int $status = 0)
        {
        }

        public function withHeader(string $name, $value): RequestInterface
        {
            $other = clone $this;
            $other->headers[$name] = [$value];
            return $other;
        }

        public function withBody(StreamInterface $body): RequestInterface
        {
            $other = clone $this;
            $other->body = $body;
            return $other;
        }

        public function getStatusCode(): int
        {
            return $this->status;
        }

        public function getHeaders(): array
        {
            return $this->headers;
        }

        public function getHeader(string $name): array
        {
            return array_change_key_case($this->headers)[strtolower($name)] ?? [];
        }

        public function getBody(): StreamInterface
        {
            return $this->body;
        }
    }

    final class Failed extends RuntimeException implements ClientExceptionInterface
    {
    }

    final class Wrapper implements ClientInterface, RequestFactoryInterface, StreamFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface
        {
            return new Message($method, $uri);
        }

        public function createStream(string $content = ''): StreamInterface
        {
            return new Text($content);
        }

        public function sendRequest(RequestInterface $request): ResponseInterface
        {
            $lines = array_map(static fn (string $name, array $values): string => "$name: {$values[0]}", array_keys($request->headers), $request->headers);
            $http = ['method' => $request->method, 'header' => $lines, 'content' => $request->body?->text ?? '', 'ignore_errors' => true, 'follow_location' => 0,
                'protocol_version' => '1.1', 'timeout' => 5];
            $answer = @fopen($request->uri, 'r', false, stream_context_create(['http' => $http]));
            if ($answer === false || preg_match('~^HTTP/\S+ (\d+)~', $http_response_header[0] ?? '', $m) !== 1) {
                throw new Failed(error_get_last()['message'] ?? 'no answer');
            }
            $response = new Message('', '', (int) $m[1]);
            foreach (array_slice($http_response_header, 1) as $line) {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $response->headers[$name][] = trim($value);
            }
            $length = $response->getHeader('Content-Length')[0] ?? null; // the wrapper itself waits for the connection's end
            $response->body = new Text((string) stream_get_contents($answer, $length === null ? null : (int) $length));
            return $response;
        }
    }

    return ['httpClient' => new Wrapper()];
}
