<?php

declare(strict_types=1);

namespace Odp\Client\Internal;

/**
 * Addresses: links resolved (RFC 3986, 5.2), origins compared.
 *
 * @internal
 */
final class Url
{
    /** The site's root, with a slash at its end. */
    public static function base(string $url): string
    {
        $url = trim($url);
        $parts = parse_url($url);
        if (
            $parts === false || !in_array(strtolower($parts['scheme'] ?? ''), ['http', 'https'], true) || ($parts['host'] ?? '') === ''
            || isset($parts['user']) || isset($parts['query']) || isset($parts['fragment']) || preg_match('/[\x00-\x20\x7f]/', $url) === 1
        ) {
            throw new \InvalidArgumentException('baseUrl is no address of a site: https://host/');
        }
        return preg_replace('~/v1/$~D', '/', rtrim($url, '/') . '/') ?? $url;
    }

    /** Scheme, host and port, in one spelling; "" where it is none of http. */
    public static function origin(string $url): string
    {
        $parts = parse_url($url);
        $scheme = strtolower($parts['scheme'] ?? '');
        if (preg_match('/[\x00-\x20\x7f]/', $url) === 1 || $parts === false || ($parts['host'] ?? '') === '' || !in_array($scheme, ['http', 'https'], true)) {
            return '';
        }
        return $scheme . '://' . strtolower($parts['host']) . ':' . ($parts['port'] ?? ($scheme === 'https' ? 443 : 80));
    }

    /** LINK as it stands in what BASE answered. */
    public static function resolve(string $base, string $link): string
    {
        $link = explode('#', $link, 2)[0];
        if (preg_match('~^[A-Za-z][A-Za-z0-9+.-]*:~', $link) === 1) {
            return $link;
        }
        preg_match('~^([a-z][a-z0-9+.-]*):(//[^/?#]*)([^?#]*)(\?[^#]*)?~i', $base, $of);
        [, $scheme, $authority, $path] = $of + ['', '', '', ''];
        if (str_starts_with($link, '//')) {
            return $scheme . ':' . $link;
        }
        if ($link === '') {
            return $scheme . ':' . $authority . $path . ($of[4] ?? '');
        }
        if ($link[0] === '?') {
            return $scheme . ':' . $authority . $path . $link;
        }
        [$to, $query] = explode('?', $link, 2) + [1 => null];
        $whole = $to[0] === '/' ? $to : substr($path, 0, (int) strrpos($path, '/')) . '/' . $to;
        return $scheme . ':' . $authority . self::withoutDots($whole) . ($query === null ? '' : '?' . $query);
    }

    /** The parameter NAME of URL's query. */
    public static function parameter(string $url, string $name): ?string
    {
        foreach (explode('&', parse_url($url, PHP_URL_QUERY) ?: '') as $pair) {
            [$key, $value] = explode('=', $pair, 2) + [1 => ''];
            if (urldecode($key) === $name) {
                return urldecode($value);
            }
        }
        return null;
    }

    private static function withoutDots(string $path): string
    {
        $kept = [];
        $segments = explode('/', $path);
        foreach ($segments as $i => $segment) {
            $last = $i === count($segments) - 1;
            if ($segment === '..') {
                if (count($kept) > 1) {
                    array_pop($kept);
                }
            } elseif ($segment !== '.') {
                $kept[] = $segment;
                continue;
            }
            if ($last) {
                $kept[] = '';
            }
        }
        return implode('/', $kept);
    }
}
