import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { openSession, timeOfExport } from '../testing/removals.ts';
import { onLog, personOf } from '../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: removals go on by themselves', function () {
  this.timeout(120_000);
  let portal: TestPortal;
  let session: Awaited<ReturnType<typeof openSession>>;
  before(async () => {
    portal = await startTestPortal();
    session = await openSession(portal.postgresUrl);
    for (const tenantId of tenants) {
      await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
      await portal.call('POST', `/api/tenants/${tenantId}/suspend`);
    }
    await hearOf('ada', ...tenants);
    await session.query(failing);
  });
  after(async () => {
    await session?.end();
    await portal?.stop();
  });

  const hearOf = (userId: string, ...ofTenants: string[]) =>
    portal.publish(ofTenants.map((tenantId) => onLog.person(personOf(userId, { tenantId }))));
  const erased = (...keys: string[]) =>
    eventually(async () => expect(await portal.tombstones()).to.include.members(keys), slowly);
  const dueAt = async (tenantId: string) => {
    const { rows } = await session.query(
      `select removal_due_at::text as at, removal_due_at > now() as waits
       from tenant where tenant_id = $1`,
      [tenantId],
    );
    return rows[0] as { at: string; waits: boolean };
  };

  it('and one that throws keeps no other waiting, and is tried again', async () => {
    const exportedUntil = await timeOfExport(portal, 'stuck');
    for (const tenantId of tenants) {
      const path = `/api/tenants/${tenantId}/remove`;
      expect((await portal.call('POST', path, { exportedUntil })).status).to.equal(200);
    }
    // It was removed first, so it is due before the others each time.
    await erased('finished:ada', 'watched:ada');
    await eventually(async () => expect(await failures()).to.be.above(1), slowly);
    expect(await portal.tombstones()).to.not.include('stuck:ada');
    await session.query('drop trigger stuck on erasure');
    await erased('stuck:ada');
  });

  /** How often the removal that throws was tried: what is rolled back is counted, too. */
  async function failures(): Promise<number> {
    const { rows } = await session.query('select last_value::int as n from tried');
    return (rows[0] as { n: number }).n;
  }

  it('until nobody is known for a day: then one is left alone', async () => {
    await session.query(`update tenant set removal_due_at = '-infinity',
      removed_at = removed_at - interval '25 hours' where tenant_id = 'finished'`);
    await eventually(async () => {
      expect((await dueAt('finished')).at).to.equal('infinity');
    }, slowly);

    await hearOf('late', 'finished', 'watched');
    await session.query(`update tenant set removal_due_at = '-infinity' where removed_at is not null
      and removal_due_at < 'infinity'`);
    await erased('watched:late');
    expect((await dueAt('finished')).at).to.equal('infinity');
    expect(await portal.tombstones()).to.not.include('finished:late');
  });
});

const tenants = ['stuck', 'finished', 'watched'] as const;
const slowly = { deadlineMs: 60_000 };

const failing = `
  create sequence tried;
  create function fail() returns trigger language plpgsql as $$
  begin
    perform nextval('portal.tried');
    raise exception 'a test is in the way';
  end
  $$;
  create trigger stuck before insert on erasure
    for each row when (new.tenant_id = 'stuck') execute function fail()`;
