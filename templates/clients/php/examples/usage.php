<?php

declare(strict_types=1);

// What the key may, and what is left of today.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client(); // the key is in the environment: ODP_KEY

$usage = $client->usage();
echo "Tier $usage->tier: $usage->used of ", $usage->limit ?? 'any number of', " requests used today\n";
if ($usage->remaining !== null) {
    echo "$usage->remaining left until ", $usage->reset?->format('Y-m-d H:i P'), "\n";
}
foreach (array_slice($usage->days, -7) as $day) {
    echo $day['date'], '  ', $day['requests'], "\n";
}
