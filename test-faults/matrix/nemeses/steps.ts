import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { endOf } from '../../../deploy/local/log-tail.ts';
import type { ServiceReplica } from '../../../deploy/local/service-replica.ts';
import type { ServiceName } from '../../../deploy/local/service-table.ts';
import { readPositions } from '../../positions.ts';
import { findInspector, inspected, type Step, stopAt } from '../breakpoint.ts';
import { foldSchemas, shortSessions } from './groups.ts';
import { aMoment } from './load.ts';
import {
  dispatcherSteps,
  ingestSteps,
  leftSteps,
  legacySteps,
  outboxSteps,
  rewardsSteps,
} from './named-steps.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';
import { shortLeases } from './processes.ts';

type Row = {
  service: ServiceName;
  steps: readonly Step[];
  variables?: Record<string, string>;
  /** How much it has done so far, in whatever there is to count. */
  done(field: Battlefield): number | Promise<number>;
};

/** Under load each step is passed again and again; some only while there is something left. */
const longestWayMs = 60_000;

/**
 * One kill at each step, while the process stands there: it is stopped by a breakpoint of its
 * debugger, so nothing in the product knows of it. A step that it never comes to is no kill, and
 * the row was not run.
 */
function killAtSteps({ service, steps, variables = {}, done }: Row): Nemesis {
  return {
    name: `steps-${service}`,
    says: `SIGKILL of ${service} at ${steps.length} steps, one after the other, under load`,
    stack: { variables: { [service]: { ...inspected, ...variables } } },
    async run(field) {
      const replica = field.stack.services[service].replicas[0]!;
      let logFrom = 0;
      let ready = Promise.resolve();
      for (const step of steps) {
        if (!leftSteps.includes(step)) {
          await ready;
          await aMoment(field);
        }
        await killAt(field, { replica, step, logFrom });
        logFrom = endOf(replica.logFile);
        field.undoing();
        ready = replica.restart().then(() => worksAgain(field, done));
        // It is waited for later, or was killed again before.
        ready.catch(() => undefined);
      }
      await ready;
    },
  };
}

async function killAt(
  field: Battlefield,
  { replica, step, logFrom }: { replica: ServiceReplica; step: Step; logFrom: number },
): Promise<void> {
  const { name, pid } = replica;
  const inspector = await findInspector(replica.logFile, logFrom);
  const stood = await stopAt(inspector, step, { deadlineMs: patiently(longestWayMs) });
  const { signal } = await replica.kill('SIGKILL');
  if (signal !== 'SIGKILL') throw new Error(`${name} ended by ${signal} at the step ${step.name}`);
  const { file, line, functionName, inHand } = stood;
  const events = `${field.client.eventsUnderWay()} events under way`;
  field.fired(
    `${step.name}: ${name} (pid ${pid}) ended by SIGKILL while it stood at ${file}:${line}, in ` +
      `${functionName || 'a callback'}, with ${inHand}; ${events}`,
  );
}

async function worksAgain(field: Battlefield, done: Row['done']): Promise<void> {
  const before = await done(field);
  await eventually(async () => expect(await done(field)).to.be.above(before), {
    ...{ deadlineMs: 60_000, everyMs: 100 },
  });
}

function answered({ client }: Battlefield, isMeant: (request: Asked) => boolean): number {
  return client.requests.filter((one) => one.outcome === 'ok' && isMeant(one)).length;
}
type Asked = Battlefield['client']['requests'][number];

async function applied({ db }: Battlefield, schema: string): Promise<number> {
  return (await readPositions(db, schema)).reduce((sum, { next }) => sum + next, 0);
}

export const steps: readonly Nemesis[] = [
  killAtSteps({
    ...{ service: 'ingest-api', steps: ingestSteps },
    done: (field) => answered(field, ({ by, key }) => by === 'customer' && key !== undefined),
  }),
  killAtSteps({
    ...{ service: 'legacy-events', steps: legacySteps },
    done: (field) => answered(field, ({ path }) => path === '/events'),
  }),
  killAtSteps({
    ...{ service: 'attribution', steps: outboxSteps, variables: shortSessions },
    done: (field) => applied(field, foldSchemas.attribution),
  }),
  killAtSteps({
    ...{ service: 'rewards', steps: rewardsSteps, variables: shortSessions },
    done: (field) => applied(field, foldSchemas.rewards),
  }),
  killAtSteps({
    ...{ service: 'webhook-dispatcher', steps: dispatcherSteps },
    variables: shortLeases['webhook-dispatcher'],
    done: ({ receiver }) => receiver.webhooks.filter(({ status }) => status === 200).length,
  }),
  killAtSteps({
    ...{ service: 'portal', steps: outboxSteps },
    done: (field) => answered(field, ({ by }) => by === 'operator'),
  }),
];
