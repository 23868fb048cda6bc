import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExpectedFact } from '../processor/expected-facts.ts';
import type { Generations } from '../generations.ts';
import type { Source } from './sources/source.ts';

/**
 * What is left of one fault: all that was seen from outside while it happened and after it healed.
 * It is judged from these files alone, now or later. Times are UTC with milliseconds.
 */
export type Evidence = {
  row: RowFacts;
  /**
   * Requests of customers, their users, Stripe and operators while the fault was on, in order of
   * their sending.
   */
  requests: SentRequest[];
  /**
   * What operators asked about rewards and events when all had recovered; older evidence lacks it.
   */
  explanations?: SentRequest[];
  /** What came to the customers' endpoints, in order. */
  webhooks: Webhook[];
  /** Stored positions of all projections, looked at again and again. */
  positions: PositionSample[];
  /** Records that were put on the log to be refused. */
  poison: { topic: string; value: string }[];
  /** Accepted records that were taken from the log for good; older evidence lacks it. */
  lost?: { topic: string; partition: number; offset: number; value: string }[];
  /** What the semantics of Stripe's events (docs/stripe.md) make of all that happened there. */
  stripeFacts: ExpectedFact[];
  /** Every record of every topic, by topic; also of those that an operator dropped. */
  topics: Record<string, LogRecord[]>;
  /** `topic/partition` to the offset behind its last record. */
  ends: Record<string, number>;
  /** Rows by `schema.table`, all values as Postgres writes them. */
  tables: Record<string, TableRow[]>;
  /** Some of these tables as they were when the fault had just healed. */
  earlierTables: Record<string, TableRow[]>;
  /** What processes wrote, by file name. */
  logs: Record<string, string>;
};

export type RowFacts = {
  /** Its place among the faults, from 1. */
  number: number;
  fault: string;
  seed: number;
  /** When the fault began to be done, where its proof came only later. */
  beganAt?: string;
  /** Each time that the fault was done to the system, with what proves it. */
  fired: { at: string; what: string }[];
  /** Who reports beside the customers' backends; older evidence lacks it. */
  sources?: readonly Source[];
  /** Customers, with the path of their endpoint. */
  tenants: string[];
  /** E-mails and names of referred people begin with it. */
  personalCanary: string;
  /** Passwords, keys and tokens of this deployment. */
  secrets: string[];
  /** When it began to be undone, for the last time; older evidence lacks it. */
  undoneAt?: string;
  loadEndedAt: string;
  /**
   * Milliseconds from when the fault began to be undone until all work was done; absent: it was
   * not.
   */
  recoveredMs?: number;
  /** What was still to be done when nobody waited any longer. */
  unrecovered?: string;
  /** What there was at the end, without the one that is built then; older evidence has 1 alone. */
  generations?: Generations;
  /** What was wrong while the fault lasted, where that can be seen only then. */
  amiss?: string[];
  /** When a database took over that was older than the one before it. */
  fellBackAt?: string;
  /** The generation that an operator made live. */
  swappedTo?: number;
  /** When it was; older evidence lacks it. */
  swappedAt?: string;
  /** What the command was given for this fault, beside its name and the seed. */
  options?: string;
  /** A second generation that was built from the log when all had recovered. */
  rebuild?: { generation: number; outcome: string; beganAt: string; endedAt: string };
};

export type Outcome = 'ok' | 'failed' | 'unknown';

export type SentRequest = {
  sentAt: string;
  endedAt: string;
  /**
   * `user`: of a customer, whose browser boots the widget. `probe`: a customer asks for what is
   * another one's.
   */
  by: 'customer' | 'user' | 'stripe' | 'operator' | 'probe';
  tenantId: string;
  method: string;
  path: string;
  /** The idempotency key, wherever it was sent. */
  key?: string;
  body?: string;
  /** Whether a user's token or Stripe's signature is right; `old` is one of 301 seconds ago. */
  proof?: 'right' | 'wrong' | 'old';
  /**
   * `ok` is a 2xx, `failed` a 4xx; `unknown` is a 5xx or no answer, which leaves open whether it
   * was done.
   */
  outcome: Outcome;
  status?: number;
  answer?: string;
  /** Why there is no answer. */
  failure?: string;
};

export type Webhook = {
  at: string;
  /** Whose endpoint it came to. */
  tenantId: string;
  /** Whether it had the credentials of that endpoint. */
  authorized: boolean;
  body: string;
  /** The status it was answered; absent: it got no answer. */
  status?: number;
};

export type PositionSample = {
  at: string;
  schema: string;
  topic: string;
  partition: number;
  epoch: number;
  next: number;
};

export type LogRecord = {
  partition: number;
  offset: number;
  /** When the broker appended it; older evidence lacks it. */
  at?: string;
  key: string | null;
  value: string | null;
};

export type TableRow = Record<string, string | null>;

const lists = ['requests', 'webhooks', 'positions', 'poison', 'stripeFacts'] as const;
/** Which older evidence lacks. */
const laterLists = ['explanations', 'lost'] as const;
const foldersOfLists = ['topics', 'tables', 'earlierTables'] as const;

export function writeEvidence(dir: string, evidence: Evidence): void {
  // Secrets of the deployment are in it.
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeJson(join(dir, 'row.json'), evidence.row);
  writeJson(join(dir, 'ends.json'), evidence.ends);
  for (const name of lists) writeLines(join(dir, `${name}.jsonl`), evidence[name]);
  for (const folder of foldersOfLists) {
    mkdirSync(join(dir, folder), { recursive: true });
    for (const [name, items] of Object.entries<readonly unknown[]>(evidence[folder])) {
      writeLines(join(dir, folder, `${name}.jsonl`), items);
    }
  }
  mkdirSync(join(dir, 'logs'), { recursive: true });
  for (const name of laterLists) {
    const items = evidence[name];
    if (items !== undefined) writeLines(join(dir, `${name}.jsonl`), items);
  }
  for (const [name, text] of Object.entries(evidence.logs)) {
    writeFileSync(join(dir, 'logs', name), text);
  }
}

/** @throws when a file is missing or is not what {@link writeEvidence} writes. */
export function readEvidence(dir: string): Evidence {
  const isThere = (name: string) => existsSync(join(dir, `${name}.jsonl`));
  const list = <T>(name: string) => readLines<T>(join(dir, `${name}.jsonl`));
  const folder = <T>(name: string): Record<string, T[]> =>
    Object.fromEntries(
      readdirSync(join(dir, name)).map((file) => [
        file.replace(/\.jsonl$/, ''),
        readLines<T>(join(dir, name, file)),
      ]),
    );
  const logs = readdirSync(join(dir, 'logs')).map(
    (file) => [file, readFileSync(join(dir, 'logs', file), 'utf8')] as const,
  );
  return {
    row: readJson<RowFacts>(join(dir, 'row.json')),
    ends: readJson<Evidence['ends']>(join(dir, 'ends.json')),
    requests: list('requests'),
    ...Object.fromEntries(laterLists.filter(isThere).map((name) => [name, list(name)])),
    webhooks: list('webhooks'),
    positions: list('positions'),
    poison: list('poison'),
    // Older evidence lacks it.
    stripeFacts: isThere('stripeFacts') ? list('stripeFacts') : [],
    topics: folder('topics'),
    tables: folder('tables'),
    earlierTables: folder('earlierTables'),
    logs: Object.fromEntries(logs),
  };
}

/** The folders of single faults within the folder of a run, or the folder of one fault itself. */
export function evidenceFolders(dir: string): string[] {
  if (existsSync(join(dir, 'row.json'))) return [dir];
  return readdirSync(dir)
    .map((name) => join(dir, name))
    .filter((folder) => existsSync(join(folder, 'row.json')))
    .sort();
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

function writeLines(file: string, items: readonly unknown[]): void {
  writeFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
