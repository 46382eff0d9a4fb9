<?php

declare(strict_types=1);

namespace Odp\Client;

/** A dataset, as the catalogue tells it. */
final class CatalogEntry extends Document
{
    public readonly string $slug;
    /** @var array<string, string> by language: "id", "en" */
    public readonly array $title;
    /** @var array<string, string> by language */
    public readonly array $description;
    /** @var list<string> "GeoJSON", "CSV" … */
    public readonly array $formats;
    public readonly ?\DateTimeImmutable $lastUpdate;
    public readonly ?string $version;
    public readonly ?int $rows;

    /**
     * @internal
     * @param array<string, mixed> $members
     */
    public function __construct(array $members)
    {
        parent::__construct($members);
        $this->slug = $this->text('slug') ?? '';
        $this->title = $this->languages('title');
        $this->description = $this->languages('description');
        $this->formats = $this->texts('formats');
        $this->lastUpdate = $this->time('last_update');
        $this->version = $this->text('version');
        $this->rows = $this->number('rows');
    }
}
