<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Internal\Credentials;
use Odp\Client\Internal\CurlTransport;
use Odp\Client\Internal\Json;
use Odp\Client\Internal\PsrTransport;
use Odp\Client\Internal\Session;
use Odp\Client\Internal\SocketTransport;
use Odp\Client\Internal\Transport;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Log\LoggerInterface;

/**
 * The open data portal. Every dataset is a property: `$client->kumuh`.
 *
 *     $client = new Client();                     // the key is in the environment: ODP_KEY
 *     foreach ($client->kumuh->list(where: ['tingkat' => 'Berat'], sort: '-luas_ha') as $area) {
 *         echo $area->nama_kawasan, "\n";
 *     }
 */
final class Client extends Datasets
{
    public readonly Webhooks $webhooks;
    private readonly Session $session;

    /**
     * @param string|null $apiKey null: the environment's ODP_KEY, where there is one; '': none
     * @param string|null $baseUrl null: the environment's ODP_BASE_URL, else the site this package came from
     * @param float $timeout seconds for connecting, and for each wait on the wire
     * @param int $retries how often a question is asked again that got no proper answer
     * @param float $maxWait seconds that one request may wait for a quota to open
     * @param 'id'|'en'|null $language in which the portal says what is wrong; null: its own
     * @param ClientInterface|null $httpClient any PSR-18 client, with factories that its PSR-7 has; null: ext-curl, else PHP's streams
     * @param LoggerInterface|null $logger is told of requests (debug) and of waiting (warning)
     * @param \Closure(float): mixed|null $sleep waits so many seconds
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        ?string $baseUrl = null,
        float $timeout = 30.0,
        int $retries = 3,
        float $maxWait = 60.0,
        ?string $language = null,
        ?ClientInterface $httpClient = null,
        ?RequestFactoryInterface $requestFactory = null,
        ?StreamFactoryInterface $streamFactory = null,
        ?LoggerInterface $logger = null,
        ?\Closure $sleep = null,
    ) {
        if ($timeout <= 0 || $timeout > 86400 || $retries < 0 || $maxWait < 0) {
            throw new \InvalidArgumentException('timeout is more than 0, retries and maxWait are not negative');
        }
        if (!in_array($language, [null, 'id', 'en'], true)) {
            throw new \InvalidArgumentException("language is 'id' or 'en', not '$language'");
        }
        $this->session = new Session(
            $baseUrl ?? self::environment('ODP_BASE_URL') ?? About::BASE_URL,
            new Credentials($apiKey ?? self::environment('ODP_KEY')),
            self::transport($httpClient, $requestFactory, $streamFactory),
            $timeout,
            $retries,
            $maxWait,
            $language,
            $sleep ?? static fn (float $seconds) => usleep((int) round($seconds * 1e6)),
            $logger,
        );
        $this->webhooks = new Webhooks($this->session);
        parent::__construct($this->session);
    }

    /**
     * A dataset by its slug, also one that is newer than this package.
     *
     * @return Dataset<Record, Record>
     */
    public function dataset(string $slug): Dataset
    {
        return Dataset::of($this->session, $slug);
    }

    /**
     * What datasets there are. Needs no key.
     *
     * @return list<CatalogEntry>
     */
    public function catalog(): array
    {
        $url = $this->session->url('v1/index.json');
        $entries = Json::data($this->session->ask($url, null, false), "The answer to GET $url");
        return array_map(static fn (array $entry): CatalogEntry => new CatalogEntry($entry), $entries);
    }

    /** A key, free and at once; this client goes on with it. Keep it: it is shown this once. */
    public function register(string $name, string $email, ?string $organisation = null, ?string $purpose = null): IssuedKey
    {
        $body = ['name' => $name, 'email' => $email, 'organisation' => $organisation, 'purpose' => $purpose];
        return $this->issued('auth/register', array_filter($body, static fn (?string $v): bool => $v !== null), false);
    }

    /** A new key instead of this one, which works for $graceHours more; this client goes on with the new one. */
    public function rotate(?int $graceHours = null): IssuedKey
    {
        return $this->issued('auth/rotate', $graceHours === null ? [] : ['grace_hours' => $graceHours], true);
    }

    /** What the key may, and what it has used. */
    public function usage(): Usage
    {
        return new Usage(Json::one($this->session->ask($this->session->url('auth/key')), 'The answer about the key'));
    }

    /** Closes its connections. Nothing can be asked afterwards. */
    public function close(): void
    {
        $this->session->close();
    }

    /** Called for what is no dataset of this package. */
    public function __get(string $name): never
    {
        $properties = (new \ReflectionClass(Datasets::class))->getProperties(\ReflectionProperty::IS_PUBLIC);
        $known = array_map(static fn (\ReflectionProperty $p): string => $p->name, $properties);
        usort($known, static fn (string $a, string $b): int => levenshtein($a, $name) <=> levenshtein($b, $name));
        $near = $known !== [] && levenshtein($known[0], $name) <= 3 ? " Did you mean \$client->{$known[0]}?" : '';
        throw new \LogicException("This package knows no dataset \"$name\".$near One that is newer is \$client->dataset('its-slug')");
    }

    /** @return array<string, mixed> the key is not shown */
    public function __debugInfo(): array
    {
        return $this->session->__debugInfo() + ['release' => About::RELEASE];
    }

    /** @return never */
    public function __serialize(): array
    {
        throw new \LogicException('A client has a key and connections; it is not serialized');
    }

    /** @param array<string, mixed> $body */
    private function issued(string $path, array $body, bool $key): IssuedKey
    {
        $url = $this->session->url($path);
        $issued = new IssuedKey(Json::one($this->session->order('POST', $url, $body, $key), "The answer to POST $url"));
        $this->session->credentials->set($issued->key());
        return $issued;
    }

    private static function environment(string $name): ?string
    {
        foreach ([getenv($name), $_SERVER[$name] ?? null, $_ENV[$name] ?? null] as $value) {
            if (is_string($value) && trim($value) !== '') {
                return trim($value);
            }
        }
        return null;
    }

    private static function transport(?ClientInterface $client, ?RequestFactoryInterface $requests, ?StreamFactoryInterface $streams): Transport
    {
        if ($client === null) {
            return extension_loaded('curl') ? new CurlTransport() : new SocketTransport();
        }
        $requests ??= $client instanceof RequestFactoryInterface ? $client : null;
        $streams ??= $client instanceof StreamFactoryInterface ? $client : ($requests instanceof StreamFactoryInterface ? $requests : null);
        if ($requests === null || $streams === null) {
            throw new \InvalidArgumentException('httpClient needs a requestFactory and a streamFactory (PSR-17)');
        }
        return new PsrTransport($client, $requests, $streams);
    }
}
