import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { divided, reservationKey } from '../redis/keys.ts';
import { type Answer, type IngestFixture, type IngestProcess, purchase } from './ingest-fixture.ts';

/** What was acknowledged to a caller who sends keyed events, and whether it holds. */
export function createKeyedAnswers(fixture: IngestFixture, api: () => IngestProcess) {
  const texts = new Map<string, string>();
  const bodies = new Map<string, ReturnType<typeof purchase>>();
  let token: string | undefined;

  async function send(key: string | undefined, body = purchase({ invoiceId: key ?? 'unkeyed' })) {
    token ??= await api().token({ accessKeyId: 'key-a', secretAccessKey: 'secret-a' });
    return api().purchase(token, body, key);
  }

  /** Waits for the store: the first answer that is not "try again". */
  const whenUsable = (
    key: string,
    body?: ReturnType<typeof purchase>,
    waiting: Parameters<typeof eventually>[1] = { deadlineMs: 60_000 },
  ): Promise<Answer> =>
    eventually(async () => {
      const answer = await send(key, body);
      expect(answer.status, answer.text).not.to.equal(503);
      return answer;
    }, waiting);

  return {
    send,
    /** Sends each until it is acknowledged; one that was before gets the same answer. */
    async acknowledge(keys: readonly string[]): Promise<void> {
      const answers = await Promise.all(keys.map((key) => whenUsable(key, bodyOf(key))));
      for (const [i, { status, text }] of answers.entries()) {
        const key = keys[i]!;
        expect([status, text], key).to.eql([202, texts.get(key) ?? text]);
        texts.set(key, text);
      }
    },
    /** Each is acknowledged long before a part that is rebuilt would take any. */
    async areTaken(keys: readonly string[]): Promise<void> {
      // Before a rebuild can have ended, which waits for what may be under way.
      const soon = { deadlineMs: fixture.settings.appendDeadlineMs + 4_000, factor: 1 };
      for (const key of keys) {
        expect((await whenUsable(key, bodyOf(key), soon)).status, key).to.equal(202);
      }
    },
    /** Each gets its first answer again, and 409 with another body. */
    async hold(): Promise<void> {
      await this.acknowledge([...texts.keys()]);
      const others = await Promise.all(
        [...texts.keys()].map((key) => whenUsable(key, purchase({ invoiceId: `not ${key}` }))),
      );
      expect(new Set(others.map(({ status }) => status))).to.eql(new Set([409]));
    },
    /** The log has one event id of each key, which is the acknowledged one. */
    async areOnLogOnce(): Promise<void> {
      const ids = new Map<string, Set<string>>();
      for (const { idempotency, eventId } of await fixture.events()) {
        if (idempotency === undefined) continue;
        ids.set(idempotency.key, (ids.get(idempotency.key) ?? new Set()).add(eventId));
      }
      for (const [key, text] of texts) {
        const { eventId } = JSON.parse(text) as { eventId: string };
        expect([...(ids.get(key) ?? [])], key).to.eql([eventId]);
      }
      expect([...ids.values()].filter(({ size }) => size !== 1)).to.eql([]);
    },
    /** The parts of the cluster's key space in which these keys are. */
    partsOf: (keys: readonly string[]): number[] => keys.map((key) => partOf(fixture, key)),
  };

  /** As a caller repeats it, with the time of the first attempt. */
  function bodyOf(key: string): ReturnType<typeof purchase> {
    const body = bodies.get(key) ?? purchase({ invoiceId: key });
    bodies.set(key, body);
    return body;
  }
}

function partOf({ settings }: IngestFixture, idempotencyKey: string): number {
  const scope = { tenantId: 'a', eventType: 'purchase-created' as const, idempotencyKey };
  return reservationKey(divided(settings.redisKeyPrefix), scope).part;
}
