import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createReceiver } from '../deploy/demo-receiver/receiver.ts';
import { webhookCredentials } from '../deploy/demo/demo-tenants.ts';
import { eventually } from '@tributary/testkit/eventually';
import { credentials, type ExampleReceiver, prepareReceivers } from './example-receivers.ts';
import { tributary } from './tributary-process.ts';

/**
 * The receivers of docs/webhooks.md, run as its reader would, and validated by `webhook verify`.
 */
describe('the receivers of docs/receivers (6.1)', function () {
  this.timeout(180_000);
  const names = ['express.mjs', 'node.mjs', 'receiver.py', 'receiver.go', 'receiver.php'];

  let prepared: Awaited<ReturnType<typeof prepareReceivers>>;
  before(async () => {
    prepared = await prepareReceivers(names);
  });
  after(() => prepared?.remove());

  for (const name of names) {
    describe(name, () => {
      let receiver: ExampleReceiver;
      before(async () => {
        receiver = prepared.receiver(name);
        await receiver.start();
        await eventually(async () => expect((await post('', 'Basic eDp5')).status).to.equal(401));
      });
      after(() => receiver?.kill());

      it('passes tributary webhook verify, which grants two events once each', async () => {
        const flags = ['--username', credentials.username, '--password-file', '-', '--user', 'ada'];
        const argv = ['webhook', 'verify', receiver.url, ...flags, '--insecure-http'];
        const { code, out } = await tributary(argv, `${credentials.password}\n`);
        expect(code, out).to.equal(0);
        const granted = (await receiver.grants()).map(({ eventId }) => eventId);
        const eventIds = /each of these eventIds: (.*)\. Look/.exec(out)![1]!.split(', ');
        expect(granted).to.have.length(2).and.to.have.members(eventIds);
      });

      it('grants once when twenty deliveries of one event run side by side (rule 4)', async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => post(body('at-once'))));
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
        const firsts = answers.filter(({ text }) =>
          text.replaceAll(' ', '').includes('"duplicate":false'),
        );
        expect(firsts).to.have.length(1);
        expect((await receiver.grants()).filter(isOf('at-once'))).to.deep.equal([
          { eventId: 'at-once', productUserId: 'ada', amount: '1234567890123.25' },
        ]);
      });

      it('knows after a kill what it granted before (rule 4)', async () => {
        expect((await post(body('before-the-kill'))).status).to.equal(200);
        await receiver.kill();
        await receiver.tear();
        await receiver.start();
        const again = await eventually(async () => {
          const answer = await post(body('before-the-kill'));
          expect(answer.status).to.equal(200);
          return answer;
        });
        expect(again.text.replaceAll(' ', '')).to.contain('"duplicate":true');
        expect((await post(body('after-the-kill'))).status).to.equal(200);
        const grants = await receiver.grants();
        for (const id of ['before-the-kill', 'after-the-kill']) {
          expect(grants.filter(isOf(id))).to.have.length(1);
        }
      });

      it('refuses what is no JSON and what is too large', async () => {
        const [huge, vast] = ['1e400', '1e99999999999999999999'].map((amount) =>
          body('huge').replace('1234567890123.25', amount),
        );
        for (const text of ['not JSON', '[]', 'null', '"x"', '', huge!, vast!]) {
          expect((await post(text)).status, text).to.equal(400);
        }
        expect((await post(JSON.stringify({ note: 'x'.repeat(70_000) }))).status).to.equal(413);
      });

      async function post(text: string, authorization = basic) {
        const headers = { authorization, 'content-type': 'application/json; charset=utf-8' };
        const answer = await fetch(receiver.url, { method: 'POST', headers, body: text });
        return { status: answer.status, text: await answer.text() };
      }
    });
  }

  it('have a model in the demo receiver, which passes too', async () => {
    const server = createReceiver({ webhookKey: 'a key', file: undefined }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { username, password } = webhookCredentials('a key', 't1');
      const flags = ['--username', username, '--password-file', '-', '--insecure-http'];
      const { code, out } = await tributary(
        ['webhook', 'verify', `${base}/webhook/t1`, ...flags],
        password,
      );
      expect(code, out).to.equal(0);
      const { grants } = (await (await fetch(`${base}/received/t1`)).json()) as {
        grants: unknown[];
      };
      expect(grants).to.have.length(2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

const basic = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;

function body(eventId: string): string {
  const reward = { amount: 1234567890123.25 };
  const data = { rewardId: 'r1', productUserId: 'ada', rewardType: 'credits', reward };
  const createdTs = '2026-03-01T10:20:30.045Z';
  return JSON.stringify({ version: '1.0.0', eventType: 'new-reward', createdTs, eventId, data });
}

function isOf(eventId: string) {
  return (grant: { eventId: string }) => grant.eventId === eventId;
}
