import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { archiveNames } from '../deploy/clients/archives.ts';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import { campaignOf, demoTenants } from '../deploy/demo/demo-tenants.ts';
import { createTributaryClient } from '../packages/client/src/client.ts';
import { contentKey } from '../packages/client/src/content-key.ts';
import { startTroubledEdge, type Trouble, type TroubledEdge } from './clients/troubled-edge.ts';
import { credentials, type ExampleReceiver, prepareReceivers } from './example-receivers.ts';
import { sharedDemo } from './shared-stack.ts';

// One scenario for the clients of all languages (clients/scenario.json), each run by a program of
// its language (clients/scenario.*) as a customer would install it, and each with a tenant of its
// own, whose rewards come to the receiver in that language (docs/receivers).

type Step = {
  about: string;
  call: string;
  event?: { newUser: { id: string } };
  trouble?: Trouble;
  expect: {
    accepted?: true;
    attempts?: number;
    sameEventAs?: number;
    /** The key that is sent: `content`, or this one. */
    key?: string;
    found?: object | null;
    refused?: object;
  };
};

type Result = { accepted?: { eventId: string }; found?: object | null; refused?: object };

const attributed = /^attributed\n$/;
const languages = {
  typescript: {
    ...{ program: 'scenario.mjs', receiver: 'express.mjs' },
    ...{ readme: '../packages/client/README.md', shows: /eventId: '[0-9a-f-]{14}7/ },
  },
  python: {
    ...{ program: 'scenario.py', receiver: 'receiver.py' },
    ...{ readme: '../clients/python/README.md', shows: attributed },
  },
  go: {
    ...{ program: 'scenario.go', receiver: 'receiver.go' },
    ...{ readme: '../clients/go/README.md', shows: attributed },
  },
  php: {
    ...{ program: 'scenario.php', receiver: 'receiver.php' },
    ...{ readme: '../clients/php/README.md', shows: attributed },
  },
};

/** The first block of a README that is a program and not a command. */
function firstProgram(readme: string): string {
  return /^```(?:js|python|go|php)\n(.*?)^```$/ms.exec(readme)![1]!;
}

describe('the clients of all languages', function () {
  this.timeout(240_000);
  let prepared: Awaited<ReturnType<typeof prepareReceivers>>;
  let baseUrl: string;
  let adminToken: string;
  before(async () => {
    ({ baseUrl, adminToken } = await sharedDemo());
    prepared = await prepareReceivers(Object.values(languages).map(({ receiver }) => receiver));
  });
  after(() => prepared?.remove());

  it('are served by the portal as they are packed', async () => {
    for (const name of await archiveNames()) {
      const answer = await fetch(`${baseUrl}/docs/clients/${name}`);
      expect(answer.status, name).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/gzip');
      const file = await readFile(new URL(`../clients/dist/${name}`, import.meta.url));
      expect(Buffer.from(await answer.arrayBuffer()).equals(file), name).to.equal(true);
    }
  });

  for (const [language, tried] of Object.entries(languages)) {
    describe(language, () => {
      const { program, readme, shows } = tried;
      let receiver: ExampleReceiver;
      let edge: TroubledEdge;
      let steps: Step[];
      let results: Result[];
      let grants: string[];
      let readmeEnv: Record<string, string>;

      before(async () => {
        receiver = prepared.receiver(tried.receiver);
        await receiver.start();
        const customer = await createCustomer(receiver.url);
        ({ steps, grants } = await readScenario(customer.ucc));
        const troubles = steps.map(({ event, trouble }) => [event?.newUser.id, trouble]);
        edge = await startTroubledEdge(baseUrl, new Map(troubles as [string, Trouble][]));
        const { accessKeyId, secretAccessKey } = customer;
        const input = { baseUrl: edge.url, accessKeyId, secretAccessKey, steps };
        results = JSON.parse(
          await prepared.runProgram(program, { input: JSON.stringify(input) }),
        ) as Result[];
        readmeEnv = {
          ...{ TRIBUTARY_URL: baseUrl, UCC: customer.ucc },
          ...{ ACCESS_KEY_ID: accessKeyId, ACCESS_KEY: secretAccessKey },
        };
      });
      after(async () => {
        await receiver?.kill();
        await edge?.stop();
      });

      it('gets of each step what the scenario says', () => {
        expect(results).to.have.length(steps.length);
        for (const [at, { about, expect: wanted, event }] of steps.entries()) {
          const { accepted, found, refused } = results[at]!;
          const said = `${about}: ${JSON.stringify(results[at])}`;
          if (wanted.accepted) expect(accepted?.eventId, said).to.match(/^[0-9a-f-]{14}7/);
          if (wanted.sameEventAs !== undefined) {
            expect(accepted, said).to.deep.equal(results[wanted.sameEventAs]?.accepted);
          }
          if (wanted.attempts !== undefined) {
            expect(edge.reportsOf(event!.newUser.id), said).to.have.length(wanted.attempts);
          }
          if (wanted.refused) expect(refused, said).to.deep.equal(wanted.refused);
          if (wanted.found === null) expect(found, said).to.equal(null);
          if (wanted.found) expect(found, said).to.deep.include(wanted.found);
        }
      });

      it('sends the key that the caller gave, or that of the content', () => {
        for (const { about, call, event, expect: wanted } of steps) {
          if (wanted.key === undefined || event === undefined) continue;
          const kind = call.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
          const key = wanted.key === 'content' ? contentKey(kind, event) : wanted.key;
          const sent = edge.reportsOf(event.newUser.id).map((report) => report.key);
          expect(sent, about).to.include(key);
        }
      });

      it('sends the same bytes with the same key in every attempt', () => {
        for (const { about, event, expect: wanted } of steps) {
          if (wanted.attempts === undefined) continue;
          const [first, again] = edge.reportsOf(event!.newUser.id);
          expect([again?.key, again?.body], about).to.deep.equal([first?.key, first?.body]);
        }
      });

      it('keeps the token, and renews one that is over or refused', () => {
        // The first one was over at once, the second was refused once.
        expect(edge.tokens).to.have.length(3);
        const [first, again] = edge.reportsOf(userOf('expired-token'));
        expect(again?.token).to.not.equal(first?.token);
      });

      it('waits as long as Retry-After says', () => {
        const [first, again] = edge.reportsOf(userOf('busy'));
        // Timers may be a few milliseconds early.
        expect(again!.atMs - first!.atMs).to.be.at.least(990);
      });

      it('receives the webhooks of its rewards, each granted once', async () => {
        await eventually(
          async () => {
            const granted = await receiver.grants();
            expect(granted.map(({ amount }) => amount).sort()).to.deep.equal(grants);
            expect(new Set(granted.map(({ eventId }) => eventId)).size).to.equal(grants.length);
            for (const { productUserId } of granted) expect(productUserId).to.equal('ada');
          },
          { deadlineMs: 30_000 },
        );
      });

      it('does what its README shows', async () => {
        const content = firstProgram(await readFile(new URL(readme, import.meta.url), 'utf8'));
        const name = program.replace('scenario', 'readme');
        const output = await prepared.runProgram(name, { content, env: readmeEnv });
        expect(output).to.match(shows);
      });

      const userOf = (trouble: Trouble) =>
        steps.find((step) => step.trouble === trouble)!.event!.newUser.id;
    });
  }

  async function readScenario(ucc: string) {
    const file = new URL('clients/scenario.json', import.meta.url);
    const now = new Date().toISOString();
    const text = (await readFile(file, 'utf8')).replaceAll('$ucc', ucc).replaceAll('$now', now);
    return JSON.parse(text) as { steps: Step[]; grants: string[] };
  }

  async function createCustomer(webhookUrl: string) {
    const admin = createAdminClient({ baseUrl, token: adminToken });
    const tenantId = `client-${randomBytes(4).toString('hex')}`;
    const at = `/api/tenants/${tenantId}`;
    await admin.call('POST', '/api/tenants', { tenantId, name: 'Clients' });
    type Key = { accessKeyId: string; secretAccessKey: string };
    const key = await admin.call<Key>('POST', `${at}/access-keys`, {});
    await admin.call('PUT', `${at}/campaigns/launch`, campaignOf(demoTenants[0]));
    const owner = { productUserId: 'ada', campaignId: 'launch' };
    const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, owner);
    await admin.call('PUT', `${at}/webhook`, { url: webhookUrl, ...credentials });
    const { accessKeyId, secretAccessKey } = key;
    const client = createTributaryClient({ baseUrl, accessKeyId, secretAccessKey });
    // What the portal publishes takes a moment to reach the others, the several replicas too.
    await eventually(
      async () => {
        for (let i = 0; i < 4; i++) expect(await client.lookup(ucc)).to.include({ valid: true });
      },
      { deadlineMs: 15_000 },
    );
    return { accessKeyId, secretAccessKey, ucc };
  }
});
