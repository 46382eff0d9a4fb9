<?php
/* declared.php FOLDER: every class of the package in FOLDER declares the types of all its properties, parameters and results, and says in a comment what its
 * arrays and iterables hold; every type that is named exists. Prints what does not, one line each, and how much was looked at. */
declare(strict_types=1);

$root = rtrim($argv[1], '/');
$about = json_decode(file_get_contents("$root/composer.json"), true, 512, JSON_THROW_ON_ERROR);
$spaces = $about['autoload']['psr-4'];
spl_autoload_register(function (string $class) use ($root, $spaces): void {
    foreach ($spaces as $space => $folder) {
        $file = "$root/$folder" . str_replace('\\', '/', substr($class, strlen($space))) . '.php';
        if (str_starts_with($class, $space) && is_file($file)) {
            require_once $file;
        }
    }
});
foreach ($about['autoload']['files'] ?? [] as $file) {
    require_once "$root/$file";
}

$faults = [];
$seen = ['classes' => 0, 'methods' => 0, 'properties' => 0];

/** @return iterable<ReflectionNamedType> */
function named(?ReflectionType $type): iterable
{
    if ($type instanceof ReflectionNamedType) {
        yield $type;
    } elseif ($type !== null) {
        foreach ($type->getTypes() as $one) {
            yield from named($one);
        }
    }
}

function look(?ReflectionType $type, string $where, string|false $comment, string $tag): void
{
    global $faults;
    if ($type === null) {
        if (!preg_match("/$tag\\s+resource\\b/", (string) $comment)) { // what PHP has no word for
            $faults[] = "$where has no type";
        }
        return;
    }
    foreach (named($type) as $one) {
        $name = $one->getName();
        if (!$one->isBuiltin() && !in_array($name, ['self', 'static', 'parent'], true) && !str_starts_with($name, 'Psr\\')
            && !class_exists($name) && !interface_exists($name) && !enum_exists($name)) {
            $faults[] = "$where: there is no $name";
        }
        if (in_array($name, ['array', 'iterable', 'Generator', 'Traversable', 'Iterator', 'IteratorAggregate'], true)
            && !preg_match("/$tag.*(<|\\{|\\[\\]|\\bnever\\b)/", (string) $comment)) {
            $faults[] = "$where: what the $name holds is not said ($tag)";
        }
    }
}

$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator("$root/" . reset($spaces), FilesystemIterator::SKIP_DOTS));
foreach ($files as $file) {
    if ($file->getExtension() !== 'php') {
        continue;
    }
    $text = file_get_contents($file->getPathname());
    if (!preg_match('/^declare\(strict_types=1\);/m', $text)) {
        $faults[] = substr($file->getPathname(), strlen($root)) . ': no declare(strict_types=1)';
    }
    if (in_array(substr($file->getPathname(), strlen($root) + 1), $about['autoload']['files'] ?? [], true)) {
        continue;
    }
    $class = key($spaces) . str_replace('/', '\\', substr($file->getPathname(), strlen("$root/" . reset($spaces)), -4));
    if (!class_exists($class) && !interface_exists($class) && !trait_exists($class) && !enum_exists($class)) {
        $faults[] = "$class is not where its file is";
        continue;
    }
    $reflection = new ReflectionClass($class);
    $seen['classes']++;
    foreach ($reflection->getProperties() as $property) {
        if ($property->getDeclaringClass()->getName() !== $class) {
            continue;
        }
        $seen['properties']++;
        $constructor = $reflection->getConstructor();
        $comment = $property->getDocComment() ?: ($property->isPromoted() ? $constructor->getDocComment() : false);
        $tag = $property->getDocComment() ? '@var' : '@param.*\$' . $property->getName() . '\b|@param';
        look($property->getType(), "$class::\$" . $property->getName(), $comment, $tag);
    }
    foreach ($reflection->getMethods() as $method) {
        if ($method->getDeclaringClass()->getName() !== $class || $method->getFileName() !== $file->getRealPath()) {
            continue;
        }
        $seen['methods']++;
        $where = "$class::" . $method->getName();
        $inherited = $method->hasPrototype() || str_contains((string) $method->getDocComment(), '@inheritDoc');
        foreach ($method->getParameters() as $parameter) {
            look($parameter->getType(), "$where(\$" . $parameter->getName() . ')', $inherited ? '@param <' : $method->getDocComment(), '@param');
        }
        if (!in_array($method->getName(), ['__construct', '__destruct', '__clone'], true) && !($inherited && $method->hasTentativeReturnType())) {
            look($method->getReturnType() ?? $method->getTentativeReturnType(), "$where()", $inherited ? '@return <' : $method->getDocComment(), '@return');
        }
    }
    foreach (preg_grep('/^(?:\s*)#\[\\\\?AllowDynamicProperties/m', [$text]) as $_) {
        $faults[] = "$class allows dynamic properties";
    }
}
echo implode("\n", $faults), $faults ? "\n" : '';
echo json_encode($seen), "\n";
exit($faults ? 1 : 0);
