<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Internal\Json;
use Odp\Client\Internal\Session;

/** Subscriptions: the portal tells a program of new data, instead of being asked every hour. */
final class Webhooks
{
    /** @internal */
    public function __construct(private readonly Session $session)
    {
    }

    /**
     * A new subscription. Its secret() is told this once; it is active when its address has answered the challenge.
     *
     * @param string $url that is called; https
     * @param list<string> $events "dataset.version.published", "dataset.corrected" …
     * @param list<string>|null $datasets slugs; null: all
     * @param string|array<string, mixed>|null $filter CQL2: to be told only where a record that differs is one of these
     */
    public function create(
        string $url,
        array $events,
        ?array $datasets = null,
        string|array|null $filter = null,
        ?string $description = null,
    ): Subscription {
        $body = ['url' => $url, 'events' => array_values($events), 'datasets' => $datasets, 'filter' => $filter, 'description' => $description];
        return $this->one($this->session->order('POST', $this->url(), array_filter($body, static fn (mixed $v): bool => $v !== null)));
    }

    /** @return list<Subscription> */
    public function list(): array
    {
        $entries = Json::data($this->session->ask($this->url()), 'The list of webhooks');
        return array_map(static fn (array $entry): Subscription => new Subscription($entry), $entries);
    }

    public function get(string $id): Subscription
    {
        return $this->one($this->session->ask($this->url($id)));
    }

    public function delete(string $id): void
    {
        $this->session->order('DELETE', $this->url($id));
    }

    /** For a receiver that cannot answer by itself: what the challenge said. */
    public function confirm(string $id, string $challenge): Subscription
    {
        return $this->one($this->session->order('POST', $this->url($id, '/confirm'), ['challenge' => $challenge]));
    }

    /**
     * Sends a test, or the challenge again.
     *
     * @return array<string, mixed> what the portal says of it
     */
    public function test(string $id): array
    {
        $answer = $this->session->order('POST', $this->url($id, '/test'), []);
        return isset($answer['data']) ? Json::one($answer, 'The answer of the test') : [];
    }

    /**
     * A new secret(), told this once; for $graceHours (24) both sign.
     */
    public function rotateSecret(string $id, ?int $graceHours = null): Subscription
    {
        return $this->one($this->session->order('POST', $this->url($id, '/rotate-secret'), $graceHours === null ? [] : ['grace_hours' => $graceHours]));
    }

    private function url(?string $id = null, string $of = ''): string
    {
        if (in_array($id, ['', '.', '..'], true)) {
            throw new \InvalidArgumentException('A subscription\'s id looks like "wh_8fJ2kQ0sZx1vB7nM4cLd"');
        }
        return $this->session->url('v1/webhooks' . ($id === null ? '' : '/' . rawurlencode($id)) . $of);
    }

    /** @param array<mixed> $answer */
    private function one(#[\SensitiveParameter] array $answer): Subscription
    {
        return new Subscription(Json::one($answer, 'The answer about a webhook'));
    }
}
