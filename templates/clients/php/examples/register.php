<?php

declare(strict_types=1);

// A key of one's own: free, and at once.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client();

$issued = $client->register(name: 'Sari', email: 'sari-' . bin2hex(random_bytes(6)) . '@example.org', purpose: 'An example');

// It is shown this once: keep it where your program finds it as ODP_KEY, not in its source.
echo 'A key of ', strlen($issued->key()), " characters, tier $issued->tier, ", $issued->limit ?? 'any number of', " requests a day\n";

// The client goes on with it.
echo $client->usage()->used, " used today\n";
