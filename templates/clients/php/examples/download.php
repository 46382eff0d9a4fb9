<?php

declare(strict_types=1);

// A whole file. What came before the connection broke is kept: run it again, and it goes on from there.

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Client;

$client = new Client();

$done = $client->@DATASET@->download('@FORMAT@', '@SLUG@.@FORMAT@', progress: function (int $bytes, int $total): void {
    fprintf(STDERR, "\r%d %%", $total > 0 ? 100 * $bytes / $total : 100);
});

echo "\n$done->path: version $done->version, $done->bytes bytes, SHA-256 $done->sha256\n"; // which was checked
