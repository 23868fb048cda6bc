import { readModelRoutes as declared } from '@tributary/contracts/admin/read-model';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { inOneSnapshot } from '@tributary/runtime/postgres';
import { may } from '../accounts/domain/caller.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { explainText } from '../console/domain/explain/explain-text.ts';
import type { Subject } from '../console/domain/explain/story.ts';
import { asKnownAt } from '../console/db/queries/as-of.ts';
import { explain } from '../console/db/queries/explain.ts';
import { findEvent } from '../console/db/queries/list-events.ts';
import { tenantOfIssued } from '../console/db/queries/list-issuances.ts';
import { findReward } from '../console/db/queries/list-rewards.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** The chain from facts to deliveries, as records and in plain sentences (`text`). */
export function explainRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.explain)(async (asked) => {
      const subject = subjectOf(asked.query);
      const tenantId = await existingTenant(deployment, asked);
      return answer(readModel, tenantId, { subject, at: knownAt(readModel, asked.query.asOf) });
    }),
    serve(declared.explainAnywhere)(async ({ query, caller }) => {
      // Ids of events and rewards are unique over all tenants.
      const subject = subjectOf(query);
      const tenantId = await tenantOf(readModel, subject);
      const isTheirs = tenantId !== undefined && may(caller, declared.explain.right, tenantId);
      if (!isTheirs) throw nothingKnown(subject);
      return answer(readModel, tenantId, { subject, at: knownAt(readModel, query.asOf) });
    }),
  ];
}

async function answer(
  readModel: ReadModel,
  tenantId: string,
  { subject, at }: { subject: Subject; at: string | undefined },
) {
  // Before the snapshot: it has all that was read until then.
  const readTo = asOf(readModel);
  const explanation = await inOneSnapshot(readModel.pool, (tx) =>
    at === undefined
      ? explain(tx, tenantId, subject, readTo ?? undefined)
      : // Rewards are known from when the live generation was built, and issuances from before.
        explain(asKnownAt(tx, at), tenantId, subject),
  );
  if (explanation === undefined) throw nothingKnown(subject);
  const body = { ...explanation, text: explainText(explanation), asOf: at ?? readTo };
  // Whose names and e-mails were shown.
  return { status: 200, body, target: { [`${subject.kind}Id`]: subject.id } } as const;
}

/** @throws {Refusal} for a time that is not read to its end: the answer could change. */
function knownAt(readModel: ReadModel, at: string | undefined): string | undefined {
  if (at === undefined) return undefined;
  const readTo = asOf(readModel);
  if (readTo !== null && at <= readTo) return at;
  const detail =
    readTo === null
      ? 'is not known yet: the read model is being built'
      : `must not be later than ${readTo}, up to which everything is read`;
  const violation = { pointer: '/asOf', code: 'OUT_OF_RANGE', detail } as const;
  throw new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

async function tenantOf({ pool }: ReadModel, { kind, id }: Subject): Promise<string | undefined> {
  if (kind === 'event') return (await findEvent(pool, id))?.tenantId;
  return (await findReward(pool, id))?.tenantId ?? tenantOfIssued(pool, id);
}

function subjectOf(query: Partial<Record<Subject['kind'], string | undefined>>): Subject {
  const kinds = ['event', 'reward', 'invoice', 'user'] as const;
  const subjects = kinds.flatMap((kind) => {
    const id = query[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  const [subject] = subjects;
  if (subject !== undefined && subjects.length === 1) return subject;
  const detail = `give exactly one of ${kinds.join(', ')}`;
  const violation = { pointer: '/event', code: 'REQUIRED', detail } as const;
  throw new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

function nothingKnown({ kind }: Subject): Refusal {
  const detail = `Nothing is known about this ${kind}. If it was accepted a moment ago, it may not have been processed yet.`;
  return new Refusal('NOT_FOUND', { detail });
}
