import { setTimeout as delay } from 'node:timers/promises';
import type {
  InternalReply,
  InternalRequest,
  InternalRoute,
} from '@tributary/http/internal-router';
import { idsOf, narrowingOf, replyInChunks } from '@tributary/http/state-request';
import type { LiveState } from './live-state.ts';

/** Nobody keeps attribution frozen for longer. */
const maxFrozenMs = 20_000;

/**
 * What a replay asks of a generation of attribution:
 *
 * - `POST /internal/freeze`: an answer that stays open while attribution is frozen, at most
 *   {@link maxFrozenMs}; its first line says where. Whoever closes the request ends it.
 * - `GET /internal/state`: the current decisions; `?tenant=` and `?user=` narrow them.
 * - `POST /internal/items` with `{ eventIds }`: some of them in full (decisions-in-full.ts).
 */
export function stateRoutes(state: LiveState): InternalRoute[] {
  return [
    { method: 'POST', path: '/freeze', atOnce: 1, answer: (request) => freeze(state, request) },
    {
      method: 'GET',
      path: '/state',
      atOnce: 2,
      answer: ({ query }) => replyInChunks(state.tell(narrowingOf(query))),
    },
    { method: 'POST', path: '/items', answer: (request) => tellItems(state, request) },
  ];
}

async function freeze(state: LiveState, { signal }: InternalRequest): Promise<InternalReply> {
  const result = await state.freeze(signal);
  if (result.outcome === 'not-now') {
    return { problem: 'SERVICE_UNAVAILABLE', detail: result.detail };
  }
  const { positions, outputEnds, end } = result.freeze;
  return {
    lines: async (write) => {
      try {
        const { generation, foldVersion } = state;
        const reported = { generation, foldVersion, positions, outputEnds };
        await write(`${JSON.stringify(reported)}\n`);
        await delay(maxFrozenMs, undefined, { signal });
      } finally {
        await end();
      }
    },
  };
}

async function tellItems(state: LiveState, { json }: InternalRequest): Promise<InternalReply> {
  const eventIds = idsOf(json, 'eventIds');
  if (!eventIds) return { problem: 'VALIDATION_ERROR', detail: 'eventIds: at most 200 ids.' };
  return { status: 200, body: await state.decisionsOn(eventIds) };
}
