import type { Demo } from '../../../deploy/demo/demo-file.ts';
import type { Random } from '../../chain/random.ts';
import type { ExpectedFact } from '../../processor/expected-facts.ts';
import type { Client } from '../client.ts';
import type { Customer } from '../history.ts';

/** Who reports to the system beside the customers' backends. */
export type Source = 'widget' | 'stripe';

export type SourceSetUp = {
  demo: Demo;
  customers: readonly Customer[];
  /** E-mails and names of people begin with it. */
  personalCanary: string;
};

/** A source that can report; what it is to report with is set up. */
export type Reporter = {
  /** Keys, secrets and beginnings of tokens that are of this source. */
  secrets: readonly string[];
  /** Reports until `goesOn` says no, then brings to an end what has begun. */
  report(load: { client: Client; random: Random; goesOn: () => boolean }): Promise<void>;
  /** What all that was reported means, if this can be said of it at the end. */
  facts?(): ExpectedFact[];
};
