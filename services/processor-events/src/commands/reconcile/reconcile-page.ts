import type { Static } from '@sinclair/typebox';
import type { ReconciledPage } from '@tributary/contracts/admin/processor-answers';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import {
  type ProcessorFetched,
  processorSchemaVersion,
} from '@tributary/contracts/processor-record';
import type { Appender } from '@tributary/event-log/appender';
import { appendRecords } from '../../log/append-records.ts';
import { findBackground } from '../../db/find-background.ts';
import { findKnown } from '../../db/find-known.ts';
import type { Queryable } from '../../db/queryable.ts';
import { findPrice } from '../../db/readings.ts';
import type { StripeAccount, StripeApi } from '../../stripe/api.ts';
import type { Item } from '../../domain/model.ts';
import { subjectOf } from '../../domain/subject-of.ts';
import { type AskStripe, createAskStripe, inParallel, StripeRefuses } from './ask-stripe.ts';
import { type Compared, compareListed, type Comparison } from './compare-listed.ts';
import { findExtras } from './find-extras.ts';
import { type Finding, momentOf } from './finding.ts';
import { type Payment, paymentOf } from './listed.ts';
import { cursorOf, endOf, type Place, spanOf, type Walk } from './walk.ts';

/** `reachedAt` and `endsAt`: how far back in time the walk is, and where it ends. */
export type Reconciled = Static<typeof ReconciledPage>;

export type ReconcilePage = (
  asked: { connection: ProcessorConnectionRecord; account: StripeAccount; append: boolean },
  walk: Walk,
  place: Place,
) => Promise<Reconciled>;

/** Objects of a page at Stripe, and questions at once beside it. */
const pageSize = 100;
const atOnce = 8;

/**
 * One page of a walk: what Stripe lists against the facts here, then the facts of the same time
 * that Stripe did not list. Nothing is kept; a page that is asked for twice finds the same.
 *
 * With `append`, objects of missing ones go on the topic of the processor as if an event had
 * reported them, and all else follows as for events. One that is there, or is reported as such
 * already, is not appended; one that is appended twice, by two walks, is a copy that changes
 * nothing.
 *
 * @throws {StripeRefuses} when Stripe cannot be asked, {AppendRefused} when the log takes nothing
 */
export function createReconcilePage(deps: {
  db: Queryable;
  stripe: Pick<StripeApi, 'fetch' | 'list'>;
  appender: Pick<Appender, 'append'>;
  /** Name on the broker. */
  processorTopic: string;
  now: () => Date;
}): ReconcilePage {
  const { db, stripe, appender, processorTopic } = deps;

  return async ({ connection, account, append }, walk, place) => {
    const { tenantId, connectionId } = connection;
    const ask = askOf(tenantId, account);
    const asked = { tenantId, connectionId, ask };
    const endsAt = momentOf(endOf(walk));

    if (place.at === 'extras') {
      const { span, below, after } = place;
      const extras = await findExtras(db, walk, { ...asked, span, below, listed: new Set() });
      const next = nextPlace(span, extras.below, after);
      const reachedAt = momentOf(below.madeAt);
      return { scanned: 0, reachedAt, endsAt, appended: 0, ...withNext(extras.findings, next) };
    }

    const page = await listAt(account, walk, place);
    const now = deps.now().toISOString();
    const compared = await compareAll(walk, page.listed, {
      ...{ tenantId, connectionId, taxPolicy: connection.taxPolicy },
      ...{ now, ask },
    });
    const records = append ? recordsOf(compared, connection, now) : [];
    if (records.length > 0) await appendRecords(appender, processorTopic, records);
    const span = spanOf(walk, place, page.listed, page.nextCursor === null);
    const listed = new Set(page.listed.map(({ id }) => id));
    const extras = await findExtras(db, walk, { ...asked, span, listed });
    const findings = compared.map(({ finding, append: object }) =>
      append && object ? { ...finding, appended: true as const } : finding,
    );
    return {
      scanned: page.listed.length,
      reachedAt: momentOf(Math.min(span.from, Date.parse(now) / 1_000)),
      endsAt,
      appended: records.length,
      ...withNext(
        [...findings, ...extras.findings],
        nextPlace(span, extras.below, page.nextCursor),
      ),
    };
  };

  function askOf(tenantId: string, account: StripeAccount): AskStripe {
    const askStripe = createAskStripe(stripe, account);
    return async (type, id) => {
      const price = type === 'price' ? await findPrice(db, tenantId, id) : undefined;
      return price ?? askStripe(type, id);
    };
  }

  async function listAt(
    account: StripeAccount,
    walk: Walk,
    { after }: Extract<Place, { at: 'list' }>,
  ) {
    const page = await stripe.list(account, {
      ...{ kind: walk.kind, createdSince: endOf(walk), limit: pageSize },
      ...(after !== undefined && { cursor: after }),
    });
    if (page.outcome !== 'page') throw new StripeRefuses(page);
    return page;
  }

  async function compareAll(
    walk: Walk,
    listed: Parameters<typeof paymentOf>[2][],
    about: Omit<Comparison, 'background'>,
  ): Promise<Compared[]> {
    const payments = listed
      .map((one) => paymentOf(about.tenantId, walk, one))
      .filter((payment): payment is Payment => payment !== undefined);
    const itemIds = payments.flatMap(({ itemId }) => (itemId === undefined ? [] : [itemId]));
    const known = await findKnown(db, about.tenantId, [...new Set(itemIds)]);
    const subjectIds = [...known.values()].map(({ subjectId }) => subjectId);
    const background = await findBackground(db, [...new Set(subjectIds)]);
    const compared = await inParallel(payments, atOnce, (payment) =>
      compareListed(payment, known.get(payment.itemId ?? ''), { ...about, background }),
    );
    return compared.filter((one) => one !== undefined);
  }
}

/** After a page come the facts of its time that one call could not ask for, then the next page. */
function nextPlace(
  span: { from: number; until: number },
  below: Extract<Place, { at: 'extras' }>['below'] | undefined,
  after: string | null,
): Place | null {
  if (below) return { at: 'extras', span, below, after };
  return after === null ? null : { at: 'list', after, until: span.from };
}

function withNext(findings: Finding[], next: Place | null) {
  return { findings, nextCursor: next && cursorOf(next) };
}

/** A charge with several missing refunds is told once. */
function recordsOf(
  compared: readonly Compared[],
  { tenantId, connectionId, taxPolicy }: ProcessorConnectionRecord,
  receivedAt: string,
): ProcessorFetched[] {
  const objects = new Map<string, Item['object']>();
  for (const { append } of compared) if (append) objects.set(append.id, append);
  return [...objects.values()].map((object) => ({
    ...{ schemaVersion: processorSchemaVersion, tenantId, connectionId, processor: 'stripe' },
    ...{ subject: subjectOf(object), receivedAt, taxPolicy },
    ...{ type: 'fetched', cause: 'reconcile', object },
  }));
}
