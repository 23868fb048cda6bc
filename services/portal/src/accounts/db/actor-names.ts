import type { ActorKind } from '@tributary/contracts/admin/audit';
import { actorOfAccount, actorOfToken, bootstrap, nobody } from '../domain/caller.ts';
import type { Db } from './any-connection.ts';

/** What is told of an actor beside the id, which is all that records have. */
export type NamedActor = {
  actorKind: ActorKind;
  actorName: string | null;
  actorEmail: string | null;
};

/** In which tenant they acted; undefined: in any. */
type Shown = {
  tenantId: string | undefined;
  /** Also of people and tokens that are not the tenant's: for the deployment's operators. */
  withStrangers: boolean;
};

/**
 * Names as they are now, which are here and nowhere else: whoever is forgotten has none. A tenant
 * is shown those of its people and its tokens, as its own lists show them; who else acted in it is
 * told by kind.
 */
export async function nameActors(
  db: Db,
  actors: readonly string[],
  shown: Shown,
): Promise<(actor: string) => NamedActor> {
  const ids = (prefix: string) => {
    const found = actors.filter((each) => each.startsWith(prefix));
    return [...new Set(found.map((each) => each.slice(prefix.length)))].filter(isUuid);
  };
  const named = new Map([
    ...(await namesOfAccounts(db, ids(actorOfAccount('')), shown)),
    ...(await namesOfTokens(db, ids(actorOfToken('')), shown)),
  ]);
  return (actor) => named.get(actor) ?? unnamed(kindOf(actor));
}

async function namesOfAccounts(db: Db, ids: readonly string[], { tenantId, withStrangers }: Shown) {
  if (ids.length === 0) return [];
  type Row = Record<'id' | 'name', string> & {
    email: string | null;
    isOperator: boolean;
    isMember: boolean;
  };
  const { rows } = await db.query<Row>(
    `select account_id::text as id, name, email, is_operator as "isOperator",
       exists (select from membership m where m.account_id = a.account_id
         and ($2::text is null or m.tenant_id = $2)) as "isMember"
     from account a where account_id = any($1::uuid[]) and forgotten_at is null`,
    [ids, tenantId],
  );
  return rows.map(({ id, name, email, isOperator, isMember }) => {
    const actorKind: ActorKind = isMember ? 'member' : isOperator ? 'operator' : 'former';
    const isTold = isMember || withStrangers;
    const told = isTold ? { actorKind, actorName: name, actorEmail: email } : unnamed(actorKind);
    return [actorOfAccount(id), told] as const;
  });
}

async function namesOfTokens(db: Db, ids: readonly string[], { tenantId, withStrangers }: Shown) {
  if (ids.length === 0) return [];
  const { rows } = await db.query<{ id: string; name: string; tenantId: string | null }>(
    `select token_id::text as id, name, tenant_id as "tenantId" from api_token
     where token_id = any($1::uuid[])`,
    [ids],
  );
  return rows.map(({ id, name, tenantId: of }) => {
    const actorKind: ActorKind = of === null ? 'deployment-token' : 'token';
    const isTold = withStrangers || of === tenantId;
    const told = { ...unnamed(actorKind), ...(isTold && { actorName: name }) };
    return [actorOfToken(id), told] as const;
  });
}

/**
 * Whether a record could have it; others, such as the name that `--by` gives, are names already.
 */
export function isActor(text: string): boolean {
  const id = [actorOfAccount(''), actorOfToken('')].find((prefix) => text.startsWith(prefix));
  if (id === undefined) return text === bootstrap.actor || text === nobody.actor;
  return isUuid(text.slice(id.length));
}

/** Without a row there is the id alone: an account that was forgotten, or no one at all. */
function kindOf(actor: string): ActorKind {
  if (actor.startsWith(actorOfAccount(''))) return 'former';
  if (actor.startsWith(actorOfToken(''))) return 'token';
  return actor === bootstrap.actor ? 'configured-token' : 'nobody';
}

/** What Postgres would read as one. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function unnamed(actorKind: ActorKind): NamedActor {
  return { actorKind, actorName: null, actorEmail: null };
}
