import type {
  InternalReply,
  InternalRequest,
  InternalRoute,
} from '@tributary/http/internal-router';
import { idsOf, narrowingOf, replyInChunks } from '@tributary/http/state-request';
import type { LiveState } from './live-state.ts';
import type { Offsets } from '../db/settle.ts';

/**
 * What a replay asks of a generation of rewards:
 *
 * - `POST /internal/state` with `{ reached }`, ends of the decisions' topic at which attribution is
 *   frozen: current rewards and recipients; `?tenant=` and `?user=` narrow them. 503 says what is
 *   not done yet after some seconds.
 * - `POST /internal/items` with `{ rewardIds }`: some of them in full.
 */
export function stateRoutes(state: LiveState): InternalRoute[] {
  return [
    { method: 'POST', path: '/state', atOnce: 2, answer: (request) => tellState(state, request) },
    { method: 'POST', path: '/items', answer: (request) => tellItems(state, request) },
  ];
}

async function tellState(
  state: LiveState,
  { json, query, signal }: InternalRequest,
): Promise<InternalReply> {
  const { reached } = (json ?? {}) as { reached?: unknown };
  if (!isOffsets(reached)) {
    return { problem: 'VALIDATION_ERROR', detail: 'reached must name an offset per partition.' };
  }
  const reported = await state.tell(reached, narrowingOf(query), signal);
  if (reported.outcome === 'settled') return replyInChunks(reported.value);
  return { problem: 'SERVICE_UNAVAILABLE', detail: reported.detail };
}

async function tellItems(state: LiveState, { json }: InternalRequest): Promise<InternalReply> {
  const rewardIds = idsOf(json, 'rewardIds');
  if (!rewardIds) return { problem: 'VALIDATION_ERROR', detail: 'rewardIds: at most 200 ids.' };
  return { status: 200, body: { rewards: await state.rewards(rewardIds) } };
}

function isOffsets(value: unknown): value is Offsets {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((end) => typeof end === 'string' && /^\d{1,19}$/.test(end));
}
