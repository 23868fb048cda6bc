import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import {
  createIngestFixture,
  type IngestFixture,
  type IngestProcess,
  purchase,
  tenantA,
  tenantB,
} from '../testing/ingest-fixture.ts';

describe('ingest-api: what is recorded of requests', () => {
  let database: TestDatabase;
  let fixture: IngestFixture;
  let api: IngestProcess;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createIngestFixture({ ...servers, postgresUrl: database.url });
    api = await fixture.start();
    await answersLookUps(api);
  });
  after(async () => {
    await api?.stop();
    await fixture?.stop();
    await database?.drop();
  });

  const toldOf = async (tenantId: string) =>
    (await fixture.refusals()).filter((record) => record.tenantId === tenantId);

  it('is why it was refused, of whom and how often, and nothing that was sent', async () => {
    const token = await api.token(tenantA);
    const wrong = {
      ...purchase({ amount: 'jane@example.com' }),
      ...{ 'jane@example.com': 1, newUser: { id: 'u', '+4366012345678': 'x' } },
    };
    for (let n = 0; n < 3; n++) {
      expect((await api.purchase(token, wrong)).status).to.equal(422);
    }
    const headers = { authorization: token };
    const asked = await fetch(`${api.url}/referral-codes/jane@example.com`, { headers });
    expect(asked.status).to.equal(404);
    expect((await api.post('/v2/events/jane@example.com', {}, headers)).status).to.equal(404);
    await eventually(async () => {
      const records = await toldOf('a');
      const told = records.flatMap(({ refusals }) => refusals);
      const of = (route: string) => told.filter((refusal) => refusal.route === route);
      const purchases = of('POST /v2/events/purchase-created');
      expect(purchases.reduce((sum, { count }) => sum + count, 0)).to.equal(3);
      expect(purchases[0]).to.include({
        ...{ status: 422, code: 'VALIDATION_ERROR', accessKeyId: tenantA.accessKeyId },
      });
      expect(purchases[0]!.violations).to.deep.include.members([
        { pointer: '/amount', code: 'INVALID_TYPE' },
        { pointer: '/*', code: 'UNKNOWN_FIELD' },
        { pointer: '/newUser/*', code: 'UNKNOWN_FIELD' },
      ]);
      expect(of('GET /referral-codes/*')).to.have.lengthOf(1);
      expect(of('POST /v2/events/*')).to.have.lengthOf(1);
      expect(JSON.stringify(records)).not.to.match(/jane|4366012345678/);
    });
  });

  it('is not what nobody is known to have sent', async () => {
    expect((await api.purchase('Bearer nothing', purchase())).status).to.equal(401);
    const token = await api.token(tenantB);
    expect((await api.purchase(token, '{')).status).to.equal(400);
    await eventually(async () => {
      const told = (await toldOf('b')).flatMap(({ refusals }) => refusals);
      expect(told.map(({ code, status }) => [code, status])).to.deep.equal([
        ['MALFORMED_JSON', 400],
      ]);
    });
    const statuses = (await fixture.refusals()).flatMap(({ refusals }) =>
      refusals.map(({ status }) => status),
    );
    expect(statuses).not.to.include(401);
  });

  it('is the access key of an accepted event', async () => {
    const token = await api.token(tenantA);
    const invoiceId = 'inv-of-key';
    expect((await api.purchase(token, purchase({ invoiceId }), 'k1')).status).to.equal(202);
    const [event] = (await fixture.events()).filter(
      (one) => one.eventType === 'purchase-created' && one.purchase.invoiceId === invoiceId,
    );
    expect(event).to.include({ accessKeyId: tenantA.accessKeyId });
  });

  it('is told before the process ends', async () => {
    const second = await fixture.start();
    await answersLookUps(second);
    const token = await second.token(tenantB);
    const told = await fetch(`${second.url}/referral-codes/active-link/nobody`, {
      headers: { authorization: token },
    });
    expect(told.status).to.equal(404);
    await second.stop();
    const routes = (await toldOf('b')).flatMap(({ refusals }) => refusals.map((r) => r.route));
    expect(routes).to.include('GET /referral-codes/active-link/*');
  });
});

/** A code is not found once its partition is read; until then nobody can tell. */
async function answersLookUps({ adminUrl }: IngestProcess): Promise<void> {
  await eventually(
    async () => expect((await fetch(`${adminUrl}/readyz?all`)).status).to.equal(200),
    { deadlineMs: 30_000 },
  );
}
