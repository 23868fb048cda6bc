import type { Stack, StackOptions } from '../../../deploy/local/stack.ts';
import type { Random } from '../../chain/random.ts';
import type { Queryable } from '../../inspect.ts';
import type { Client } from '../client.ts';
import type { Evidence } from '../evidence.ts';
import type { Receiver } from '../receiver.ts';
import type { Source } from '../sources/source.ts';

/** What a fault may use while customers go on. */
export type Battlefield = {
  stack: Stack;
  /** The database of all services, as one who may do everything there. */
  db: Queryable;
  random: Random;
  client: Client;
  receiver: Receiver;
  poison: Evidence['poison'];
  /** Accepted records that the fault takes from the log for good. */
  lost: NonNullable<Evidence['lost']>;
  /** How long the fault lasts, if that is a matter of choice. */
  windowMs: number;
  /** Called before the fault is done, if it lasts a while and its proof comes only later. */
  doing(): void;
  /** Called each time that the fault was done, with what proves it. */
  fired(what: string): void;
  /**
   * Called when the fault begins to be undone; the recovery is counted from the last time, or from
   * the end of the fault if it is never called. Starting a process again is part of the recovery.
   */
  undoing(): void;
  /** Called when something is wrong that lasts only as long as the fault. */
  amiss(what: string): void;
  /** Called when the database is gone, and this one will take over, which is older than it was. */
  fellBack(older: Queryable): Promise<void>;
  /** Called when an operator has made this generation live. */
  swapped(generation: number): void;
  /** Called before an operator drops this generation: what it has published goes with it. */
  dropping(generation: number): Promise<void>;
  /** Called when the system is gone, the last one first: ends what the fault has started. */
  atEnd(end: () => unknown): void;
};

export type StackNeeds = Pick<
  StackOptions,
  'brokers' | 'replicas' | 'variables' | 'reach' | 'kafkaIndirect' | 'disks' | 'checkoutOf'
>;

export type Nemesis = {
  name: string;
  says: string;
  /**
   * What the system must have for it, made anew for each one. What it has to start for that ends
   * with `atEnd`, as that of a {@link Battlefield}.
   */
  stack?: StackNeeds | ((atEnd: Battlefield['atEnd']) => Promise<StackNeeds>);
  /** What the command must be given for it, beside its name. */
  options?: string;
  /** Who reports beside the customers' backends; default: nobody. */
  sources?: readonly Source[];
  /**
   * Does the fault, undoes it, and resolves when it is undone.
   *
   * @throws when what no promise covers is wrong, too: the row is red then.
   */
  run(field: Battlefield): Promise<void>;
};
