import { randomBytes } from 'node:crypto';
import { emptyStore, type AccountStore } from './account-store.ts';
import type { AccountOptions } from './stripe-account.ts';

/** What all that happens in an account needs. */
export type AccountBase = {
  store: AccountStore;
  now(): number;
  setNow(seconds: number | undefined): void;
  newId(prefix: string): string;
};

export function createAccountBase(options: AccountOptions): AccountBase {
  const { livemode = false, chargesCarryRefunds = false } = options;
  const clock = options.now ?? (() => Math.floor(Date.now() / 1_000));
  const prefix = options.idPrefix ?? randomBytes(6).toString('hex');
  let given = 0;
  let present: number | undefined;
  return {
    store: emptyStore(livemode, chargesCarryRefunds),
    now: () => present ?? clock(),
    setNow(seconds) {
      present = seconds;
    },
    newId(kind) {
      given += 1;
      return `${kind}_1${prefix}${given.toString(36).padStart(6, '0')}`;
    },
  };
}
