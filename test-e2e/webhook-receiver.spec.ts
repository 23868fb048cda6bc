import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { eventually } from '@tributary/testkit/eventually';
import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import pg from 'pg';
import { createAdminClient } from '../deploy/demo/admin-client.ts';
import { campaignOf, demoTenants } from '../deploy/demo/demo-tenants.ts';
import type { Demo } from '../deploy/demo/demo-file.ts';
import { createTributaryClient } from '../packages/client/src/client.ts';
import {
  createPackedProject,
  type PackedProject,
  readmeSnippets,
} from '../packages/client/src/testing/packed-project.ts';
import type { GrantOutcome, Reward } from '../packages/client/src/webhook.ts';
import { sharedDemo } from './shared-stack.ts';

/** A customer of its own, whose backend is what the README of the client shows. */
describe("the webhook receivers of the client's README (6.1)", function () {
  this.timeout(180_000);
  const tenantId = `readme-${randomBytes(4).toString('hex')}`;
  const webhook = { username: 'réadme', password: 'a:password' };
  let demo: Demo;
  let project: PackedProject;
  let snippets: Record<string, string>;
  let db: pg.Pool;
  let databaseUrl: string;

  before(async () => {
    demo = await sharedDemo();
    project = await createPackedProject();
    snippets = await readmeSnippets();
    databaseUrl = await createCustomerDatabase(demo.postgresUrl, tenantId.replace('-', '_'));
    db = new pg.Pool({ connectionString: databaseUrl });
    await db.query(snippets['sql']!);
  });
  after(async () => {
    await db?.end();
    await project?.remove();
  });

  describe('in express, with a row per credit', () => {
    let url: string;
    let receiver: ChildProcess;

    before(async () => {
      await project.link('express');
      await project.link('pg');
      await project.write('receiver.mjs', snippets['receiver.mjs']!);
      const port = await freePort();
      url = `http://127.0.0.1:${port}/rewards`;
      receiver = spawn(process.execPath, ['receiver.mjs'], {
        cwd: project.dir,
        env: {
          ...{ DATABASE_URL: databaseUrl, PORT: String(port) },
          ...{ WEBHOOK_USERNAME: webhook.username, WEBHOOK_PASSWORD: webhook.password },
        },
        stdio: 'inherit',
      });
      await eventually(async () => expect((await post({}, 'Basic eDp5')).status).to.equal(401));
    });
    after(async () => {
      if (receiver === undefined || receiver.exitCode !== null) return;
      receiver.kill();
      await once(receiver, 'exit');
    });

    it('grants the credits of a purchase once', async () => {
      const { client, referral } = await createCustomer();
      await client.purchaseCreated({
        ...{ ucc: referral.ucc, occurredAt: new Date().toISOString(), newUser: { id: 'user-17' } },
        ...{ currency: 'EUR', invoiceId: 'inv-17', amount: 4900 },
        subscription: { interval: 'monthly' },
      });
      const rows = await eventually(
        async () => {
          const { rows } = await db.query<CreditRow>('select * from credit');
          expect(rows).to.have.length(1);
          return rows;
        },
        { deadlineMs: 15_000 },
      );
      expect(rows[0]).to.include({ user_id: referral.productUserId, amount: '50' });
    });

    it('answers a repeated delivery with 2xx and changes nothing (rule 4)', async () => {
      const reward = rewardBody('again');
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(reward)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
      const firsts = answers.filter(({ body }) => !(body as { duplicate: boolean }).duplicate);
      expect(firsts).to.have.length(1);
      const { rows } = await db.query("select * from credit where event_id = 'again'");
      expect(rows).to.have.length(1);
    });

    async function post(body: object, authorization = basic(webhook)) {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    }

    async function createCustomer() {
      const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
      const at = `/api/tenants/${tenantId}`;
      await admin.call('POST', '/api/tenants', { tenantId, name: 'Readme' });
      type Key = { accessKeyId: string; secretAccessKey: string };
      const key = await admin.call<Key>('POST', `${at}/access-keys`, {});
      await admin.call('PUT', `${at}/campaigns/launch`, campaignOf(demoTenants[0]));
      const user = { productUserId: 'ada', campaignId: 'launch' };
      const { ucc } = await admin.call<{ ucc: string }>('POST', `${at}/codes`, user);
      await admin.call('PUT', `${at}/webhook`, { url, ...webhook });
      const { accessKeyId, secretAccessKey } = key;
      const client = createTributaryClient({
        ...{ baseUrl: demo.baseUrl, accessKeyId, secretAccessKey },
      });
      // What the portal publishes takes a moment to reach the others, the several replicas too.
      await eventually(
        async () => {
          for (let i = 0; i < 4; i++) expect(await client.lookup(ucc)).to.include({ valid: true });
        },
        { deadlineMs: 15_000 },
      );
      return { client, referral: { ucc, productUserId: user.productUserId } };
    }
  });

  describe('with grantOnce', () => {
    let grant: (reward: Reward) => Promise<GrantOutcome>;
    before(async () => {
      await project.write('grant-once.mjs', snippets['grant-once.mjs']!);
      const module = (await import(pathToFileURL(`${project.dir}/grant-once.mjs`).href)) as {
        createGrant: (pool: pg.Pool) => typeof grant;
      };
      grant = module.createGrant(db);
      await db.query('create table granted (event_id text primary key)');
      await db.query('create table account (user_id text primary key, credits numeric not null)');
      await db.query("insert into account values ('ada', 0)");
    });

    const reward = (eventId: string, productUserId: string): Reward => {
      const payload = rewardBody(eventId, productUserId);
      return { eventId, rewardId: 'r1', productUserId, amount: 2.5, payload };
    };

    it('grants once when ten deliveries run side by side (rule 4)', async () => {
      const deliveries = Array.from({ length: 10 }, () => grant(reward('e1', 'ada')));
      const outcomes = await Promise.all(deliveries);
      expect(outcomes.filter((outcome) => outcome === 'granted')).to.have.length(1);
      const { rows } = await db.query('select credits from account');
      expect(rows).to.deep.equal([{ credits: '2.5' }]);
    });

    it('notes nothing when the credits cannot be given', async () => {
      const error: unknown = await grant(reward('e2', 'nobody')).catch((e: unknown) => e);
      expect(error).to.be.an('error').with.property('message', 'there is no such account');
      const { rows } = await db.query("select * from granted where event_id = 'e2'");
      expect(rows).to.have.length(0);
    });
  });
});

type CreditRow = { event_id: string; user_id: string; amount: string };

function rewardBody(eventId: string, productUserId = 'ada') {
  const data = { rewardId: 'r1', productUserId, rewardType: 'credits', reward: { amount: 2.5 } };
  return { version: '1.0.0', eventType: 'new-reward', createdTs: '', eventId, data };
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The customer's own database; it only happens to live on the same server. */
async function createCustomerDatabase(serverUrl: string, name: string): Promise<string> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  try {
    await server.query(`create database ${name}`);
  } finally {
    await server.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
