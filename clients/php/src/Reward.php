<?php

declare(strict_types=1);

namespace Tributary;

/** What a webhook asks to grant. */
final class Reward
{
    public function __construct(
        public readonly string $eventId,
        public readonly string $rewardId,
        public readonly string $productUserId,
        /** A decimal such as 12.5, as text: a cast of a float would keep 14 digits. */
        public readonly string $amount,
    ) {
    }
}
