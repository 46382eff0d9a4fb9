<?php

/** Calls the PHP library as tests/clients/README.md says: JSON in, JSON out. */

declare(strict_types=1);

require getenv('ODP_AUTOLOAD') ?: __DIR__ . '/vendor/autoload.php';

/** One call: its result as it stands in JSON. */
final class Driver
{
    private ?string $last = null;

    public function __construct(private readonly object $client, private readonly string $folder, private readonly string $space)
    {
    }

    public function call(array $call): mixed
    {
        $id = ($call['id'] ?? null) === '@LAST@' ? $this->last : $call['id'] ?? null;
        return match ($call['do']) {
            'list', 'timeline' => $this->records($this->of($call)->{$call['do']}(...self::options($call)), $call),
            'search' => $this->records($this->of($call)->search(...self::options($call), ...isset($call['q']) ? ['q' => $call['q']] : []), $call),
            'pages' => array_map(
                static fn (object $page): array => ['count' => count($page), 'total' => $page->total, 'version' => $page->version],
                $this->taken($this->of($call)->pages(...self::options($call)), $call),
            ),
            'get' => self::plain($this->of($call)->get($id)),
            'versions' => array_map(static fn (object $one): string => $one->version, $this->of($call)->versions()),
            'changes' => $this->taken($this->of($call)->changes($call['from'] ?? null, $call['to'] ?? null), $call),
            'download' => $this->download($call),
            'sync' => $this->sync($call),
            'patch' => ['sha256' => ("{$this->space}\\Internal\\Delta")::apply($this->path($call['old']), $this->path($call['delta']), $this->path($call['new']))],
            'catalog' => array_map(static fn (object $one): string => $one->slug, $this->client->catalog()),
            'register' => self::masked($this->client->register(...array_intersect_key($call, array_flip(['name', 'email', 'organisation', 'purpose'])))),
            'rotate' => self::masked($this->client->rotate(...self::some($call, ['grace_hours' => 'graceHours']))),
            'usage' => $this->usage(),
            'webhook_create' => $this->subscription($this->client->webhooks->create(...array_intersect_key($call, array_flip(['url', 'events', 'datasets', 'filter', 'description'])))),
            'webhook_list' => $this->client->webhooks->list(),
            'webhook_get' => $this->client->webhooks->get($id),
            'webhook_delete' => $this->client->webhooks->delete($id),
            'webhook_confirm' => $this->client->webhooks->confirm($id, $call['challenge']),
            'webhook_test' => $this->client->webhooks->test($id),
            'webhook_rotate_secret' => $this->client->webhooks->rotateSecret($id, ...self::some($call, ['grace_hours' => 'graceHours'])),
            'verify' => $this->verify($call),
            'text' => $this->text(),
        };
    }

    private function of(array $call): object
    {
        $dataset = $this->client->dataset($call['dataset']);
        return isset($call['resource']) ? $dataset->resource($call['resource']) : $dataset;
    }

    private static function options(array $call): array
    {
        return self::some($call['options'] ?? [], ['where' => 'where', 'filter' => 'filter', 'q' => 'q', 'bbox' => 'bbox', 'datetime' => 'datetime', 'sort' => 'sort',
            'fields' => 'fields', 'page_size' => 'pageSize', 'skip_geometry' => 'skipGeometry', 'labels' => 'labels']);
    }

    private static function some(array $from, array $names): array
    {
        $found = [];
        foreach ($names as $name => $as) {
            if (array_key_exists($name, $from)) {
                $found[$as] = $from[$name];
            }
        }
        return $found;
    }

    private function taken(iterable $all, array $call): array
    {
        $found = [];
        if (($call['take'] ?? null) === 0) {
            return $found;
        }
        foreach ($all as $one) {
            $found[] = $one;
            if (count($found) === ($call['take'] ?? null)) {
                break;
            }
        }
        return $found;
    }

    private function records(iterable $records, array $call): array
    {
        if (!($call['digest'] ?? false)) {
            return array_map(self::plain(...), $this->taken($records, $call));
        }
        $lines = [];
        $keys = [];
        foreach ($records as $record) {
            $raw = $record->jsonSerialize();
            $lines[] = self::canonical($raw) . "\n";
            $keys[self::canonical(array_intersect_key($raw, array_flip($record::KEY ?: array_keys($raw))))] = true;
        }
        sort($lines, SORT_STRING);
        return ['count' => count($lines), 'distinct' => count($keys), 'sha256' => hash('sha256', implode('', $lines))];
    }

    /** Digits that are no number for PHP are one in JSON, where the column is one of numbers. */
    private static function plain(object $record): object
    {
        $raw = $record->jsonSerialize();
        foreach ((new ReflectionClassConstant($record, 'COLUMNS'))->getValue() as $name => [, $type]) {
            if (in_array($type, ['int', 'float'], true) && is_string($raw[$name] ?? null) && preg_match('/^-?[0-9]+$/D', $raw[$name]) === 1) {
                $raw[$name] = (float) $raw[$name];
            }
        }
        return (object) $raw;
    }

    private static function canonical(mixed $value): string
    {
        if (is_array($value) && array_is_list($value) && $value !== []) {
            return '[' . implode(',', array_map(self::canonical(...), $value)) . ']';
        }
        if (is_array($value) && $value === []) {
            return '[]';
        }
        if (is_array($value) || $value instanceof stdClass) {
            $value = (array) $value;
            ksort($value, SORT_STRING);
            $members = [];
            foreach ($value as $name => $one) {
                $members[] = self::canonical((string) $name) . ':' . self::canonical($one);
            }
            return '{' . implode(',', $members) . '}';
        }
        if (is_float($value) && $value == floor($value) && abs($value) < 2 ** 53) {
            return (string) (int) $value;
        }
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS);
    }

    private function download(array $call): array
    {
        $progress = [0, 0];
        $done = $this->of($call)->download(
            $call['format'],
            $this->path($call['path']),
            ...self::some($call, ['version' => 'version', 'resume' => 'resume']),
            ...['progress' => static function (int $done, int $total) use (&$progress): void {
                $progress = [$done, $total];
            }],
        );
        return ['version' => $done->version, 'bytes' => $done->bytes, 'sha256' => $done->sha256, 'transferred' => $done->transferred, 'progress' => $progress];
    }

    private function sync(array $call): array
    {
        $done = $this->of($call)->sync($this->path($call['path']), ...self::some($call, ['format' => 'format']));
        return ['version' => $done->version, 'action' => $done->action->value, 'transferred' => $done->transferred, 'sha256' => $done->sha256];
    }

    private function path(string $path): string
    {
        return $path[0] === '/' ? $path : "{$this->folder}/$path";
    }

    private static function masked(object $issued): array
    {
        $members = $issued->toArray();
        if (array_key_exists('key', $members)) {
            $members['key'] = preg_match('/^odp_live_[0-9A-Za-z]{36}$/D', (string) $members['key']) === 1;
        }
        return $members;
    }

    private function usage(): array
    {
        $usage = $this->client->usage();
        return self::masked($usage) + ['remaining' => $usage->remaining, 'days' => $usage->days];
    }

    private function subscription(object $made): object
    {
        $this->last = $made->id;
        return $made;
    }

    private function verify(array $call): mixed
    {
        $payload = isset($call['payload_base64']) ? (string) base64_decode($call['payload_base64'], true) : $call['payload'];
        return ("{$this->space}\\Webhook")::verify($payload, $call['headers'], $call['secret'], $call['now'] ?? null);
    }

    private function text(): string
    {
        $texts = [print_r($this->client, true), var_export($this->client, true), print_r((array) $this->client, true), print_r($this->client->webhooks, true)];
        ob_start();
        var_dump($this->client, $this->client->dataset('kumuh'));
        $texts[] = ob_get_clean();
        $texts[] = (string) json_encode($this->client);
        try {
            $texts[] = serialize($this->client);
        } catch (LogicException $e) {
            $texts[] = $e->getMessage();
        }
        return implode("\n", $texts);
    }
}

/** The kind of an error, by its class. */
function kind(Throwable $e, string $space): string
{
    for ($class = get_class($e); $class !== false; $class = get_parent_class($class)) {
        $kinds = ['BadRequest', 'Authentication', 'PermissionDenied', 'NotFound', 'Conflict', 'CursorExpired', 'Gone', 'QuotaExceeded', 'Server', 'RequestTimeout', 'Transport', 'Protocol',
            'Integrity', 'Signature'];
        foreach ($kinds as $kind) {
            if ($class === "$space\\Exception\\{$kind}Exception") {
                return $kind;
            }
        }
    }
    if ($e instanceof ("$space\\Internal\\DeltaException")) { // which sync() never lets out
        return 'Integrity';
    }
    return $e instanceof InvalidArgumentException || $e instanceof TypeError || $e instanceof ValueError ? 'Argument' : 'Other';
}

function failure(Throwable $e, string $space): array
{
    $kind = kind($e, $space);
    $error = ['kind' => $kind, 'message' => $kind === 'Other' ? get_class($e) . ': ' . $e->getMessage() . "\n" . $e->getTraceAsString() : $e->getMessage()];
    if (is_a($e, "$space\\Exception\\ApiException")) {
        $error += ['status' => $e->status, 'code' => $e->errorCode];
    }
    if ($kind === 'QuotaExceeded' && $e->reset() !== null) {
        $error['reset'] = true;
        $error['reset_time'] = $e->reset()->format(DATE_ATOM);
    }
    return ['error' => $error];
}

/** What the calls of one request came to, with a client of their own. */
function answer(array $told): array
{
    $space = trim($told['module'] ?? '', '\\') ?: 'Odp\\Client';
    $waits = [];
    $options = array_filter([
        'apiKey' => $told['client']['key'] ?? null,
        'timeout' => $told['client']['timeout'] ?? null,
        'retries' => $told['client']['retries'] ?? null,
        'maxWait' => $told['client']['max_wait'] ?? null,
        'language' => $told['client']['language'] ?? null,
        'sleep' => ($told['sleep'] ?? false) ? null : static function (float $seconds) use (&$waits): void {
            $waits[] = $seconds;
        },
    ], static fn (mixed $v): bool => $v !== null);
    static $psr18 = null; // a PSR-18 client, where a test wants one
    $psr18 ??= getenv('ODP_PSR18') ? require getenv('ODP_PSR18') : [];
    $options += $psr18;
    $outcomes = [];
    $driver = null;
    foreach ($told['calls'] as $call) {
        try {
            $driver ??= new Driver(new ("$space\\Client")(...$options, baseUrl: $told['base']), $told['folder'] ?? '.', $space);
            $outcomes[] = ['result' => $driver->call($call)];
        } catch (Throwable $e) {
            $outcomes[] = failure($e, $space);
        }
    }
    return ['outcomes' => $outcomes, 'waits' => $waits];
}

$told = json_decode((string) stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
echo json_encode(array_is_list($told) ? array_map(answer(...), $told) : answer($told), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
