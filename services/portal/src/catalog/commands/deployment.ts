import type { Clock } from '@tributary/runtime/clock';
import type { Tx } from '@tributary/runtime/postgres';
import type { KeyRing } from '@tributary/runtime/secrets';
import type pg from 'pg';
import type { Environment } from '../domain/addresses.ts';

/** What every command works with. A command is one transaction: rows and their outbox records. */
export type Deployment = {
  pool: pg.Pool;
  /**
   * Whether the database of this transaction surely has all that was published
   * (catalog-recovery.ts).
   */
  isCurrent: (tx: Tx) => Promise<boolean>;
  /** Stopped partitions without which nobody can tell. */
  heldUpBy: () => readonly string[];
  clock: Clock;
  environment: Environment;
  /** The edge, as the payment processor sees it; no slash at its end. */
  publicUrl: string;
  /** Names on the broker. */
  topics: { catalog: string; codes: string; people: string };
  /**
   * Seals what must be read back: product secrets, webhook passwords, keys of the payment
   * processor.
   */
  keyRing: KeyRing;
  /** Digests secret access keys, which are never read back. */
  accessKeyDigestKey: Buffer;
  /** Derives codes; never rotates. */
  uccKey: Buffer;
  /** Random base62 text for ids. */
  randomId: (length: number) => string;
};
