import { deriveUcc } from '@tributary/contracts/ucc';
import { WidgetSession } from '@tributary/contracts/public/widget-session';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { Value } from '@sinclair/typebox/value';
import { expect } from 'chai';
import pg from 'pg';
import { runningCampaign } from '@tributary/contracts/testing/running-campaign';
import { codeOf, decisionOn, disabled, onLog, personOf, rewardOf } from '../testing/log-records.ts';
import {
  boot,
  createWidgetFixture,
  settingsRecord,
  type WidgetFixture,
  type WidgetProcess,
} from '../testing/widget-fixture.ts';

describe('widget: sessions (interface 4.7, 5; design 7, 8)', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let fixture: WidgetFixture;
  let one: WidgetProcess;
  let two: WidgetProcess;
  let pool: pg.Pool;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createWidgetFixture({ ...servers, postgresUrl: database.url });
    pool = new pg.Pool({ connectionString: database.url });
    [one, two] = await Promise.all([fixture.start(), fixture.start()]);
  });

  after(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await fixture?.stop();
    await pool?.end();
    await database?.drop();
  });

  const derived = (productUserId: string, campaignId = 'c1', tenantId = 'a') =>
    deriveUcc(fixture.settings.uccKey, { tenantId, campaignId, productUserId, generation: 1 });
  const codesOf = async (userId: string) =>
    (await fixture.codes()).filter(({ productUserId }) => productUserId === userId);
  const peopleOf = async (id: string) =>
    (await fixture.people()).filter(({ userId }) => userId === id);
  const signupsOf = async (id: string) =>
    (await fixture.events()).filter(({ newUser }) => newUser.id === id);
  const deadline = { deadlineMs: 30_000 };

  /** Without a boot: that would issue a code. */
  const isRead = (ucc: string) =>
    eventually(async () => {
      const { rows } = await pool.query('select from widget.code where ucc = $1', [ucc]);
      expect(rows).to.have.length(1);
    }, deadline);

  /** Asks until the projection has come so far; the answers along the way are as good. */
  const shows = (userId: string, judge: (session: WidgetSession) => void, more = {}) =>
    eventually(async () => {
      const { status, body } = await one.session(boot(userId, more));
      expect(status).to.equal(200);
      judge(body);
    }, deadline);

  it('issues the derived code at the first boot and answers with it once it is on the log', async () => {
    const { status, headers, body } = await one.session(boot('ada'));
    const ucc = derived('ada');
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body.invite).to.eql({
      ucc,
      link: `https://c1.example/join?productId=product-a&ucc=${ucc}`,
      campaignId: 'c1',
    });
    const [code, ...more] = await codesOf('ada');
    expect(more).to.eql([]);
    expect(code).to.deep.include({
      type: 'code-issued',
      tenantId: 'a',
      ucc,
      version: 1,
      campaignId: 'c1',
    });
    expect(Value.Check(WidgetSession, body)).to.equal(true);
    expect(body).to.deep.include({
      productUserId: 'ada',
      rules: [],
      newUserDiscount: { percentage: 0.1, months: 3 },
      credits: { earned: '0', held: '0', toOffset: '0', issued: '0' },
      theme: {},
      texts: {},
    });
  });

  it('gives one user the same code from two processes at once, with no more than copies', async () => {
    const asked = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? one : two).session(boot('many')),
    );
    const codes = (await Promise.all(asked)).map(({ body }) => body.invite?.ucc);
    expect(new Set(codes)).to.eql(new Set([derived('many')]));
    const copies = await codesOf('many');
    for (const { ucc, version, type } of copies) {
      expect([ucc, version, type]).to.eql([derived('many'), 1, 'code-issued']);
    }
  });

  it('writes nothing for a user whose code and names are known', async () => {
    const details = { productUserDetails: { firstName: 'Known', email: 'known@acme.example' } };
    await one.session(boot('known', details));
    // Both processes read one projection; what is quiet now was read.
    await eventually(async () => {
      const before = [(await codesOf('known')).length, (await peopleOf('known')).length];
      await one.session(boot('known', details));
      expect([(await codesOf('known')).length, (await peopleOf('known')).length]).to.eql(before);
    }, deadline);
  });

  it("keeps the user's names, and an e-mail address only when it is one", async () => {
    const names = { firstName: 'Grace', lastName: 'Hopper', fullName: '', email: 'not one' };
    await one.session(boot('grace', { productUserDetails: names }));
    const [person] = await peopleOf('grace');
    expect(person).to.include({ firstName: 'Grace', lastName: 'Hopper', name: 'Grace Hopper' });
    expect(person).to.not.have.any.keys('email', 'eventId');
  });

  it("answers with the user's own code where they have one", async () => {
    await fixture.publishCode(
      codeOf('CUSTOM', { tenantId: 'a', campaignId: 'c1', productUserId: 'own' }),
    );
    await isRead('CUSTOM');
    await shows('own', ({ invite }) => expect(invite?.ucc).to.equal('CUSTOM'));
    const before = await codesOf('own');
    await one.session(boot('own'));
    expect(await codesOf('own')).to.eql(before);
  });

  it('issues no code again that an operator has disabled', async () => {
    const ucc = derived('barred');
    const code = codeOf(ucc, { tenantId: 'a', campaignId: 'c1', productUserId: 'barred' });
    await fixture.publish(onLog.code(code), onLog.code(disabled(code, new Date().toISOString())));
    await isRead(ucc);
    await shows('barred', ({ invite, rules, newUserDiscount }) =>
      expect([invite, rules, newUserDiscount]).to.eql([null, [], null]),
    );
    const before = await codesOf('barred');
    await one.session(boot('barred'));
    expect(await codesOf('barred')).to.eql(before);
  });

  it('has the code of a user again as soon as an operator has enabled it', async () => {
    const ucc = derived('freed');
    const code = codeOf(ucc, { tenantId: 'a', campaignId: 'c1', productUserId: 'freed' });
    await fixture.publish(onLog.code(code), onLog.code(disabled(code, new Date().toISOString())));
    await isRead(ucc);
    await shows('freed', ({ invite }) => expect(invite).to.equal(null));
    const before = await codesOf('freed');
    const enabled = { ...code, version: 3, at: new Date().toISOString() };
    await fixture.publishCode(enabled);
    const { body } = await one.session(boot('freed'));
    expect(body.invite).to.include({ ucc, campaignId: 'c1' });
    // It is not issued anew: nothing but the operator's record has come.
    expect(await codesOf('freed')).to.eql([...before, enabled]);
  });

  it('has a code that is enabled again only once that holds by the clock here, as events do', async () => {
    const ucc = derived('ahead');
    const code = codeOf(ucc, { tenantId: 'a', campaignId: 'c1', productUserId: 'ahead' });
    await fixture.publish(onLog.code(code), onLog.code(disabled(code, new Date().toISOString())));
    await isRead(ucc);
    await shows('ahead', ({ invite }) => expect(invite).to.equal(null));
    // By the clock of the process that enabled it, which is ahead.
    const at = new Date(Date.now() + 3_000).toISOString();
    await fixture.publishCode({ ...code, version: 3, at });
    const sharedAt = await eventually(async () => {
      expect((await one.session(boot('ahead'))).body.invite).to.include({ ucc });
      return new Date().toISOString();
    });
    expect(sharedAt >= at, 'shared when an event now would count').to.equal(true);
  });

  it('issues no derived code that somebody else was given first', async () => {
    const ucc = derived('late');
    await fixture.publishCode(
      codeOf(ucc, { tenantId: 'a', campaignId: 'c1', productUserId: 'early' }),
    );
    await isRead(ucc);
    await shows('late', ({ invite }) => expect(invite).to.equal(null));
  });

  it('shows rewards and referred users, by first name and nothing more', async () => {
    const rules = [
      {
        ruleId: 'r1',
        trigger: 'purchase-created' as const,
        recipient: 'referrer' as const,
        effect: { kind: 'percent' as const, basisPoints: 1_250, creditsPerMajorUnit: { EUR: '1' } },
      },
    ];
    await fixture.publishCatalog(
      runningCampaign('a', 'rich', { rules, landingUrl: 'https://rich.example/?plan=a#top' }),
    );
    const ucc = 'RICH';
    await fixture.publish(
      onLog.code(codeOf(ucc, { tenantId: 'a', campaignId: 'rich', productUserId: 'rich' })),
      onLog.person(
        personOf('bob', { tenantId: 'a', name: 'Bob Bobson', email: 'bob@acme.example' }),
      ),
      onLog.decision(
        decisionOn(
          'purchase-created',
          { n: 5, userId: 'bob' },
          { tenantId: 'a', referrerId: 'rich' },
        ),
      ),
      onLog.reward(rewardOf(5, { tenantId: 'a', recipientId: 'rich', entitledCredits: '7.5' })),
    );
    await isRead(ucc);
    await shows('rich', (session) => {
      expect(session.invite?.link).to.equal(
        'https://rich.example/?plan=a&productId=product-a&ucc=RICH#top',
      );
      expect(session.rules.map(({ reward }) => reward)).to.eql([
        { kind: 'percent', percent: '12.5', creditsPerMajorUnit: { EUR: '1' } },
      ]);
      expect(Value.Check(WidgetSession, session)).to.equal(true);
      expect(session.credits).to.eql({ earned: '0', held: '7.5', toOffset: '0', issued: '0' });
      expect(session.referrals.total).to.equal(1);
      const [referral] = session.referrals.latest;
      expect(referral).to.have.all.keys('name', 'state', 'at');
      expect(referral).to.include({ name: 'Bob', state: 'purchased' });
    });
    const { body } = await one.session(boot('rich'));
    expect(JSON.stringify(body)).to.not.match(/Bobson|@|"bob"/);
    const other = await one.session(boot('rich', {}, 'b'));
    expect(other.body.referrals.total).to.equal(0);
  });

  it('has no invite where no campaign runs', async () => {
    const publishedAt = new Date().toISOString();
    const stopped = { revision: 2, status: 'stopped' as const, effectiveFrom: publishedAt };
    await fixture.publishCatalog(runningCampaign('b', 'c1', stopped));
    await eventually(async () => {
      const { body } = await one.session(boot('anybody', {}, 'b'));
      expect(body).to.deep.include({ invite: null, rules: [], newUserDiscount: null });
    }, deadline);
  });

  describe('a signup that the backend did not report', () => {
    const click = () => ({
      ucc: 'REFERRER',
      capturedAt: new Date(Date.now() - 3_600_000).toISOString(),
    });
    before(() =>
      fixture.publishCode(
        codeOf('REFERRER', { tenantId: 'a', campaignId: 'c1', productUserId: 'referrer' }),
      ),
    );

    it('is not recovered unless the tenant wants it', async () => {
      await isRead('REFERRER');
      await shows('referrer', ({ invite }) => expect(invite?.ucc).to.equal('REFERRER'));
      await one.session(boot('unwanted', { click: click() }));
      expect(await signupsOf('unwanted')).to.eql([]);
    });

    it('is recovered from the first boot, with one id however often', async () => {
      const theme = { cornerRadius: 7 };
      await fixture.publishCatalog(settingsRecord('a', 1, { recoverSignups: true, theme }));
      for (const process of [one, two]) {
        await eventually(async () => {
          const { body } = await process.session(boot('referrer'));
          expect(body.theme).to.eql(theme);
        }, deadline);
      }
      await one.session(boot('wanted', { click: click() }));
      const [signup] = await signupsOf('wanted');
      const [code] = await codesOf('wanted');
      expect(signup).to.deep.include({
        eventType: 'signup-created',
        source: 'widget',
        tenantId: 'a',
        ucc: 'REFERRER',
        newUser: { id: 'wanted' },
        occurredAt: code?.at,
      });
      await two.session(boot('wanted', { click: click() }));
      const signups = await signupsOf('wanted');
      // It may have read the code of the first by now, and then has nothing to recover.
      expect(signups).to.have.length.within(1, 2);
      expect(new Set(signups.map(({ eventId }) => eventId))).to.have.property('size', 1);
    });

    it('is not recovered by a code of their own, an unknown one, or a click that is old or to come', async () => {
      const clicks: Record<string, object> = {
        unknown: { ...click(), ucc: 'NOBODY' },
        old: { ...click(), capturedAt: new Date(Date.now() - 8 * 86_400_000).toISOString() },
        future: { ...click(), capturedAt: new Date(Date.now() + 3_600_000).toISOString() },
        referrer: click(),
      };
      for (const [userId, about] of Object.entries(clicks)) {
        await one.session(boot(userId, { click: about }));
        expect(await signupsOf(userId), userId).to.eql([]);
      }
    });

    it('is not recovered once a signup was decided, whatever the decision', async () => {
      const decided = decisionOn('signup-created', { n: 77, userId: 'decided' }, { tenantId: 'a' });
      await fixture.publish(onLog.decision({ ...decided, referrerId: 'watcher' }));
      await eventually(async () => {
        const { body } = await one.session(boot('watcher'));
        expect(body.referrals.total).to.equal(1);
      }, deadline);
      await one.session(boot('decided', { click: click() }));
      expect(await signupsOf('decided')).to.eql([]);
    });
  });
});
