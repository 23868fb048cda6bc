import type { Clock } from '@tributary/runtime/clock';
import type { KeyRing } from '@tributary/runtime/secrets';
import type pg from 'pg';

/** What the commands about people work with. */
export type Office = {
  pool: pg.Pool;
  clock: Clock;
  /** Seals the secrets of second factors. */
  keyRing: KeyRing;
  /** Digests what is presented and never read back: tokens, cookies, invitations, codes. */
  digest: (text: string) => string;
  /** In front of the link of an invitation. */
  publicUrl: string;
};
