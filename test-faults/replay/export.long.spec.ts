import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogSchemaVersion, type CatalogRecord } from '@tributary/contracts/catalog-record';
import { type DeliveryFact, deliveryCodec } from '@tributary/contracts/delivery-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { sealSecret } from '@tributary/runtime/secrets';
import { eventually } from '@tributary/testkit/eventually';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import type pg from 'pg';
import { findWrongBooks } from '../chain/books.ts';
import { differences, hashOf, readState } from '../chain/current-state.ts';
import { makeWorld } from '../chain/world.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { type Deployment, makeDeployment, type VerifyResult } from './deployment.ts';

/**
 * One deployment is exported, once while it works and once at rest, and another one imports what
 * the second export wrote. Both send to the same receiver, so what either sends is seen.
 */
describe('a deployment that imports what another one exported', function () {
  this.timeout(400_000);
  const keyRing = [{ keyId: 'k1', key: randomBytes(32) }];
  const ringText = `k1:${keyRing[0]!.key.toString('base64')}`;
  const world = makeWorld(testSeed, 1_500);
  const half = world.events.length / 2;
  let receiver: Receiver;
  let from: Deployment;
  let to: Deployment;
  let directory: string;
  let sent: number;
  const verified: VerifyResult[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-export-'));
    receiver = await startReceiver();
    from = await makeDeployment({ keyRing: ringText });
    to = await makeDeployment({ keyRing: ringText });
    await workAndExport();
    await importAndWork();
  });

  after(async () => {
    await from?.stop();
    await to?.stop();
    await receiver?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function workAndExport(): Promise<void> {
    const topics = await from.useTopics();
    await from.start();
    await topics.append([...world.catalog, ...tenantIds.map(endpointOf), ...world.codes]);
    await topics.append(world.events.slice(0, half));
    await eventually(() => expect(receiver.arrivals.length).to.be.above(10), {
      deadlineMs: 60_000,
    });
    await topics.append(world.events.slice(half));
    await runs(from, ['export', '--out', join(directory, 'at-work')]);
    await from.atRest(120_000);
    verified.push(await from.verified());
    await from.stopServices();
    sent = receiver.arrivals.length;
    await runs(from, ['export', '--out', join(directory, 'at-rest')]);
  }

  async function importAndWork(): Promise<void> {
    await runs(to, ['import', join(directory, 'at-rest')]);
    await to.start({ recovering: true });
    await to.atRest(120_000);
    verified.push(await to.verified());
  }

  async function runs(deployment: Deployment, argv: string[]): Promise<void> {
    const { code, err } = await deployment.tributary(argv);
    expect(code, err).to.equal(0);
  }

  function endpointOf(tenantId: string): CatalogRecord {
    const context = secretContext(tenantId, 'webhook-password');
    return {
      schemaVersion: catalogSchemaVersion,
      entity: 'webhook-endpoint',
      tenantId,
      version: 1,
      publishedAt: '2026-01-01T00:00:00.000Z',
      url: receiver.urlOf(tenantId),
      username: 'hook-user',
      sealedPassword: sealSecret(keyRing, 'hook-password', context),
      status: 'active',
    };
  }

  it('is verified with the same hashes as the one that was exported', () => {
    const [old, made] = verified as [VerifyResult, VerifyResult];
    expect(old.outcome, JSON.stringify(old.differences.shown)).to.equal('identical');
    expect(made.outcome, JSON.stringify(made.differences.shown)).to.equal('identical');
    expect(made.tenants).to.deep.equal(old.tenants);
    expect(made.tenants.map(({ rewards }) => rewards.count)).to.satisfy((counts: number[]) =>
      counts.every((count) => count > 50),
    );
  });

  it('comes to the same decisions and entitlements, hash for hash', async () => {
    const [old, made] = [await readState(from.db), await readState(to.db, 2)];
    expect(differences(made, old)).to.deep.equal([]);
    expect(hashOf(made)).to.equal(hashOf(old));
    expect(made.decisions.size).to.equal(world.events.length);
    expect(made.entitlements.size).to.be.above(100);
  });

  it('knows of the same credits issued and owed, by reward and by recipient', async () => {
    for (const sqlOf of [issuedByReward, totalsByRecipient, () => issuances]) {
      expect(await rowsOf(to.db, sqlOf(2))).to.deep.equal(await rowsOf(from.db, sqlOf(1)));
    }
    expect(await rowsOf(from.db, issuedByReward(1))).to.have.length.above(100);
    expect(await findWrongBooks(to.db, 2)).to.deep.equal([]);
  });

  it('sends nothing that was sent', () => {
    expect(sent).to.be.above(100);
    const again = receiver.arrivals.slice(sent).map(({ eventId }) => eventId);
    expect(again).to.deep.equal([]);
  });

  it('is refused to import once more, while it runs and afterwards', async () => {
    const running = await to.tributary(['import', join(directory, 'at-rest')]);
    expect(running.code).to.equal(1);
    expect(running.err).to.contain('Services of this deployment are running');
    await to.stopServices();
    // On a busy machine the broker counts the processes as running for a while.
    await eventually(async () => {
      const stopped = await to.tributary(['import', join(directory, 'at-rest')]);
      expect(stopped.code).to.equal(1);
      expect(stopped.err).to.contain('the deployment is not empty');
    });
  });

  it('exported while it works, has no delivery without its issuance', async () => {
    const third = await makeDeployment({ keyRing: ringText });
    try {
      await runs(third, ['import', join(directory, 'at-work')]);
      const topics = await third.useTopics();
      const issued = await topics.read('issuances', issuanceCodec);
      const known = new Set(issued.map((fact) => fact.type === 'issued' && fact.webhookEventId));
      const deliveries: DeliveryFact[] = await topics.read('deliveries', deliveryCodec);
      const delivered = deliveries.flatMap((fact) =>
        fact.type === 'attempted' ? [fact.webhookEventId] : [],
      );
      expect(delivered).to.have.length.above(5);
      expect(delivered.filter((id) => !known.has(id))).to.deep.equal([]);
    } finally {
      await third.stop();
    }
  });
});

const tenantIds = ['t-event', 't-first'];

const issuedByReward = (generation: number) => `
  select reward_id, tenant_id, recipient_id, trim_scale(entitled)::text as entitled,
    trim_scale(issued)::text as issued
  from rewards_g${generation}.entitlement where entitled <> 0 or issued <> 0 order by 1`;

const totalsByRecipient = (generation: number) => `
  select tenant_id, recipient_id, trim_scale(entitled)::text as entitled,
    trim_scale(issued)::text as issued, trim_scale(entitled - issued)::text as owed
  from rewards_g${generation}.recipient where entitled <> 0 or issued <> 0 order by 1, 2`;

const issuances = `
  select issuance_id, reward_id, trim_scale(credits)::text as credits from issuance.issuance
  order by 1`;

async function rowsOf(db: pg.ClientBase, sql: string): Promise<object[]> {
  return (await db.query<object>(sql)).rows;
}
