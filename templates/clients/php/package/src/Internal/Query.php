<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * What was asked for, as parameters of an address or as a body.
 *
 * @internal
 */
final class Query
{
    /** Parameters go before columns of the same name. */
    private const PARAMETERS = ['filter', 'filter-lang', 'filter-crs', 'q', 'bbox', 'bbox-crs', 'crs', 'datetime', 'sortby', 'properties', 'skipGeometry', 'labels', 'limit',
        'offset', 'cursor', 'facets', 'aggregate', 'groupby', 'view', 'f'];

    /** @param array<string, mixed> $parameters */
    private function __construct(private readonly array $parameters)
    {
    }

    /**
     * @param array<mixed> $where
     * @param string|array<mixed>|null $filter
     * @param array<mixed>|null $bbox
     * @param string|\DateTimeInterface|array<mixed>|null $datetime
     * @param string|array<mixed>|null $sort
     * @param string|array<mixed>|null $fields
     */
    public static function of(
        array $where,
        string|array|null $filter,
        ?string $q,
        ?array $bbox,
        string|\DateTimeInterface|array|null $datetime,
        string|array|null $sort,
        string|array|null $fields,
        ?int $pageSize,
        ?bool $skipGeometry,
        ?bool $labels,
    ): self {
        if ($where !== [] && array_is_list($where)) {
            throw new \InvalidArgumentException("where is ['column' => value]: values without a column ask for nothing");
        }
        $all = [];
        foreach ($where as $name => $value) {
            $all[(string) $name] = self::value((string) $name, $value);
        }
        $all += array_filter([
            'filter' => $filter,
            'q' => $q,
            'bbox' => $bbox === null ? null : self::box($bbox),
            'datetime' => $datetime === null ? null : self::interval($datetime),
            'sortby' => $sort === null ? null : self::names('sort', $sort),
            'properties' => $fields === null ? null : self::names('fields', $fields),
            'skipGeometry' => $skipGeometry === true ? true : null,
            'labels' => $labels === true ? true : null,
        ], static fn (mixed $v): bool => $v !== null);
        if ($pageSize !== null) {
            if ($pageSize < 1) {
                throw new \InvalidArgumentException('pageSize is at least 1');
            }
            $all['limit'] = $pageSize;
        }
        return new self($all);
    }

    public function isEmpty(): bool
    {
        return $this->parameters === [];
    }

    /** A list in `where` has no place in an address: a comma in a text is no separator. */
    public function needsBody(): bool
    {
        foreach ($this->parameters as $name => $value) {
            if (is_array($value) && !in_array($name, ['bbox', 'sortby', 'properties', 'filter'], true)) {
                return true;
            }
        }
        return false;
    }

    public function address(): string
    {
        $pairs = [];
        foreach ($this->parameters as $name => $value) {
            if ($name === 'filter' && is_array($value)) {
                $pairs[] = 'filter=' . rawurlencode(Json::encode($value)) . '&filter-lang=cql2-json';
                continue;
            }
            $text = is_array($value) ? implode(',', array_map(self::text(...), $value)) : self::text($value);
            $pairs[] = rawurlencode((string) $name) . '=' . rawurlencode($text);
        }
        return implode('&', $pairs);
    }

    /** @return array<string, mixed> */
    public function body(): array
    {
        return $this->parameters;
    }

    /**
     * A record's key as it stands in an address.
     *
     * @param string|int|float|bool|\DateTimeInterface|array<mixed> $id
     * @param list<string> $names of its parts; [] where they are not known
     */
    public static function key(string|int|float|bool|\DateTimeInterface|array $id, array $names): string
    {
        $parts = is_array($id) ? $id : [$id];
        if (!array_is_list($parts)) {
            if ($names === [] || count($parts) !== count($names) || array_diff($names, array_keys($parts)) !== []) {
                throw new \InvalidArgumentException('The parts of the key are: ' . ($names === [] ? 'not known here; give a list' : implode(', ', $names)));
            }
            $parts = array_map(static fn (string $name): mixed => $parts[$name], $names);
        }
        if ($parts === [] || ($names !== [] && count($parts) !== count($names))) {
            throw new \InvalidArgumentException('The parts of the key are: ' . implode(', ', $names));
        }
        $texts = array_map(static fn (mixed $part): string => self::text(self::scalar('the key', $part)), $parts);
        if (in_array(implode(',', $texts), ['', '.', '..'], true)) {
            throw new \InvalidArgumentException('No address has this key');
        }
        return implode(',', array_map(rawurlencode(...), $texts));
    }

    /** A scalar as it stands in an address. */
    public static function text(mixed $value): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value), is_string($value) => (string) $value,
            is_float($value) => self::number($value),
            default => throw new \InvalidArgumentException('This value has no text: ' . get_debug_type($value)),
        };
    }

    private static function value(string $name, mixed $value): mixed
    {
        if (in_array($name, self::PARAMETERS, true)) {
            throw new \InvalidArgumentException("where: \"$name\" is a parameter's name; ask for the column with filter: '\"$name\" = …'");
        }
        if (is_array($value)) {
            if ($value === [] || !array_is_list($value)) {
                throw new \InvalidArgumentException("where: \"$name\" is one value or a list of values");
            }
            return array_map(static fn (mixed $one): mixed => self::scalar($name, $one), $value);
        }
        return self::scalar($name, $value);
    }

    private static function scalar(string $name, mixed $value): string|int|float|bool
    {
        return match (true) {
            $value === null => throw new \InvalidArgumentException("where: null is no value; ask with filter: '\"$name\" IS NULL'"),
            $value instanceof \BackedEnum => $value->value,
            $value instanceof \DateTimeInterface => self::date($value),
            is_string($value), is_int($value), is_bool($value) => $value,
            is_float($value) && is_finite($value) => $value,
            default => throw new \InvalidArgumentException("where: \"$name\" cannot be " . get_debug_type($value)),
        };
    }

    /** A day where no time was said, else an instant. */
    private static function date(\DateTimeInterface $date): string
    {
        return $date->format('H:i:s.u') === '00:00:00.000000' ? $date->format('Y-m-d') : $date->format('Y-m-d\TH:i:s.vP');
    }

    /** The shortest decimal that is this number again. */
    private static function number(float $value): string
    {
        for ($digits = 15; $digits < 17 && (float) sprintf("%.{$digits}H", $value) !== $value; $digits++) {
            continue;
        }
        $text = sprintf("%.{$digits}H", $value);
        if (preg_match('/^(-?)(\d)\.?(\d*)E([+-]\d+)$/D', $text, $m) !== 1) {
            return $text;
        }
        [, $sign, $first, $rest] = $m;
        $rest = rtrim($rest, '0');
        $exponent = (int) $m[4];
        return $sign . ($exponent < 0
            ? '0.' . str_repeat('0', -$exponent - 1) . $first . $rest
            : $first . str_pad($rest, $exponent, '0')); // from 1E15 on there is nothing behind the point
    }

    /**
     * @param array<mixed> $box
     * @return list<int|float>
     */
    private static function box(array $box): array
    {
        foreach ($box as $side) {
            if (!is_int($side) && !(is_float($side) && is_finite($side))) {
                throw new \InvalidArgumentException('bbox is [west, south, east, north] in degrees');
            }
        }
        if (!in_array(count($box), [4, 6], true)) {
            throw new \InvalidArgumentException('bbox is [west, south, east, north] in degrees');
        }
        return array_values($box);
    }

    /** @param string|\DateTimeInterface|array<mixed> $datetime */
    private static function interval(string|\DateTimeInterface|array $datetime): string
    {
        if (is_array($datetime)) {
            if (count($datetime) !== 2) {
                throw new \InvalidArgumentException('datetime is a day, an instant or [from, to]; null in it is open');
            }
            return implode('/', array_map(static fn (mixed $end): string => $end === null ? '..' : self::interval($end), array_values($datetime)));
        }
        return $datetime instanceof \DateTimeInterface ? self::date($datetime) : $datetime;
    }

    /**
     * @param string|array<mixed> $names
     * @return list<string>
     */
    private static function names(string $what, string|array $names): array
    {
        $names = is_array($names) ? array_values($names) : explode(',', $names);
        foreach ($names as $name) {
            if (!is_string($name) || $name === '') {
                throw new \InvalidArgumentException("$what is a list of names of columns");
            }
        }
        if ($names === []) {
            throw new \InvalidArgumentException("$what has no name");
        }
        return $names;
    }
}
