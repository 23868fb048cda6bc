import { DeadLetterRecord } from '@tributary/contracts/dead-letter-record';
import { exactText } from '@tributary/contracts/dead-letter-key';
import { AppendRefused } from '@tributary/event-log/appender';
import type { ReadModel } from '@tributary/generations/start-read-model';
import {
  type ActedOn,
  type DeadLetterLog,
  discardDeadLetter,
  redriveDeadLetter,
} from '../../commands/act-on-dead-letter.ts';
import {
  type DeadLetterItem,
  deadLetterStatuses,
  findDeadLetter,
  listDeadLetters,
} from '../../read-model/queries/dead-letters.ts';
import { asOf, nextCursor, pageOf, pageParameters } from './paged-answer.ts';
import { idText, oneOf, readQuery, time } from './query.ts';
import { Refusal } from './refusal.ts';
import { readActionBody } from './reward-action-routes.ts';
import type { AdminRequest, Handler, Route } from './route.ts';

const listParameters = {
  status: oneOf(...deadLetterStatuses),
  topic: idText(),
  reader: idText(),
  reason: oneOf(...DeadLetterRecord.properties.reason.anyOf.map((literal) => literal.const)),
  from: time(),
  to: time(),
  ...pageParameters,
};

/** Records that their readers put aside: of all tenants, since often nobody can say of which. */
export function deadLetterRoutes(readModel: ReadModel, log: DeadLetterLog): Route[] {
  const acting =
    (act: typeof redriveDeadLetter): Handler =>
    async (request) => {
      const said = readActionBody(await request.json());
      const acted = await act(readModel.pool, log, itemIdOf(request), said).catch(notTaken);
      return { status: 200, body: answerOf(acted) };
    };

  return [
    {
      path: '/api/dead-letters',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, listParameters);
          const { items, next } = await listDeadLetters(readModel.pool, query, pageOf(query));
          const body = { deadLetters: items.map(toSummary), nextCursor: nextCursor(next) };
          return { status: 200, body: { ...body, asOf: asOf(readModel) } };
        },
      },
    },
    {
      path: '/api/dead-letters/:itemId',
      methods: {
        GET: async (request) => {
          const item = await findDeadLetter(readModel.pool, itemIdOf(request));
          if (item === undefined) throw noSuchItem();
          const body = { ...toSummary(item), value: toValue(item), asOf: asOf(readModel) };
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/dead-letters/:itemId/redrive',
      methods: { POST: acting(redriveDeadLetter) },
    },
    {
      path: '/api/dead-letters/:itemId/discard',
      methods: { POST: acting(discardDeadLetter) },
    },
  ];
}

function itemIdOf(request: AdminRequest): string {
  const itemId = request.param('itemId');
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
    detail: 'The log did not take it in time. What of it is done changes nothing: ask again.',
  });
}
