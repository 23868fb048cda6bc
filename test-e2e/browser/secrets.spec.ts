import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { attributionStub, attributionTag, bootScript, html, widgetTag } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors, type Visitor } from './visitor.ts';
import { linkShown, panelOf } from './widget-parts.ts';

describe('what reaches a browser', function () {
  this.timeout(60_000);
  const setting = useSetting({ widget: { referrerName: 'initial', referredUserName: 'none' } });
  const visitor = useVisitors();

  /** Every answer the pages get, headers and body. */
  function listen({ context }: Visitor) {
    const answers: Promise<string>[] = [];
    context.on('response', (response) => {
      const body = response.text().catch(() => '');
      const headers = response.allHeaders().then((all) => JSON.stringify(all));
      answers.push(
        Promise.all([headers, body]).then((parts) => [response.url(), ...parts].join('\n')),
      );
    });
    return async () => Promise.all(answers);
  }

  const kept = `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage },
    document.documentElement.outerHTML, performance.getEntriesByType('resource').map(({ name }) => name)])`;

  it('holds no secret of the customer or the deployment, in no answer, storage or page', async () => {
    const { assetsUrl, site, customer, demo } = setting;
    const ada = await visitor();
    const answersOf = listen(ada);
    const head = attributionTag(assetsUrl) + widgetTag(assetsUrl);
    const scripts = [attributionStub, bootScript({ token: customer.tokenOf('ada') })];
    const url = site.page('/all', { html: html({ head, scripts }) });
    await ada.page.goto(`${url}?ucc=${customer.referrer.ucc}`);
    expect(await ada.run('hostBoot')).to.equal('booted');
    await ada.run(`TributaryAttribution('getCampaignConfig')`);
    await ada.run('hostApi.open()');
    expect(await linkShown(ada.page)).to.contain(customer.referrer.ucc);
    const answers = await answersOf();
    const seen = [...answers, await ada.run<string>(kept)].join('\n');
    // That the listening works: the code, which everybody may see, is among it.
    expect(answers.filter((text) => text.includes('/widget/session'))).to.not.deep.equal([]);
    expect(answers.filter((text) => text.includes('/app/latest/'))).to.have.length.at.least(2);
    expect(seen).to.contain(customer.referrer.ucc);
    const { productSecret, secretAccessKey } = customer;
    for (const secret of [productSecret, secretAccessKey, demo.adminToken]) {
      expect(secret).to.be.a('string').and.have.length.above(10);
      expect(seen.includes(secret)).to.equal(false);
    }
    const database = await ada.run<unknown[]>('indexedDB.databases()');
    expect(database).to.deep.equal([]);
    // Scripts keep nothing but the one cookie: the token too is in memory alone.
    expect(await ada.run('localStorage.length + sessionStorage.length')).to.equal(0);
    expect((await ada.context.cookies()).map(({ name }) => name)).to.deep.equal(['tributary_ucc']);
  });

  it('names people as the customer wants it, and never by address or last name', async () => {
    const { assetsUrl, site, customer } = setting;
    const ada = await visitor();
    const details = { firstName: 'Ada', lastName: 'Quillfeather', email: 'ada@private.example' };
    const boot = { token: customer.tokenOf('ada'), productUserDetails: details };
    await ada.page.goto(setting.widgetPage({ boot }));
    expect(await ada.run('hostBoot')).to.equal('booted');
    const { ucc } = customer.referrer;
    await customer.client.signupCreated({
      ...{ ucc, occurredAt: new Date().toISOString() },
      newUser: { id: 'ben', name: 'Ben Thistlewood', email: 'ben@private.example' },
    });
    const answersOfAda = listen(ada);
    await ada.run('hostApi.open()');
    await panelOf(ada.page)
      .getByText('Signed up')
      .first()
      .waitFor({ timeout: patiently(30_000) });
    await panelOf(ada.page).getByText('A friend').first().waitFor();

    const carl = await visitor();
    const answersOfCarl = listen(carl);
    const page = { html: html({ head: attributionTag(assetsUrl), scripts: [attributionStub] }) };
    // A name that nobody had told a moment ago is looked up again after five seconds.
    await eventually(
      async () => {
        await carl.page.goto(`${site.page('/join', page)}?ucc=${ucc}`);
        expect(await carl.run(`TributaryAttribution('getReferrerName')`)).to.equal('A.');
      },
      { deadlineMs: 30_000, everyMs: 500 },
    );
    const seen = [...(await answersOfAda()), ...(await answersOfCarl())].join('\n');
    expect(seen).to.contain('signed-up');
    for (const text of ['Quillfeather', 'Thistlewood', 'Ben', '@private.example']) {
      expect(seen.includes(text), text).to.equal(false);
    }
  });
});
