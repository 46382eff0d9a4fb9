<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Internal\Session;

/**
 * A dataset.
 *
 * @template T of Record
 * @template TTimeline of Record
 * @extends DatasetResource<T>
 */
final class Dataset extends DatasetResource
{
    /**
     * @internal
     * @param class-string<T> $record
     * @param array<string, class-string<Record>> $resources the further ones
     * @param string|null $timeline the name of that with a timeline
     */
    public function __construct(Session $session, string $slug, string $record, private readonly array $resources, private readonly ?string $timeline)
    {
        parent::__construct($session, $slug, $slug, $slug, $record);
    }

    /**
     * @internal
     * @return self<Record, Record>
     */
    public static function of(Session $session, string $slug): self
    {
        if (preg_match('/^[a-z0-9][a-z0-9._-]*$/iD', $slug) !== 1) {
            throw new \InvalidArgumentException("\"$slug\" is no name of a dataset");
        }
        return new self($session, $slug, ...(About::DATASETS[$slug] ?? [Record::class, [], 'timeline']));
    }

    /**
     * The milestones of this dataset, asked for like list().
     *
     * @param array<string, scalar|\DateTimeInterface|\BackedEnum|list<scalar|\DateTimeInterface|\BackedEnum>> $where
     * @param string|array<string, mixed>|null $filter
     * @param array<int|float>|null $bbox
     * @param string|\DateTimeInterface|array{string|\DateTimeInterface|null, string|\DateTimeInterface|null}|null $datetime
     * @param string|list<string>|null $sort
     * @param string|list<string>|null $fields
     * @return \Generator<int, TTimeline>
     */
    public function timeline(
        array $where = [],
        string|array|null $filter = null,
        ?string $q = null,
        ?array $bbox = null,
        string|\DateTimeInterface|array|null $datetime = null,
        string|array|null $sort = null,
        string|array|null $fields = null,
        ?int $pageSize = null,
        ?bool $skipGeometry = null,
        ?bool $labels = null,
    ): \Generator {
        if ($this->timeline === null) {
            throw new \LogicException("The dataset \"{$this->slug}\" has no timeline");
        }
        $from = $this->timeline === $this->name ? $this : $this->resource($this->timeline);
        /** @var \Generator<int, TTimeline> */
        return $from->list($where, $filter, $q, $bbox, $datetime, $sort, $fields, $pageSize, $skipGeometry, $labels);
    }

    /**
     * A further resource, by its name.
     *
     * @return DatasetResource<Record>
     */
    public function resource(string $name): DatasetResource
    {
        if ($name === $this->name) {
            return $this;
        }
        if (preg_match('/^[a-z0-9][a-z0-9._-]*$/iD', $name) !== 1) {
            throw new \InvalidArgumentException("\"$name\" is no name of a resource");
        }
        return new DatasetResource($this->session, $this->slug, $name, "{$this->path}/$name", $this->resources[$name] ?? Record::class);
    }
}
