<?php

declare(strict_types=1);

// For projects without Composer: require __DIR__ . '/tributary-php-0.1.0/autoload.php'.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Tributary\\')) {
        $file = __DIR__ . '/src/' . strtr(substr($class, 10), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});
