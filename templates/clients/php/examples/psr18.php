<?php

declare(strict_types=1);

// The requests go through an HTTP client of your own (PSR-18), here Guzzle: composer require guzzlehttp/guzzle

require __DIR__ . '/vendor/autoload.php';

use GuzzleHttp\Client as Guzzle;
use GuzzleHttp\Psr7\HttpFactory;
use Odp\Client\Client;

if (!class_exists(Guzzle::class)) {
    exit("composer require guzzlehttp/guzzle\n");
}

$factory = new HttpFactory();
$client = new Client(
    httpClient: new Guzzle(['timeout' => 30]),
    requestFactory: $factory,
    streamFactory: $factory,
);

foreach ($client->catalog() as $entry) {
    echo $entry->slug, '  ', $entry->title['en'] ?? '', '  ', implode(', ', $entry->formats), "\n";
}
