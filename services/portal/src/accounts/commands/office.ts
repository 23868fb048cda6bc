import type { Clock } from '@tributary/runtime/clock';
import type { KeyRing } from '@tributary/runtime/secrets';
import type pg from 'pg';
import type { IdentityProvider } from '../endpoint/identity-provider.ts';
import type { Mailer } from '../endpoint/mailer.ts';

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
  /** For whom passkeys are made, and the pages that may ask for them; null: for nobody. */
  passkeys: { rpId: string; origins: readonly string[] } | null;
  /** Null: nobody signs in by one. */
  provider: IdentityProvider | null;
  /** Its name at the brokers; null: the audit list is in Postgres only. */
  auditTopic: string | null;
  /** Null: nothing is mailed. */
  mailer: Mailer | null;
};
