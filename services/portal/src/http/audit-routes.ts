import { auditRoutes as declared } from '@tributary/contracts/admin/audit';
import { encodeCursor } from '@tributary/contracts/admin/cursor';
import type { Logger } from '@tributary/runtime/logger';
import type { Office } from '../accounts/commands/office.ts';
import { endAbandoned } from '../accounts/commands/audit-list.ts';
import { isActor, nameActors } from '../accounts/db/actor-names.ts';
import { may } from '../accounts/domain/caller.ts';
import { type AuditFilter, listEntries } from '../accounts/db/audit-entries.ts';
import { auditOpenMs, before } from '../accounts/domain/durations.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { existingTenant } from './existing-tenant.ts';
import { pageOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { uuidPattern } from './replay-routes.ts';
import { serve, type ServedRoute } from './route.ts';

/** Who did what, when and from where. */
export function auditRoutes(deployment: Deployment, office: Office, logger: Logger): ServedRoute[] {
  const { pool, clock } = office;

  async function answer(
    filter: AuditFilter,
    query: Parameters<typeof pageOf>[0],
    withStrangers: boolean,
  ) {
    const page = pageOf(query);
    refuseForeignCursor(page.after);
    // Whoever looks sees what was begun and never ended.
    await endAbandoned(office, before(clock.now(), auditOpenMs), (error, entryId) =>
      logger.error('an abandoned entry of the audit list cannot be ended', { error, entryId }),
    );
    const entries = await listEntries(pool, filter, page);
    const last = entries.length < page.limit ? undefined : entries.at(-1);
    const nextCursor = last ? encodeCursor([last.at.toISOString(), last.entryId]) : null;
    const actors = entries.map(({ actor }) => actor);
    const named = await nameActors(pool, actors, { tenantId: filter.tenantId, withStrangers });
    const shown = entries.map((entry) => ({ ...entry, ...named(entry.actor) }));
    return { status: 200, body: { entries: shown, nextCursor } } as const;
  }

  return [
    serve(declared.listTenantAudit)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const { limit, cursor, ...filter } = asked.query;
      return answer({ ...filter, tenantId }, { limit, cursor }, asked.caller.isOperator);
    }),
    serve(declared.showActor)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const { actor } = asked.params;
      if (!isActor(actor)) throw new Refusal('NOT_FOUND', { detail: noActor });
      const { isOperator } = asked.caller;
      const named = await nameActors(pool, [actor], { tenantId, withStrangers: isOperator });
      const shown = named(actor);
      const mayReach = may(asked.caller, 'administer', tenantId);
      const actorEmail = mayReach ? shown.actorEmail : null;
      return { status: 200, body: { actor, ...shown, actorEmail } };
    }),
    serve(declared.listAudit)(({ query: { limit, cursor, tenant, ...filter } }) =>
      answer({ ...filter, tenantId: tenant }, { limit, cursor }, true),
    ),
  ];
}

const noActor = 'An actor is account:… or token:… with the id, operator or nobody.';

/** What Postgres would not read. */
export function refuseForeignCursor(after: { at: string; id: string } | undefined): void {
  const isOwn =
    after === undefined ||
    (uuidPattern.test(after.id) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(after.at));
  if (isOwn && (after === undefined || !Number.isNaN(Date.parse(after.at)))) return;
  const detail = `must be ${declared.listAudit.query.cursor.expected}`;
  const errors = [{ pointer: '/cursor', code: 'INVALID_FORMAT' as const, detail }];
  throw new Refusal('VALIDATION_ERROR', { errors });
}
