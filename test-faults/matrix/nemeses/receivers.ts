import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Webhook } from '../evidence.ts';
import type { Reply } from '../receiver.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';
import { shortLeases } from './processes.ts';

type Misbehaviour = {
  name: string;
  says: string;
  reply(field: Battlefield): Reply;
  /** How to say that so many were treated so. */
  done: string;
  /** Which were: by default those without a 2xx, else those whose sender ended the connection. */
  by?: 'sender';
  stack?: NonNullable<Nemesis['stack']>;
};

/** Who waits for an answer in vain does so several times while the fault lasts. */
const shortWaits = { variables: shortLeases };

/** Endpoints that behave so for a while, and whose webhooks then come again and are taken. */
function receiver({ name, says, reply, done, by, stack = {} }: Misbehaviour): Nemesis {
  return {
    ...{ name: `receiver-${name}`, says, stack },
    async run(field) {
      const { webhooks, givenUp, behave, take } = field.receiver;
      const [came, left] = [webhooks.length, givenUp()];
      field.doing();
      behave(reply(field));
      await delay(field.windowMs);
      const refused = webhooks.slice(came).filter(isRefused).length;
      const count = by === 'sender' ? givenUp() - left : refused;
      field.undoing();
      take();
      if (count > 0) field.fired(`${count} webhooks ${done}`);
    },
  };
}

function isRefused({ status = 0 }: Webhook): boolean {
  return status < 200 || status > 299;
}

const retryAfterMs = 10_000;

const limited = receiver({
  ...{ name: '429', says: `endpoints answer 429, Retry-After: ${retryAfterMs / 1_000}` },
  reply: () => ({ status: 429, headers: { 'retry-after': String(retryAfterMs / 1_000) } }),
  done: 'were answered 429',
});

export const receivers: readonly Nemesis[] = [
  receiver({
    ...{ name: 'fails', says: 'endpoints answer 500' },
    reply: () => ({ status: 500 }),
    done: 'were answered 500',
  }),
  receiver({
    ...{ name: 'hangs', says: 'endpoints read webhooks and never answer' },
    ...{ reply: () => 'hang', stack: shortWaits },
    done: 'got no answer until their sender gave up',
    by: 'sender',
  }),
  receiver({
    ...{ name: 'resets', says: 'endpoints read webhooks and reset the connection' },
    reply: () => 'reset',
    done: 'were read, and their connections reset',
  }),
  {
    ...limited,
    async run(field) {
      const { webhooks } = field.receiver;
      const from = webhooks.length;
      await limited.run(field);
      await eventually(() => expect(lastOfEach(webhooks, from)).to.not.include(429), {
        deadlineMs: 90_000,
      });
      for (const [id, arrivals] of Map.groupBy(webhooks.slice(from), idOf)) {
        for (const [i, { status, at }] of arrivals.entries()) {
          const afterMs = Date.parse(arrivals[i + 1]?.at ?? '') - Date.parse(at);
          if (status === 429 && afterMs < retryAfterMs) {
            throw new Error(`webhook ${id} came again ${afterMs} ms after a 429`);
          }
        }
      }
    },
  },
  receiver({
    ...{ name: 'drips', says: 'endpoints answer 200 and never come to the end of the answer' },
    ...{ reply: () => ({ status: 200, body: 'drips' }), stack: shortWaits },
    done: 'got an answer without an end until their sender gave up',
    by: 'sender',
  }),
  receiver({
    ...{ name: 'floods', says: 'endpoints answer 200 with a body that is larger than any memory' },
    reply: () => ({ status: 200, body: 'floods' }),
    done: 'were answered with more than their sender reads',
    by: 'sender',
  }),
  receiver({
    ...{ name: 'redirects', says: 'endpoints redirect to another one, which nobody may follow' },
    reply: ({ receiver: { urlOf } }) => ({ status: 307, headers: { location: urlOf('other') } }),
    done: 'were answered 307',
  }),
];

function idOf({ body }: Webhook): string {
  return (JSON.parse(body) as { eventId: string }).eventId;
}

/** What each webhook was answered when it came last. */
function lastOfEach(webhooks: readonly Webhook[], from: number): (number | undefined)[] {
  const groups = Map.groupBy(webhooks.slice(from), idOf);
  return [...groups.values()].map((arrivals) => arrivals.at(-1)!.status);
}
