import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { expect } from 'chai';
import {
  boot,
  createWidgetFixture,
  type WidgetFixture,
  type WidgetProcess,
} from './testing/widget-fixture.ts';

type Owned = Awaited<ReturnType<typeof startOwned>>;

describe('widget: outages (design 4)', function () {
  this.timeout(180_000);
  let kafka: Owned;
  let postgres: Owned;
  let fixture: WidgetFixture;
  let widget: WidgetProcess;
  const page = 'https://app.acme.example';
  const deadline = { deadlineMs: 90_000, everyMs: 200 };

  before(async () => {
    [kafka, postgres] = await Promise.all([startOwned('kafka'), startOwned('postgres')]);
    const servers = { kafkaBrokers: kafka.address, postgresUrl: postgres.address };
    fixture = await createWidgetFixture(servers);
    widget = await fixture.start();
  });

  after(async () => {
    await widget?.stop();
    await fixture?.stop();
    await Promise.all([kafka?.stop(), postgres?.stop()]);
  });

  /** It is sent what it can answer, and says what it cannot. */
  async function staysReadyWithout(check: string, lost: string): Promise<void> {
    const answer = await fetch(`${widget.adminUrl}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, object> };
    expect(answer.status, JSON.stringify(checks)).to.equal(200);
    expect(checks[check]).to.include({ ok: false, lost });
  }

  const session = (userId: string) => widget.session(boot(userId), { origin: page });

  it('promises no code while kafka is gone, and goes on showing what is known', async () => {
    await session('known');
    await eventually(async () => {
      const before = (await fixture.codes()).length;
      await session('known');
      expect(await fixture.codes()).to.have.length(before);
    }, deadline);

    await kafka.kill();
    const refused = await session('new');
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('retry-after')).to.equal('1');
    expect(refused.headers.get('access-control-allow-origin')).to.equal(page);
    expect(refused.body).to.include({ code: 'SERVICE_UNAVAILABLE' });
    const known = await session('known');
    expect([known.status, known.body.invite?.campaignId]).to.eql([200, 'c1']);
    expect((await fetch(`${widget.url}/app/latest/panel.js`)).status).to.equal(200);
    await eventually(() =>
      staysReadyWithout('kafka', 'sessions that have something to record get 503'),
    );

    await kafka.restart();
    const issued = await eventually(async () => {
      const answer = await session('new');
      expect(answer.status).to.equal(200);
      return answer.body.invite?.ucc;
    }, deadline);
    const codes = (await fixture.codes()).filter((code) => code.productUserId === 'new');
    expect(new Set(codes.map(({ ucc }) => ucc))).to.eql(new Set([issued]));
  });

  it('answers 503, for the page to read, while postgres is gone, and serves the scripts', async () => {
    await postgres.kill();
    const refused = await session('known');
    expect(refused.status).to.equal(503);
    expect(refused.headers.get('access-control-allow-origin')).to.equal(page);
    expect((await fetch(`${widget.url}/app/latest/panel.js`)).status).to.equal(200);
    await eventually(() =>
      staysReadyWithout('read-model', 'sessions get 503, or may be out of date'),
    );
    await postgres.restart();
    await eventually(async () => expect((await session('known')).status).to.equal(200), deadline);
  });
});
