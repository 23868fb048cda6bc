import { topicPartitions } from '@tributary/contracts/topics';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('erasing a person', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    await portal.call('POST', '/api/tenants', { name: 'Acme', tenantId: 'acme' });
  });
  beforeEach(() => portal.clock.run());
  after(() => portal.stop());

  const erase = (userId: unknown, tenantId = 'acme') =>
    portal.call('POST', `/api/tenants/${tenantId}/people/erase`, { userId });
  const erasures = (userId: string) =>
    portal.catalog.flatMap((r) => (r.entity === 'erasure' && r.userId === userId ? [r] : []));
  const tombstonesOf = async (userId: string) =>
    (await portal.tombstones()).filter((key) => key === `acme:${userId}`);

  it('puts an erasure on the catalog and a tombstone on the people topic, both or none', async () => {
    portal.clock.set('2026-11-20T10:00:00.123Z');
    const answer = await erase('u/1:ä');
    expect(answer).to.have.property('status', 200);
    expect(answer.body).to.deep.equal({
      userId: 'u/1:ä',
      erasedAt: '2026-11-20T10:00:00.123Z',
      repeatAt: '2026-11-23T11:00:00.123Z',
    });
    await eventually(async () => {
      expect(erasures('u/1:ä')).to.have.length(1);
      expect(await tombstonesOf('u/1:ä')).to.have.length(1);
    });
    expect(erasures('u/1:ä')[0]).to.include({
      tenantId: 'acme',
      version: 1,
      erasedAt: '2026-11-20T10:00:00.123Z',
    });
  });

  it('sends the tombstone again after 73 hours, once, and not before', async () => {
    portal.clock.set('2026-11-20T10:00:00.000Z');
    await erase('again');
    await eventually(async () => expect(await tombstonesOf('again')).to.have.length(1));
    portal.clock.set('2026-11-23T10:59:59.999Z');
    await erase('later');
    await eventually(async () => expect(await tombstonesOf('later')).to.have.length(1));
    expect(await tombstonesOf('again')).to.have.length(1);
    portal.clock.set('2026-11-23T11:00:00.000Z');
    await eventually(async () => expect(await tombstonesOf('again')).to.have.length(2));
    await erase('last');
    await eventually(async () => expect(await tombstonesOf('last')).to.have.length(1));
    expect(await tombstonesOf('again')).to.have.length(2);
    expect(await tombstonesOf('later')).to.have.length(1);
  });

  it('erases again what came since, with a higher version and a time that never goes back', async () => {
    portal.clock.set('2026-11-20T10:00:00.000Z');
    await erase('twice');
    portal.clock.set('2026-11-19T10:00:00.000Z');
    expect((await erase('twice')).body).to.include({ erasedAt: '2026-11-20T10:00:00.000Z' });
    portal.clock.set('2026-11-21T10:00:00.000Z');
    await erase('twice');
    await eventually(() => expect(erasures('twice')).to.have.length(3));
    expect(erasures('twice').map(({ version, erasedAt }) => [version, erasedAt])).to.deep.equal([
      [1, '2026-11-20T10:00:00.000Z'],
      [2, '2026-11-20T10:00:00.000Z'],
      [3, '2026-11-21T10:00:00.000Z'],
    ]);
  });

  it('refuses an unknown tenant and what is no user id, and leaves nothing then', async () => {
    expect((await erase('nobody', 'other')).status).to.equal(404);
    for (const userId of ['', 'a\0', 'x'.repeat(256), 7, undefined]) {
      const { status, body } = await erase(userId);
      expect([status, body.errors?.[0]?.pointer], String(userId)).to.deep.equal([422, '/userId']);
    }
    expect(await portal.dumpTables()).not.to.match(/erasure .*"nobody"/);
  });

  it('sends a segment-roll marker to every partition of the people topic, under keys of nobody', async () => {
    await eventually(async () => {
      const markers = (await portal.tombstones()).filter((key) => !key.includes(':'));
      expect(new Set(markers).size).to.equal(topicPartitions);
    });
  });
});
