<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

use Odp\Client\About;
use Odp\Client\Exception\ApiException;
use Odp\Client\Exception\AuthenticationException;
use Odp\Client\Exception\BadRequestException;
use Odp\Client\Exception\ConflictException;
use Odp\Client\Exception\CursorExpiredException;
use Odp\Client\Exception\GoneException;
use Odp\Client\Exception\NotFoundException;
use Odp\Client\Exception\PermissionDeniedException;
use Odp\Client\Exception\ProtocolException;
use Odp\Client\Exception\QuotaExceededException;
use Odp\Client\Exception\ServerException;
use Odp\Client\Exception\TransportException;
use Psr\Log\LoggerInterface;

/**
 * What all parts of a client share: the site, the key, how to ask and how to wait.
 *
 * @internal
 */
final class Session
{
    private const REDIRECTS = 5;

    public readonly string $base;
    private readonly string $origin;
    private readonly \Closure $wait;
    private bool $closed = false;

    /** @param \Closure(float): void $sleep */
    public function __construct(
        string $base,
        public readonly Credentials $credentials,
        private readonly Transport $transport,
        private readonly float $timeout,
        private readonly int $retries,
        private readonly float $maxWait,
        private readonly ?string $language,
        \Closure $sleep,
        private readonly ?LoggerInterface $logger,
    ) {
        $this->base = Url::base($base);
        $this->origin = Url::origin($this->base);
        $this->wait = static function (float $seconds, string $why) use ($sleep, $logger): void {
            $logger?->warning(sprintf('odp: %s; trying again in %.1f s', $why, $seconds));
            $sleep($seconds);
        };
    }

    public function close(): void
    {
        $this->closed = true;
        $this->transport->close();
    }

    public function url(string $path): string
    {
        return $this->base . $path;
    }

    public function isOwn(string $url): bool
    {
        return Url::origin($url) === $this->origin;
    }

    /**
     * A question: may be asked as often as need be.
     *
     * @param array<string, mixed>|null $body asked by POST
     * @param int|null $exact see Json::decode()
     * @return array<mixed>
     */
    public function ask(string $url, ?array $body = null, bool $key = true, ?int $exact = null): array
    {
        return $this->call($body === null ? 'GET' : 'POST', $url, $body, $key, true, $exact);
    }

    /**
     * An order: given once.
     *
     * @param array<string, mixed>|null $body
     * @return array<mixed> [] where the answer has no body
     */
    public function order(string $method, string $url, ?array $body = null, bool $key = true): array
    {
        return $this->call($method, $url, $body, $key, false);
    }

    public function patience(bool $safe): Patience
    {
        return new Patience($safe, $this->retries, $this->maxWait, $this->wait);
    }

    /**
     * One try, redirects followed. The body of a success goes INTO where that is given.
     *
     * @param array<string, string> $headers
     */
    public function attempt(string $method, string $url, array $headers, ?string $body, bool $key, ?Receiver $into = null): Answer
    {
        if ($this->closed) {
            throw new \LogicException('This client was closed');
        }
        $headers += ['Accept' => 'application/json', 'Accept-Encoding' => $this->encoding(), 'User-Agent' => self::agent()];
        $headers += $this->language !== null ? ['Accept-Language' => $this->language] : [];
        for ($hop = 0; $hop <= self::REDIRECTS; $hop++) {
            $request = new Request($method, $url, $headers, $body, $this->timeout, $key && $this->isOwn($url) ? $this->credentials : null);
            $answer = new Answer($into);
            $began = microtime(true);
            try {
                $this->transport->send($request, $answer);
                $answer->finish();
            } catch (Enough) {
                // the status says what it is
            }
            $this->logger?->debug(sprintf('odp: %s: %d, %.0f ms', $request, $answer->status, (microtime(true) - $began) * 1000));
            if ($answer->status < 300 || $answer->status >= 400) {
                return $answer;
            }
            $to = Url::resolve($url, $answer->header('location') ?? '');
            if ($method !== 'GET' || !in_array($answer->status, [301, 302, 303, 307, 308], true) || $answer->header('location') === null) {
                throw new ProtocolException("The portal answered {$answer->status} to $request");
            }
            if (Url::origin($to) === '' || (str_starts_with($this->origin, 'https:') && str_starts_with(Url::origin($to), 'http:'))) {
                throw new ProtocolException("$request leads to an address that is not followed");
            }
            $url = $to;
        }
        throw new ProtocolException("$method $url: more than " . self::REDIRECTS . ' redirects');
    }

    /** What an answer that is no success is thrown as. */
    public function error(Answer $answer, string $request): ApiException
    {
        try {
            $problem = Json::decode($answer->text, 'The answer');
        } catch (ProtocolException) {
            $problem = [];
        }
        $status = $answer->status;
        if ($status === 429) {
            $reset = is_numeric($problem['reset'] ?? null) ? (float) $problem['reset'] : null;
            return (new QuotaExceededException($status, $problem, $request))->opens(Patience::retryAfter($answer) ?? $reset, microtime(true));
        }
        $kind = match (true) {
            $status === 401 => AuthenticationException::class,
            $status === 403 => PermissionDeniedException::class,
            $status === 404 => NotFoundException::class,
            $status === 409 => ConflictException::class,
            $status === 410 => ($problem['code'] ?? null) === 'cursor-expired' ? CursorExpiredException::class : GoneException::class,
            $status >= 500 => ServerException::class,
            $status >= 400 => BadRequestException::class,
            default => throw new ProtocolException("The portal answered $status to $request"),
        };
        return new $kind($status, $problem, $request);
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new \LogicException('What has a key and connections is not serialized');
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['base' => $this->base, 'key' => $this->credentials->any() ? '***' : null];
    }

    /**
     * @param array<string, mixed>|null $body
     * @return array<mixed>
     */
    private function call(string $method, string $url, ?array $body, bool $key, bool $safe, ?int $exact = null): array
    {
        $text = $body === null ? null : Json::encode((object) $body);
        $headers = $text === null ? [] : ['Content-Type' => 'application/json'];
        $patience = $this->patience($safe);
        while (true) {
            try {
                $answer = $this->attempt($method, $url, $headers, $text, $key);
                if ($answer->succeeded() && !$answer->delimited() && $answer->isUnfinished()) {
                    throw new TransportException("The answer ended early ($method $url)");
                }
            } catch (TransportException $e) {
                if ($patience->afterBreak($e)) {
                    continue;
                }
                throw $e;
            }
            if ($answer->succeeded()) {
                return $answer->text === '' && !$safe ? [] : Json::decode($answer->text, "The answer to $method $url", $exact);
            }
            if (!$patience->afterAnswer($answer)) {
                throw $this->error($answer, "$method $url");
            }
        }
    }

    private function encoding(): string
    {
        return extension_loaded('zlib') && !$this->transport instanceof PsrTransport ? 'gzip' : 'identity';
    }

    private static function agent(): string
    {
        return str_replace('/', '-', About::PACKAGE) . '/' . About::RELEASE . ' php/' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.' . PHP_RELEASE_VERSION;
    }
}
