import type { BodyOf } from '@tributary/contracts/admin/admin-route';
import { countLimit } from '@tributary/contracts/admin/answer-fields';
import { deadLetterRoutes as declared } from '@tributary/contracts/admin/dead-letters';
import { exactText } from '@tributary/contracts/dead-letter-key';
import { AppendRefused } from '@tributary/event-log/appender';
import type { ReadModel } from '@tributary/generations/start-read-model';
import {
  type ActedOn,
  type DeadLetterLog,
  discardDeadLetter,
  redriveDeadLetter,
} from '../console/commands/act-on-dead-letter.ts';
import {
  countDeadLetters,
  type DeadLetterItem,
  findDeadLetter,
  listDeadLetters,
} from '../console/db/queries/dead-letters.ts';
import { asOf, nextCursor, pageOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** Records that their readers put aside: of all tenants, since often nobody can say of which. */
export function deadLetterRoutes(readModel: ReadModel, log: DeadLetterLog): ServedRoute[] {
  async function answer(act: typeof redriveDeadLetter, asked: Acting) {
    const acted = await act(readModel.pool, log, itemIdOf(asked), asked.body).catch(notTaken);
    return { status: 200, body: answerOf(acted) } as const;
  }

  return [
    serve(declared.listDeadLetters)(async ({ query }) => {
      const { items, next } = await listDeadLetters(readModel.pool, query, pageOf(query));
      const body = { deadLetters: items.map(toSummary), nextCursor: nextCursor(next) };
      return { status: 200, body: { ...body, asOf: asOf(readModel) } };
    }),
    serve(declared.countDeadLetters)(async ({ query }) => {
      const { total, groups } = await countDeadLetters(readModel.pool, query);
      const counted = (count: number) => ({
        count: Math.min(count, countLimit),
        more: total > countLimit,
      });
      const body = {
        total: counted(total),
        groups: groups.map(({ by, value, count }) => ({ by, value, ...counted(count) })),
        asOf: asOf(readModel),
      };
      return { status: 200, body };
    }),
    serve(declared.showDeadLetter)(async (asked) => {
      const item = await findDeadLetter(readModel.pool, itemIdOf(asked));
      if (item === undefined) throw noSuchItem();
      const body = { ...toSummary(item), value: toValue(item), asOf: asOf(readModel) };
      return { status: 200, body };
    }),
    serve(declared.redriveDeadLetter)((asked) => answer(redriveDeadLetter, asked)),
    serve(declared.discardDeadLetter)((asked) => answer(discardDeadLetter, asked)),
  ];
}

type Acting = {
  params: { itemId: string };
  body: BodyOf<(typeof declared)['redriveDeadLetter']>;
};

function itemIdOf({ params: { itemId } }: { params: { itemId: string } }): string {
  if (!uuidPattern.test(itemId)) throw noSuchItem();
  return itemId;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Everything but the value, which may hold what is nobody's business. */
function toSummary({ itemId, status, originAt, origin, readers, actions }: DeadLetterItem) {
  const { topic, partition, offset, key } = origin;
  return {
    itemId,
    status,
    origin: { topic, partition, offset, key, at: originAt },
    readers,
    actions: actions.map(({ type, by, note, at }) => ({ type, by, note, at })),
  };
}

/** `null` for people, whose values are not kept. As text where it is some, else as base64. */
function toValue({
  value,
  cutFromBytes,
}: {
  value: string | null;
  cutFromBytes?: number | undefined;
}) {
  if (value === null) return null;
  const bytes = Buffer.from(value, 'base64');
  const text = exactText(bytes);
  return {
    ...(text === undefined ? { base64: value } : { text }),
    bytes: cutFromBytes ?? bytes.length,
    cut: cutFromBytes !== undefined,
  };
}

function answerOf(acted: ActedOn) {
  switch (acted.outcome) {
    case 'done':
      return toSummary(acted.item);
    case 'no-item':
      throw noSuchItem();
    case 'refused':
      throw new Refusal('CONFLICT', { detail: acted.why });
    default:
      return acted satisfies never;
  }
}

function noSuchItem(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no dead letter with this id.' });
}

function notTaken(error: unknown): never {
  if (!(error instanceof AppendRefused)) throw error;
  throw new Refusal('SERVICE_UNAVAILABLE', {
    detail:
      'The log did not accept the change in time. Send the request again; repeating it is harmless.',
  });
}
