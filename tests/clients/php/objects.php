<?php

/** objects.php FOLDER: what vectors cannot ask of the PHP library: records as PHP objects, and that nothing which PHP shows of a client has its key. Prints what is wrong. */

declare(strict_types=1);

use Odp\Client\Client;
use Odp\Client\Exception\OdpException;
use Odp\Client\Internal\Query;
use Odp\Client\Internal\Url;
use Odp\Client\Record;
use Odp\Client\Webhook;

spl_autoload_register(static function (string $class) use ($argv): void {
    $file = $argv[1] . '/src/' . strtr(substr($class, strlen('Odp\\Client\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Odp\\Client\\') && is_file($file)) {
        require $file;
    }
});
set_error_handler(static function (int $_, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, 1, $file, $line);
});

function is(mixed $found, mixed $want, string $what): void
{
    if ($found !== $want) {
        echo "$what: ", var_export($found, true), ', not ', var_export($want, true), "\n";
    }
}

function throws(string $class, Closure $do, string $what): void
{
    try {
        $do();
        echo "$what: no $class\n";
    } catch (Throwable $e) {
        is($e instanceof $class, true, "$what: " . get_class($e) . ': ' . $e->getMessage());
    }
}

$raw = ['id_kawasan' => '1', 'luas_ha' => 12, 'jumlah_penduduk' => '99999999999999999999', 'tanggal_sk' => '2024-02-30', 'newer' => ['a' => 1], 'skor' => null];
$record = new Odp\Client\Record\Kumuh($raw);
is($record->id_kawasan, '1', 'a text');
is($record->luas_ha, 12.0, 'a whole number in a column of decimals');
is($record['luas_ha'], 12, 'the same as it came');
is($record['jumlah_penduduk'], '99999999999999999999', 'a number beyond PHP\'s keeps its digits');
throws(LogicException::class, static fn () => $record->jumlah_penduduk, 'which is no int');
throws(LogicException::class, static fn () => $record->skor, 'null where the package knows none');
is($record['skor'], null, 'null by []');
throws(LogicException::class, static fn () => $record->tanggal_sk, 'a day that there is not');
is($record['tanggal_sk'], '2024-02-30', 'the same as it came');
is($record['newer'], ['a' => 1], 'a column that is newer');
is($record->newer, ['a' => 1], 'a column that is newer, as property');
throws(LogicException::class, static fn () => $record->tingkat, 'a column that was not asked for');
throws(LogicException::class, static fn () => $record['tingkat'], 'the same by []');
throws(LogicException::class, static fn () => $record->nothing, 'no such column');
is(isset($record['tingkat'], $record['id_kawasan']), false, 'isset of what was not asked for');
is([isset($record['skor']), isset($record->skor), isset($record->id_kawasan), isset($record->newer)], [true, false, true, true], 'isset');
throws(LogicException::class, static function () use ($record): void {
    $record['id_kawasan'] = '2';
}, 'writing by []');
throws(Error::class, static function () use ($record): void {
    $record->id_kawasan = '2';
}, 'writing a column');
throws(LogicException::class, static function () use ($record): void {
    $record->other = '2';
}, 'writing something else');
throws(LogicException::class, static function () use ($record): void {
    unset($record['id_kawasan']);
}, 'unset');
is(json_encode($record), json_encode($raw), 'as it came');
is(array_keys($record->toArray()), array_keys($raw), 'toArray');
is(array_keys(iterator_to_array($record)), array_keys($raw), 'foreach');
$day = new Odp\Client\Record\Kumuh(['tanggal_sk' => '2024-02-29']);
is($day->tanggal_sk?->format(DATE_ATOM), '2024-02-29T00:00:00+00:00', 'a day');
is($day['tanggal_sk'] instanceof DateTimeImmutable && $day->toArray()['tanggal_sk'] instanceof DateTimeImmutable, true, 'a day by [] and toArray');
is(json_encode($day), '{"tanggal_sk":"2024-02-29"}', 'a day as it came');
is(unserialize(serialize($day)) == $day, true, 'a record goes into a cache and comes back');
is((new Record(['a' => 1]))->a, 1, 'a record of no known dataset');

$key = 'odp_live_0123456789abcdefghijABCDEFGHIJ012345';
$client = new Client(apiKey: $key, baseUrl: 'http://127.0.0.1:9/v1/', retries: 0, sleep: static fn () => null);
ob_start();
var_dump($client, $client->kumuh, $client->webhooks, (array) $client, (array) $client->webhooks);
print_r($client);
var_export($client->kumuh);
debug_zval_dump($client->webhooks);
$shown = ob_get_clean() . json_encode($client) . var_export($client, true);
foreach (['usage' => [], 'rotate' => [1], 'catalog' => []] as $do => $arguments) {
    try {
        $client->$do(...$arguments);
    } catch (OdpException $e) {
        $shown .= $e . print_r($e->getTrace(), true);
    }
}
is(str_contains($shown, substr($key, 9, 12)), false, 'the key is shown');
throws(LogicException::class, static fn () => serialize($client), 'a client is not serialized');
throws(LogicException::class, static fn () => serialize($client->kumuh), 'nor a dataset, which has it');
throws(LogicException::class, static fn () => $client->kumuhh, 'a dataset that is none');
throws(InvalidArgumentException::class, static fn () => $client->kumuh->list(where: ['Berat']), 'a value without a column');
$client->close();
throws(LogicException::class, static fn () => $client->catalog(), 'closed');
throws(InvalidArgumentException::class, static fn () => new Client(apiKey: "a\r\nX: y"), 'a key with a line end');
throws(InvalidArgumentException::class, static fn () => new Client('http://127.0.0.1:8080'), 'an address as the key');
throws(InvalidArgumentException::class, static fn () => new Client(baseUrl: 'ftp://x/'), 'no address');
throws(InvalidArgumentException::class, static fn () => new Client(timeout: 0), 'no time');
throws(InvalidArgumentException::class, static fn () => $client->dataset('../x'), 'no slug');
throws(InvalidArgumentException::class, static fn () => $client->kumuh->list(where: ['tingkat' => null]), 'wrong arguments are said at once, not when the first record is wanted');
throws(LogicException::class, static fn () => $client->kumuh->timeline(), 'no timeline');

$query = static fn (mixed ...$options): string => Query::of(...$options + ['where' => [], 'filter' => null, 'q' => null, 'bbox' => null, 'datetime' => null, 'sort' => null,
    'fields' => null, 'pageSize' => null, 'skipGeometry' => null, 'labels' => null])->address();
foreach (['17', '-1'] as $precision) { // whatever php.ini says
    ini_set('serialize_precision', $precision);
    is($query(where: ['x' => 0.1, 'y' => 1e21, 'z' => 1e-7, 'b' => true]), 'x=0.1&y=1000000000000000000000&z=0.0000001&b=true', "numbers ($precision)");
    is(Odp\Client\Internal\Json::encode(['x' => 0.1]), '{"x":0.1}', "numbers in a body ($precision)");
    is(ini_get('serialize_precision'), $precision, 'php.ini\'s word stays');
}
is($query(datetime: [new DateTimeImmutable('2024-01-02'), null]), 'datetime=2024-01-02%2F..', 'a time that is open');
is($query(where: ['t' => new DateTimeImmutable('2024-01-02T03:04:05+07:00')]), 't=2024-01-02T03%3A04%3A05.000%2B07%3A00', 'an instant');
foreach (['?b' => 'http://h/a/x?b', 'y' => 'http://h/a/y', '../y?c' => 'http://h/y?c', '/z' => 'http://h/z', '//i/z' => 'http://i/z', 'https://j/' => 'https://j/', './' => 'http://h/a/',
    '../../../q' => 'http://h/q', '' => 'http://h/a/x?q', 'k#f' => 'http://h/a/k'] as $link => $whole) {
    is(Url::resolve('http://h/a/x?q', (string) $link), $whole, "the link \"$link\"");
}

$secret = 'whsec_' . base64_encode('0123456789abcdef01234567');
$body = '{"type":"webhook.test"}';
$sign = static fn (string $id, int $at): string => 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", '0123456789abcdef01234567', true));
foreach ([
    'getallheaders()' => ['Webhook-Id' => 'msg_1', 'Webhook-Timestamp' => '1000', 'Webhook-Signature' => $sign('msg_1', 1000)],
    '$_SERVER' => ['HTTP_WEBHOOK_ID' => 'msg_1', 'HTTP_WEBHOOK_TIMESTAMP' => '1000', 'HTTP_WEBHOOK_SIGNATURE' => $sign('msg_1', 1000), 'argc' => 1, 'REQUEST_TIME' => 5],
    'PSR-7' => ['webhook-id' => ['msg_1'], 'WEBHOOK-TIMESTAMP' => ['1000'], 'webhook-signature' => ['v1,AAAA', $sign('msg_1', 1000)]],
] as $kind => $headers) {
    is(Webhook::verify($body, $headers, $secret, 1200), ['type' => 'webhook.test'], "headers as of $kind");
    throws(Odp\Client\Exception\SignatureException::class, static fn () => Webhook::verify("$body ", $headers, $secret, 1000), "another body, $kind");
    throws(Odp\Client\Exception\SignatureException::class, static fn () => Webhook::verify($body, $headers, $secret, 1301), "too late, $kind");
}
throws(InvalidArgumentException::class, static fn () => Webhook::verify($body, [], []), 'no secret');
