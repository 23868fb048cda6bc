import { personCodec, type PersonRecord } from '@tributary/contracts/people-record';
import { recordKey, topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { silentLogger } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createPortalDeployment } from '../testing/portal-process.ts';
import { openSession } from '../testing/removals.ts';
import { personOf } from '../testing/scenario.ts';

describe('portal: killed while it erases the people of a removed tenant', function () {
  this.timeout(180_000);
  let deployment: Awaited<ReturnType<typeof createPortalDeployment>>;
  let session: Awaited<ReturnType<typeof openSession>>;
  before(async () => {
    deployment = await createPortalDeployment({ token: 'internal-token-of-a-spec' });
  });
  after(async () => {
    await session?.end();
    await deployment?.end();
  });

  async function publish(people: readonly PersonRecord[]) {
    const { kafka, wiring } = deployment;
    const appender = await startPatientAppender(kafka);
    const topic = topicName('people', wiring);
    await appender.append(
      people.map((person) => ({
        topic,
        key: recordKey(person.tenantId, person.userId),
        value: personCodec.encode(person),
      })),
    );
    await appender.stop();
  }

  async function tombstones(): Promise<string[]> {
    const found = new Set<string>();
    await scanTopic({
      kafka: deployment.kafka,
      logger: silentLogger,
      topic: topicName('people', deployment.wiring),
      codec: personCodec,
      onRecord: ({ key, value }) => void (value === null && found.add(key)),
    });
    return [...found].filter((key) => key.startsWith('gone:')).sort();
  }

  it('goes on with the next one, which erases who is left', async () => {
    const first = await deployment.start();
    session = await openSession(deployment.postgresUrl);
    await first.call('POST', '/api/tenants', { tenantId: 'gone', name: 'Gone' });
    await publish(['ada', 'bob'].map((userId) => personOf(userId, { tenantId: 'gone' })));
    await first.call('POST', '/api/tenants/gone/suspend');
    // Bob cannot be erased: the worker that has erased Ada waits in the middle.
    await session.query('begin');
    await session.query(`insert into erasure
      select (jsonb_populate_record(null::erasure, '{"tenant_id": "gone", "user_id": "bob",
        "version": 1, "erased_at": "2026-03-01T12:00:00Z", "repeat_at": "2026-03-04T12:00:00Z"}')).*`);
    await eventually(async () => {
      const exportedUntil = new Date(Date.now() - 3_000).toISOString();
      const { status, body } = await first.call('POST', '/api/tenants/gone/remove', {
        exportedUntil,
      });
      expect(status, JSON.stringify(body)).to.equal(200);
    }, slowly);
    await eventually(async () => expect(await tombstones()).to.deep.equal(['gone:ada']), slowly);
    await session.waiting(1, 'transactionid');
    await first.kill();
    await session.query('rollback');
    expect(await tombstones()).to.deep.equal(['gone:ada']);

    const next = await deployment.start();
    await eventually(async () => {
      expect(await tombstones()).to.deep.equal(['gone:ada', 'gone:bob']);
    }, slowly);
    const { status } = await next.call('POST', '/api/tenants/gone/resume');
    expect(status).to.equal(404);
  });
});

const slowly = { deadlineMs: 60_000 };
