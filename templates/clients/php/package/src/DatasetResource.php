<?php

declare(strict_types=1);

namespace Odp\Client;

use Odp\Client\Internal\ChangeReader;
use Odp\Client\Internal\Downloader;
use Odp\Client\Internal\History;
use Odp\Client\Internal\Json;
use Odp\Client\Internal\Query;
use Odp\Client\Internal\Session;
use Odp\Client\Internal\Syncer;
use Odp\Client\Internal\Walk;

/**
 * A table of records: what a dataset has, or one of its further resources.
 *
 * @template T of Record
 */
class DatasetResource
{
    /**
     * @internal
     * @param string $path below v1/
     * @param class-string<T> $record
     */
    public function __construct(
        protected readonly Session $session,
        public readonly string $slug,
        public readonly string $name,
        protected readonly string $path,
        private readonly string $record,
    ) {
    }

    /**
     * All records that match, page after page, as they are wanted; without options all there are. All of one version.
     *
     *     foreach ($client->kumuh->list(where: ['tingkat' => 'Berat'], sort: '-luas_ha') as $area) { … }
     *
     * @param array<string, scalar|\DateTimeInterface|\BackedEnum|list<scalar|\DateTimeInterface|\BackedEnum>> $where
     *     equality by column; a list means one of
     * @param string|array<string, mixed>|null $filter CQL2, as text or as JSON
     * @param string|null $q words to look for
     * @param array<int|float>|null $bbox [west, south, east, north]
     * @param string|\DateTimeInterface|array{string|\DateTimeInterface|null, string|\DateTimeInterface|null}|null $datetime
     *     a day, an instant, or [from, to]; null is open
     * @param string|list<string>|null $sort names of columns, "-" before one descending
     * @param string|list<string>|null $fields the columns wanted (geometry only where it is named)
     * @param int|null $pageSize how many are fetched at once
     * @return \Generator<int, T>
     */
    public function list(
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
        return $this->records($this->walk(Query::of($where, $filter, $q, $bbox, $datetime, $sort, $fields, $pageSize, $skipGeometry, $labels), false));
    }

    /**
     * The same page by page.
     *
     * @param array<string, scalar|\DateTimeInterface|\BackedEnum|list<scalar|\DateTimeInterface|\BackedEnum>> $where
     * @param string|array<string, mixed>|null $filter
     * @param array<int|float>|null $bbox
     * @param string|\DateTimeInterface|array{string|\DateTimeInterface|null, string|\DateTimeInterface|null}|null $datetime
     * @param string|list<string>|null $sort
     * @param string|list<string>|null $fields
     * @return \Generator<int, Page<T>>
     */
    public function pages(
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
        return $this->walk(Query::of($where, $filter, $q, $bbox, $datetime, $sort, $fields, $pageSize, $skipGeometry, $labels), false);
    }

    /**
     * As list(), but sent as the body of a POST: for filters that are too long for an address.
     *
     * @param string|null $q words to look for
     * @param array<string, scalar|\DateTimeInterface|\BackedEnum|list<scalar|\DateTimeInterface|\BackedEnum>> $where
     * @param string|array<string, mixed>|null $filter
     * @param array<int|float>|null $bbox
     * @param string|\DateTimeInterface|array{string|\DateTimeInterface|null, string|\DateTimeInterface|null}|null $datetime
     * @param string|list<string>|null $sort
     * @param string|list<string>|null $fields
     * @return \Generator<int, T>
     */
    public function search(
        ?string $q = null,
        array $where = [],
        string|array|null $filter = null,
        ?array $bbox = null,
        string|\DateTimeInterface|array|null $datetime = null,
        string|array|null $sort = null,
        string|array|null $fields = null,
        ?int $pageSize = null,
        ?bool $skipGeometry = null,
        ?bool $labels = null,
    ): \Generator {
        return $this->records($this->walk(Query::of($where, $filter, $q, $bbox, $datetime, $sort, $fields, $pageSize, $skipGeometry, $labels), true));
    }

    /**
     * One record by its key; NotFoundException where there is none.
     *
     * @param string|int|float|bool|\DateTimeInterface|array<string|int|float|bool|\DateTimeInterface> $id
     *     the parts of a composite key in their order, or by name
     * @return T
     */
    public function get(string|int|float|bool|\DateTimeInterface|array $id): Record
    {
        $url = $this->session->url("v1/{$this->path}/id/" . Query::key($id, $this->record::KEY));
        return new $this->record(Json::one($this->session->ask($url, null, true, 3), "The answer to GET $url"));
    }

    /**
     * All versions, newest first.
     *
     * @return list<Version>
     */
    public function versions(): array
    {
        return History::of($this->session, $this->slug)->versions();
    }

    /**
     * The file of a version, whole and proved by its SHA-256; gone on with where an earlier attempt has left it.
     *
     * @param string $format "csv", "geojson", "json", "xlsx" …
     * @param string $path of the file to be; until all is there, what came lies beside it
     * @param string|null $version null: the newest
     * @param bool $resume false: begins anew whatever is there
     * @param \Closure(int, int): mixed|null $progress called with the bytes that are there and those of the whole
     */
    public function download(string $format, string $path, ?string $version = null, bool $resume = true, ?\Closure $progress = null): Download
    {
        $file = History::of($this->session, $this->slug)->file($this->name, $format, $version);
        return (new Downloader($this->session))->download($file, $path, $resume, $progress);
    }

    /**
     * What differs between two versions, record by record; across several versions step by step.
     *
     * @param string|null $from null: the version before $to
     * @param string|null $to null: the newest
     * @return \Generator<int, Change<T>>
     */
    public function changes(?string $from = null, ?string $to = null): \Generator
    {
        $steps = History::of($this->session, $this->slug)->steps($this->name, $from, $to);
        return ChangeReader::read($this->session, $steps, $this->record);
    }

    /**
     * Makes the file at $path the newest version's: by deltas where that is less to fetch, else whole. Proved in any case.
     *
     * @param string|null $format null: as the ending of $path says
     */
    public function sync(string $path, ?string $format = null): Sync
    {
        return (new Syncer($this->session))->sync(History::of($this->session, $this->slug), $this->name, $path, $format);
    }

    /** @return \Generator<int, Page<T>> */
    private function walk(Query $query, bool $search): \Generator
    {
        return (new Walk($this->session, $this->path, $this->record))->pages($query, $search);
    }

    /**
     * @param \Generator<int, Page<T>> $pages
     * @return \Generator<int, T>
     */
    private function records(\Generator $pages): \Generator
    {
        foreach ($pages as $page) {
            foreach ($page->records as $record) {
                yield $record;
            }
        }
    }
}
