import type { Accepted } from '@tributary/contracts/public/accepted';

/** What became of a valid event. */
export type Acceptance =
  | {
      outcome: 'accepted';
      accepted: Accepted;
      idempotency: 'none' | 'first' | 'repeated' | 'joined';
    }
  | { outcome: 'key-conflict' }
  | { outcome: 'unavailable'; because: 'log' | 'idempotency'; detail: string };
