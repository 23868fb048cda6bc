<?php

declare(strict_types=1);

namespace Tributary;

/** No answer: an event may or may not be stored. */
final class NetworkException extends TributaryException
{
    public function __construct(string $operation, string $reason)
    {
        parent::__construct($operation, "no answer: $reason", true);
    }
}
