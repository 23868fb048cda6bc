import { compareDecimal } from '@tributary/contracts/canonical-order';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { unpackEntries } from '@tributary/event-log/outbox-rows';
import type { FactRow as StoredFact } from '../db/fact-row.ts';
import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/**
 * The tables as maps and the statements by their names: what one process alone sees of Postgres, so
 * that thousands of histories run through the service's own transactions in seconds. It knows no
 * locks and no rollback; those are tried on the real server (transactions.int.spec.ts), with
 * histories of the same kind.
 */
export function createInMemoryPostgres() {
  const facts = new Map<string, FactRow>();
  const claims = new Map<string, Row>();
  const codes = new Map<string, { tenant_id: string; ucc: string; record: CodeRecord }>();
  const owners = new Map<string, Owner>();
  const users = new Map<string, User>();
  const referrals = new Map<string, Row>();
  const revisions = new Map<string, Row>();
  const tenants = new Map<string, { tenant_id: string; catalog_version: string; modes: unknown }>();
  const decisions = new Map<string, Decision>();
  const outbox: DecisionRecord[] = [];
  let jobs: RecomputeJob[] = [];
  let nextJob = 1;

  const factsWhere = (test: (fact: FactRow) => boolean, limit: unknown = null) =>
    [...facts.values()].filter(test).slice(0, limit === null ? undefined : Number(limit));
  const factsOf = (tenantId: unknown, userId: unknown) =>
    factsWhere((fact) => fact.tenant_id === tenantId && fact.new_user_id === userId);
  const wantedOf = (columns: unknown[][]) => new Set(rowsOf(columns).map(key));
  const claimRow = (v: readonly unknown[]): Row => zip(claimColumns, v);
  const page = (test: (fact: FactRow) => boolean, after: unknown, limit: unknown) =>
    factsWhere(test)
      .filter((fact) => fact.event_id > String(after))
      .sort((a, b) => (a.event_id < b.event_id ? -1 : 1))
      .slice(0, Number(limit))
      .map((fact) => ({ ...fact, after_ucc: '', after_seconds: null }));

  const decide = (row: readonly unknown[]) => {
    const decision = zip(decisionColumns, row) as Decision;
    decisions.set(decision.event_id, { ...decision, former_record: null });
  };
  const byTime = (test: (fact: FactRow) => boolean, cursor: unknown[], limit: unknown) =>
    factsWhere(test)
      .filter((fact) => cursor[0] === null || orderOf(fact, cursor[0], cursor[1]) > 0)
      .sort((a, b) => orderOf(a, b.occurred_at_seconds, b.event_id))
      .slice(0, Number(limit))
      .map((fact) => ({ ...fact, after_ucc: '', after_seconds: fact.occurred_at_seconds }));

  /** Each takes the values of the statement, column by column, and gives its rows. */
  const statements: Record<string, (values: unknown[]) => unknown[]> = {
    read_known_events: ([ids]) => factsWhere((fact) => (ids as unknown[]).includes(fact.event_id)),
    insert_decided: (v) =>
      rowsOf(v).map((row) => {
        const fact = zip(['event_id', ...factColumns], [row[0], ...row.slice(7)]) as FactRow;
        facts.set(fact.event_id, { ...fact, reported: JSON.parse(String(row[13])) as never });
        decide(row);
        return fact;
      }),
    read_facts: ([ids]) => factsWhere((fact) => (ids as unknown[]).includes(fact.event_id)),
    read_facts_of_codes: ([t, c, limit]) => {
      const wanted = wantedOf([t, c] as unknown[][]);
      return factsWhere((fact) => wanted.has(key([fact.tenant_id, fact.ucc])), limit);
    },
    read_facts_of_keys: ([t, k, holders, limit]) => {
      const wanted = wantedOf([t, k] as unknown[][]);
      const isWanted = (fact: FactRow) =>
        fact.is_rival
          ? wanted.has(key([fact.tenant_id, fact.business_key]))
          : (holders as unknown[]).includes(fact.event_id);
      return factsWhere(isWanted, limit);
    },
    mark_rivals: ([ids]) => {
      const stored = factsWhere((fact) => (ids as unknown[]).includes(fact.event_id));
      for (const fact of stored) fact.is_rival = true;
      return stored;
    },
    read_refunds: ([t, k, limit]) => {
      const wanted = wantedOf([t, k] as unknown[][]);
      return factsWhere((fact) => wanted.has(key([fact.tenant_id, fact.purchase_key])), limit);
    },
    read_facts_of_users: ([t, u, limit]) =>
      [...wantedOf([t, u] as unknown[][])].flatMap((wanted) =>
        factsWhere((fact) => key([fact.tenant_id, fact.new_user_id]) === wanted, limit),
      ),

    insert_claims: (v) =>
      rowsOf(v).flatMap((row) => {
        const claim = claimRow(row);
        const id = key([claim['tenant_id'], claim['business_key']]);
        if (claims.has(id)) return [];
        claims.set(id, claim);
        return [claim];
      }),
    lock_claims: (v) => rowsOf(v).flatMap((row) => claims.get(key(row)) ?? []),
    read_claims: (v) => rowsOf(v).flatMap((row) => claims.get(key(row)) ?? []),
    move_claims: (v) => {
      for (const row of rowsOf(v)) claims.set(key(row.slice(0, 2)), claimRow(row));
      return [];
    },
    read_claims_of_invoices: (v) => {
      const wanted = wantedOf(v as unknown[][]);
      return [...claims.values()].filter((claim) =>
        wanted.has(key([claim['tenant_id'], claim['invoice']])),
      );
    },

    insert_codes: (v) =>
      rowsOf(v).flatMap((row) => {
        const [tenant_id, ucc, version, record] = row as [string, string, number, string];
        const id = key([tenant_id, ucc, version]);
        if (codes.has(id)) return [];
        codes.set(id, { tenant_id, ucc, record: JSON.parse(record) as CodeRecord });
        return [{ tenant_id, ucc }];
      }),
    read_codes: (v) => {
      const wanted = wantedOf(v as unknown[][]);
      return [...codes.values()].filter((code) => wanted.has(key([code.tenant_id, code.ucc])));
    },
    read_code_owners: (v) => rowsOf(v).flatMap((row) => owners.get(key(row)) ?? []),
    write_code_owners: (v) => {
      for (const row of rowsOf(v)) {
        owners.set(key(row.slice(0, 2)), zip(ownerColumns, row) as Owner);
      }
      return [];
    },
    read_owners_since: (v) => {
      const wanted = wantedOf(v as unknown[][]);
      const owned = [...owners.values()].filter((o) => wanted.has(key([o.tenantId, o.ownerId])));
      return [...Map.groupBy(owned, (o) => key([o.tenantId, o.ownerId])).values()].map((own) => ({
        tenant_id: own[0]?.tenantId,
        owner_id: own[0]?.ownerId,
        since: own.map(({ issuedAt }) => issuedAt).sort()[0],
      }));
    },

    insert_users: (v) =>
      rowsOf(v).flatMap((row) => {
        const [tenantId, newUserId, state] = row as [string, string, string];
        if (users.has(key([tenantId, newUserId]))) return [];
        const user = { tenantId, newUserId, state: JSON.parse(state) as object };
        users.set(key([tenantId, newUserId]), user);
        return [user];
      }),
    lock_users: (v) => rowsOf(v).flatMap((row) => users.get(key(row)) ?? []),
    read_users: (v) => rowsOf(v).flatMap((row) => users.get(key(row)) ?? []),
    write_users: (v) => {
      for (const row of rowsOf(v)) {
        const [tenantId, newUserId, state] = row as [string, string, string];
        const id = key([tenantId, newUserId]);
        if (!users.has(id)) throw new Error('no such user');
        users.set(id, { tenantId, newUserId, state: JSON.parse(state) as object });
      }
      return [];
    },
    read_referrals_of: (v) => {
      const wanted = wantedOf(v as unknown[][]);
      return [...referrals.values()].filter((r) =>
        wanted.has(key([r['tenant_id'], r['new_user_id']])),
      );
    },
    read_referrals: (v) => rowsOf(v).flatMap((row) => referrals.get(key(row)) ?? []),
    write_referrals: (v) => {
      for (const row of rowsOf(v)) referrals.set(key(row.slice(0, 3)), zip(referralColumns, row));
      return [];
    },
    remove_referrals: (v) => {
      for (const row of rowsOf(v)) referrals.delete(key(row));
      return [];
    },

    insert_revisions: (v) =>
      rowsOf(v).flatMap((row) => {
        const id = key(row.slice(0, 3));
        if (revisions.has(id)) return [];
        const revision = {
          ...zip(revisionColumns, row),
          settings: JSON.parse(String(row[6])) as object,
        };
        revisions.set(id, revision);
        return [revision];
      }),
    read_revisions: (v) => {
      const wanted = wantedOf(v as unknown[][]);
      return [...revisions.values()].filter((r) =>
        wanted.has(key([r['tenant_id'], r['campaign_id']])),
      );
    },
    raise_catalog_versions: ([ids]) =>
      (ids as string[]).map((tenant_id) => {
        const { catalog_version = '0', modes = null } = tenants.get(tenant_id) ?? {};
        const next = { tenant_id, catalog_version: String(Number(catalog_version) + 1), modes };
        tenants.set(tenant_id, next);
        return next;
      }),
    read_tenants: ([ids]) => (ids as string[]).flatMap((id) => tenants.get(id) ?? []),
    write_modes: (v) => {
      for (const row of rowsOf(v)) {
        const [tenant_id, modes] = row as [string, string];
        const { catalog_version = '0' } = tenants.get(tenant_id) ?? {};
        tenants.set(tenant_id, { tenant_id, catalog_version, modes: JSON.parse(modes) });
      }
      return [];
    },

    read_decisions: ([ids]) => (ids as string[]).flatMap((id) => decisions.get(id) ?? []),
    write_decisions: (v) => {
      for (const row of rowsOf(v)) decide(row);
      return [];
    },
    read_due_undecided: () => [],

    add_refolds: (v) => {
      for (const row of rowsOf(v)) {
        const refoldId = String(nextJob++);
        const [tenantId, scope, subject, foldedBelow, fromSeconds] = row as string[];
        const job = { tenantId, scope, subject, foldedBelow, fromSeconds } as RecomputeJob;
        jobs.push({ ...job, refoldId, ...{ afterUcc: '', afterSeconds: null, afterEventId: '' } });
      }
      return [];
    },
    take_refold_any: () => jobs.slice(0, 1),
    take_other_users_any: ([tenantId, subject, limit, maxFacts]) => {
      const gone = jobs
        .filter((r) => r.tenantId === tenantId && r.scope === 'user' && r.subject !== subject)
        .filter(({ afterEventId }) => afterEventId === '')
        .filter((r) => factsOf(tenantId, r.subject).length <= Number(maxFacts))
        .slice(0, Number(limit));
      jobs = jobs.filter((job) => !gone.includes(job));
      const names = new Set(gone.map((job) => job.subject));
      return [...names].map((newUserId) => ({ tenantId, newUserId }));
    },
    advance_refold: ([id, ...cursor]) => {
      const next = zip(['afterUcc', 'afterSeconds', 'afterEventId'], cursor);
      const others = jobs.filter(({ refoldId }) => refoldId !== id);
      const own = jobs.filter(({ refoldId }) => refoldId === id);
      jobs = [...others, ...own.map((r): RecomputeJob => ({ ...r, ...next }))];
      return [];
    },
    remove_refold: ([id]) => {
      jobs = jobs.filter(({ refoldId }) => refoldId !== id);
      return [];
    },
    absorb_equal_refolds_any: ([tenantId, scope, subject, id]) => {
      const equal = (job: RecomputeJob) =>
        job.refoldId !== id &&
        job.afterEventId === '' &&
        key([job.tenantId, job.scope, job.subject]) === key([tenantId, scope, subject]);
      const gone = jobs.filter(equal);
      jobs = jobs.filter((job) => !equal(job));
      return gone;
    },
    page_of_code: ([t, ucc, ...[seconds, after, limit]]) =>
      byTime((fact) => fact.tenant_id === t && fact.ucc === ucc, [seconds, after], limit),
    page_of_user: ([t, user, ...[seconds, after, limit]]) =>
      byTime((fact) => fact.tenant_id === t && fact.new_user_id === user, [seconds, after], limit),
    read_codes_of_campaign: ([t, campaign, from, limit]) =>
      [...owners.values()]
        .filter((owner) => owner.tenantId === t && owner.campaignId === campaign)
        .filter(({ ucc }) => ucc >= String(from))
        .sort((a, b) => (a.ucc < b.ucc ? -1 : 1))
        .slice(0, Number(limit)),
    page_of_claim: ([t, subject, after, limit]) => {
      const invoice = claims.get(key([t, subject]))?.['invoice'] ?? null;
      const names = [...claims.values()]
        .filter((c) => c['tenant_id'] === t && invoice !== null && c['invoice'] === invoice)
        .map((claim) => claim['business_key']);
      names.push(String(subject));
      const held = names.map((name) => claims.get(key([t, name]))?.['event_id']);
      const named = (fact: FactRow) =>
        (fact.is_rival ? names.includes(fact.business_key) : held.includes(fact.event_id)) ||
        names.includes(String(fact.purchase_key));
      return page((fact) => fact.tenant_id === t && named(fact), after, limit);
    },
    enqueue_outbox: ([records]) => {
      const entries = unpackEntries(records as Buffer);
      outbox.push(...entries.map(({ value }) => JSON.parse(value!) as DecisionRecord));
      return [];
    },
    page_of_campaign: ([t, codes, ucc, ...[seconds, after, from, below, limit]]) =>
      (codes as string[])
        .flatMap((code) =>
          byTime(
            (fact) =>
              fact.tenant_id === t &&
              fact.ucc === code &&
              compareDecimal(fact.occurred_at_seconds, String(from)) >= 0 &&
              Number(decisions.get(fact.event_id)!.folded_under) < Number(below),
            code === ucc ? [seconds, after] : [null],
            limit,
          ),
        )
        .map((fact) => ({ ...fact, after_ucc: fact.ucc }))
        .slice(0, Number(limit)),
    page_of_tenant: ([t, after, limit]) =>
      [...users.values()]
        .filter((user) => user.tenantId === t && user.newUserId > String(after))
        .sort((a, b) => (a.newUserId < b.newUserId ? -1 : 1))
        .slice(0, Number(limit)),
  };

  function run(query: string | { name: string; values?: unknown[] }) {
    if (typeof query === 'string') return [];
    if (query.name.startsWith('lock_tenant') || query.name.startsWith('lock_code')) return [];
    const statement = statements[query.name];
    if (!statement) throw new Error(`no such statement: ${query.name}`);
    return statement(query.values ?? []);
  }

  const tx = {
    query(query: string | { name: string; values?: unknown[] }) {
      const rows = run(query);
      const command = typeof query === 'string' ? query.toUpperCase() : '';
      return Promise.resolve({ rows, rowCount: rows.length, command });
    },
    on: () => undefined,
    off: () => undefined,
    release: () => undefined,
  };

  return {
    tx: tx as unknown as Tx,
    pool: { connect: () => Promise.resolve(tx) } as unknown as pg.Pool,
    /** Versions and digests of what is stored, by event. */
    decisions: () => decisions,
    outbox: () => outbox,
    recomputeJobs: () => jobs.length,
  };
}

type Row = Record<string, unknown>;
type FactRow = StoredFact & {
  purchase_key: string | null;
  occurred_at_seconds: string;
  is_rival: boolean;
};
type Owner = {
  tenantId: string;
  ucc: string;
  ownerId: string;
  issuedAt: string;
  campaignId: string;
};
type User = { tenantId: string; newUserId: string; state: object };
type RecomputeJob = {
  refoldId: string;
  tenantId: string;
  scope: string;
  subject: string;
  foldedBelow: string | null;
  fromSeconds: string | null;
  afterUcc: string;
  afterSeconds: string | null;
  afterEventId: string;
};
type Decision = {
  event_id: string;
  campaign_id: string | null;
  folded_under: string;
  version: number;
  digest: Buffer;
  former_record: null;
};

const factColumns = [
  ...['tenant_id', 'new_user_id', 'ucc', 'business_key', 'purchase_key', 'occurred_at_seconds'],
  ...['reported', 'is_rival'],
];
const claimColumns = ['tenant_id', 'business_key', 'event_id', 'invoice'];
const ownerColumns = ['tenantId', 'ucc', 'ownerId', 'issuedAt', 'campaignId'];
const referralColumns = [
  'tenant_id',
  'new_user_id',
  'owner_id',
  'event_id',
  'occurred_at_seconds',
  'received_at',
  'recovered',
];
const revisionColumns = [
  'tenant_id',
  'campaign_id',
  'revision',
  'status',
  'effective_from',
  'effective_from_seconds',
];
const decisionColumns = ['event_id', 'version', 'outcome', 'campaign_id', 'folded_under', 'digest'];

/** Columns to rows, as `unnest` does; what is no column (a limit) is not passed. */
function rowsOf(columns: readonly unknown[]): unknown[][] {
  const [first = []] = columns as unknown[][];
  return first.map((_, i) => (columns as unknown[][]).map((column) => column[i]));
}

function zip(names: readonly string[], row: readonly unknown[]): Row {
  return Object.fromEntries(names.map((name, i) => [name, row[i]]));
}

function key(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

function orderOf(fact: FactRow, seconds: unknown, eventId: unknown): number {
  const bySeconds = compareDecimal(fact.occurred_at_seconds, String(seconds));
  return bySeconds || (fact.event_id > String(eventId) ? 1 : -1);
}
