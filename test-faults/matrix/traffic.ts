import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, type Random } from '../chain/random.ts';
import type { Client } from './client.ts';
import type { SentRequest } from './evidence.ts';
import type { Customer, History } from './history.ts';
import type { Reporter } from './sources/source.ts';
import { operate } from './tenants.ts';

const submissionsPerSecond = 32;
/** Requests that begin at once: so many are under way together, also where each takes a moment. */
const burst = 8;

/** Requests begin at a pace, on a slow machine a lower one, whatever became of those before. */
export function startLoad(options: {
  client: Client;
  history: History;
  customers: readonly Customer[];
  /** Who reports beside the customers' backends. */
  reporters: readonly Reporter[];
  seed: number;
}) {
  const { client, history, customers, reporters, seed } = options;
  let over = false;
  const goesOn = () => !over;
  const sent: Promise<unknown>[] = [];
  const random = createRandom(seed + 3);
  const operating = operate({ client, customers, random: createRandom(seed + 4), goesOn });

  async function buy(): Promise<void> {
    while (goesOn()) {
      const dueAt = performance.now() + (burst * 1_000) / submissionsPerSecond;
      for (let n = 0; n < burst; n++) {
        const submission = history.next();
        // Some customers do not try again, and never learn what became of a request.
        const isPatient = random.happens(0.7);
        sent.push(
          isPatient ? client.submitUntilKnown(submission, goesOn) : client.submit(submission),
        );
      }
      sent.push(lookAtAnother(client, customers, random));
      // A machine that is behind does not catch up: that would leave it nothing for the answers.
      await delay(Math.max(1, dueAt - performance.now()));
    }
  }

  const buying = buy();
  const reporting = reporters.map(({ report }, i) =>
    report({ client, random: createRandom(seed + 5 + i), goesOn }),
  );
  return {
    async stop(): Promise<void> {
      over = true;
      await buying;
      await operating;
      await Promise.all([...sent, ...reporting]);
    },
  };
}

/** A customer asks for the decision on an event, or for a code, of another one. */
async function lookAtAnother(
  client: Client,
  customers: readonly Customer[],
  random: Random,
): Promise<void> {
  const accepted = client.requests.filter(isAcceptedV2);
  const event = accepted[random.below(accepted.length)];
  if (event === undefined) return;
  const others = customers.filter(({ tenantId }) => tenantId !== event.tenantId);
  const { tenantId } = others[random.below(others.length)]!;
  const { eventId } = JSON.parse(event.answer ?? '{}') as { eventId: string };
  const { ucc } = JSON.parse(event.body ?? '{}') as { ucc: string };
  const path = random.happens(0.5) ? `/api/events/${eventId}` : `/referral-codes/${ucc}`;
  await client.ask({ by: 'probe', tenantId, method: 'GET', path });
}

export function isAcceptedV2({ by, path, outcome }: SentRequest): boolean {
  return by === 'customer' && path.startsWith('/v2/') && outcome === 'ok';
}
