<?php

declare(strict_types=1);

// A receiver of webhooks: verifies what came, answers the challenge, answers fast.
//
// To subscribe: $client->webhooks->create('https://…', events: ['dataset.version.published'], datasets: ['@SLUG@'])->secret()

require __DIR__ . '/vendor/autoload.php';

use Odp\Client\Exception\SignatureException;
use Odp\Client\Webhook;

/** What is answered: status and text. */
function receive(string $body, array $headers, string|array $secret): array
{
    try {
        $message = Webhook::verify($body, $headers, $secret); // the bytes that came, not JSON that was parsed and written again
    } catch (SignatureException $e) {
        return [401, 'Not from the portal: ' . $e->getMessage()];
    }
    if ($message['type'] === 'webhook.challenge') {
        return [200, $message['data']['challenge']];
    }
    error_log($message['type'] . ' ' . ($message['data']['dataset'] ?? '')); // put it into a queue: first the answer, then the work
    return [204, ''];
}

if (PHP_SAPI !== 'cli') { // behind a web server
    [$status, $text] = receive((string) file_get_contents('php://input'), getallheaders(), (string) getenv('WEBHOOK_SECRET'));
    http_response_code($status);
    exit($text);
}

// On the command line: a message signed as the portal signs its own, and the same with another body.
$secret = 'whsec_' . base64_encode(random_bytes(32));
$body = json_encode(['type' => 'dataset.version.published', 'timestamp' => date(DATE_ATOM), 'data' => ['dataset' => '@SLUG@']]);
$headers = ['webhook-id' => 'msg_example', 'webhook-timestamp' => (string) time()];
$signed = "{$headers['webhook-id']}.{$headers['webhook-timestamp']}.$body";
$headers['webhook-signature'] = 'v1,' . base64_encode(hash_hmac('sha256', $signed, base64_decode(substr($secret, 6)), true));

echo implode(' ', receive($body, $headers, $secret)), "\n";
echo implode(' ', receive(str_replace('@SLUG@', 'another', $body), $headers, $secret)), "\n";
