import type { Clock } from '@tributary/runtime/clock';
import type { Tx } from '@tributary/runtime/postgres';
import type { KeyRings } from '@tributary/runtime/key-rings';
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
  /** Seal what must be read back, each ring what is of its purpose. */
  keyRings: KeyRings;
  /** They name the keys that access tokens are verified with. */
  tokenKeyIds: readonly string[];
  /** Digests secret access keys, which are never read back. */
  accessKeyDigestKey: Buffer;
  /** Derives codes; never rotates. */
  uccKey: Buffer;
  /** Random base62 text for ids. */
  randomId: (length: number) => string;
  /** How long an answer waits for the log; absent: two seconds. */
  publishesWithinMs?: number;
};
