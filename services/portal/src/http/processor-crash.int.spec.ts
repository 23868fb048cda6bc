import { catalogCodec, type ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { topicName } from '@tributary/contracts/topics';
import { readRecords, withoutCopies } from '@tributary/event-log/testing/read-records';
import { queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createPortalDeployment } from '../testing/portal-process.ts';
import { type ProcessorListener, startProcessorListener } from '../testing/processor-listener.ts';

const token = 'internal-token-of-a-spec';
const list = '/api/tenants/acme/processor-connections';
const byWhom = { by: 'ops', reason: 'they left' };

/**
 * What is made or removed at Stripe is done there when the portal dies; only its answer is lost.
 */
describe('portal: killed while it changes a connection at Stripe', function () {
  this.timeout(180_000);
  let deployment: Awaited<ReturnType<typeof createPortalDeployment>>;
  let processor: ProcessorListener;
  before(async () => {
    processor = await startProcessorListener(token);
    deployment = await createPortalDeployment({ processorUrl: processor.url, token });
  });
  after(async () => {
    await deployment.end();
    await processor.stop();
  });

  /** The next portal, after one was killed that had asked for `verb`. */
  async function killAt(verb: string, path: string, body: object) {
    const portal = await deployment.start();
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    processor.whenAsked(async (what) => {
      if (what !== verb) return;
      asked.resolve();
      await go.promise;
    });
    const lost = portal.call('POST', path, body).then(
      () => 'answered',
      () => 'lost',
    );
    await asked.promise;
    await portal.kill();
    expect(await lost).to.equal('lost');
    go.resolve();
    processor.whenAsked(() => undefined);
    return deployment.start();
  }

  /** A minute later, whoever died is forgotten. */
  const aMinuteLater = () => moveHolds('-1 minute');

  /** When what a process holds is free again, however long the process took so far. */
  async function moveHolds(by: string): Promise<void> {
    await queryOnce(
      { connectionString: deployment.postgresUrl, options: '-c search_path=portal' },
      `update processor_connection set held_until = held_until + $1::interval
       where held_until is not null`,
      [by],
    );
  }

  async function records(): Promise<ProcessorConnectionRecord[]> {
    const topic = topicName('catalog', deployment.wiring);
    const found = withoutCopies(await readRecords(deployment.kafka, topic, catalogCodec));
    return found
      .flatMap((record) => (record.entity === 'processor-connection' ? [record] : []))
      .sort((a, b) => a.version - b.version);
  }
  const statusesUpTo = (count: number) =>
    eventually(async () => {
      const found = await records();
      expect(found.map(({ version }) => version)).to.deep.equal(
        Array.from({ length: count }, (_, i) => i + 1),
      );
      return found;
    });

  it('goes on with the same endpoints, and no step is on the log twice', async () => {
    const connect = { apiKey: 'rk_test_0123456789' };
    const second = await killAt('open', list, connect);
    await moveHolds('1 hour');
    const busy = await second.call('POST', list, connect);
    expect(busy.status, 'while the minute runs').to.equal(409);
    await moveHolds('-1 hour');
    await aMinuteLater();
    const { status, body } = await second.call('POST', list, connect);
    expect(status).to.equal(201);
    const opens = processor.asked.filter(({ what }) => what.endsWith(' open'));
    expect(new Set(opens.map(({ what }) => what)).size).to.equal(1);
    expect(processor.made.size).to.equal(1);
    await statusesUpTo(1);
    await second.stop();

    const one = `${list}/${String(body['connectionId'])}`;
    const third = await killAt('renew', `${one}/rotate`, {});
    await aMinuteLater();
    expect((await third.call('POST', `${one}/rotate`, {})).status).to.equal(200);
    expect(processor.made.size).to.equal(2);
    const [, rotated] = await statusesUpTo(2);
    expect(rotated?.previous?.id).to.equal(body['endpointId']);
    await third.stop();

    const fourth = await killAt('close', `${one}/disconnect`, byWhom);
    expect((await fourth.call('GET', one)).body).to.include({ status: 'active' });
    await aMinuteLater();
    expect((await fourth.call('POST', `${one}/disconnect`, byWhom)).status).to.equal(200);
    expect((await statusesUpTo(3)).at(-1)).to.include({
      status: 'disconnected',
      sealedApiKey: null,
    });
  });
});
