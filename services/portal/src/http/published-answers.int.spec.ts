import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: an answer and the log', () => {
  let portal: TestPortal;

  before(async () => {
    portal = await startTestPortal();
    await portal.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
  });
  after(() => portal.stop());

  it('is given once the log has the change', async () => {
    for (let round = 0; round < 10; round++) {
      const body = { productUserId: `user ${round}` };
      const { status, body: code } = await portal.call('POST', '/api/tenants/acme/codes', body);
      expect(status).to.equal(201);
      expect(code).to.not.have.property('published');
      const published = await portal.textsOf('codes');
      const uccs = published.map(({ value }) => (JSON.parse(value) as { ucc: string }).ucc);
      expect(uccs).to.include(code['ucc']);
    }
  }).timeout(90_000);

  it('says that the log does not have the change yet, and loses nothing of either', async () => {
    const release = await holdUpTheRelay(portal.postgresUrl);
    const asked = { productUserId: 'held up' };
    const issued = await portal.call('POST', '/api/tenants/acme/codes', asked);
    expect(issued.status).to.equal(201);
    expect(issued.body).to.include({ productUserId: 'held up', published: false });
    const key = await portal.call('POST', '/api/tenants/acme/access-keys');
    expect(key.status).to.equal(201);
    expect(key.body).to.include({ published: false }).and.to.have.property('secretAccessKey');
    // What changes nothing says nothing about the log; nor does another tenant's change.
    expect((await portal.call('GET', '/api/tenants/acme')).body).to.not.have.property('published');
    const check = await portal.call('POST', '/api/tenants/acme/widget/check-token', { token: 'x' });
    expect(check.body).to.include({ accepted: false }).and.to.not.have.property('published');

    await release();
    await eventually(() => {
      expect(portal.codes.map(({ productUserId }) => productUserId)).to.include('held up');
    });
    const again = await portal.call('POST', '/api/tenants/acme/codes', asked);
    const { published: _, ...code } = issued.body;
    expect([again.status, again.body]).to.deep.equal([200, code]);
  });
});

/**
 * Takes the locks of the relay's lanes, so that nothing leaves the outbox until they are released.
 */
async function holdUpTheRelay(postgresUrl: string): Promise<() => Promise<void>> {
  const [holder, killer] = [new pg.Client(postgresUrl), new pg.Client(postgresUrl)];
  await Promise.all([holder.connect(), killer.connect()]);
  // Before the relay is cut off: who waits for a lock gets it before who asks anew.
  const lane = `pg_advisory_lock(hashtext('portal/outbox'), lane)`;
  const taken = holder.query(`select ${lane} from generate_series(0, 3) as lane`);
  await eventually(async () => {
    await killer.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and classid = hashtext('portal/outbox')::oid
         and database = (select oid from pg_database where datname = current_database())
         and pid <> $1`,
      [(holder as unknown as { processID: number }).processID],
    );
    const { rows } = await killer.query<{ count: string }>(
      `select count(*) from pg_locks where locktype = 'advisory' and granted and pid = $1`,
      [(holder as unknown as { processID: number }).processID],
    );
    expect(Number(rows[0]!.count)).to.equal(4);
  });
  await taken;
  await killer.end();
  return () => holder.end();
}

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'signup',
      trigger: 'signup-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '5' },
    },
  ],
};
