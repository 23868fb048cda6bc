import { expect } from 'chai';
import { bootScript } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors } from './visitor.ts';
import { widgetToken } from './widget-token.ts';
import { launcherOf, linkShown, panelOf } from './widget-parts.ts';

const refused = {
  name: 'TributaryError',
  code: 'UNAUTHORIZED',
  message: 'This user is not authorized to load the referral widget.',
};

type Fault = {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  productId?: string;
  productSecret?: string;
};

const hour = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

describe('a widget token that is not as interface 5 has it', function () {
  this.timeout(60_000);
  const setting = useSetting();
  const visitor = useVisitors();

  const faults: Record<string, () => Fault> = {
    'signed with HS256': () => ({ header: { alg: 'HS256' } }),
    'signed with HS384': () => ({ header: { alg: 'HS384' } }),
    'not signed (alg none)': () => ({ header: { alg: 'none' } }),
    'named RS512': () => ({ header: { alg: 'RS512' } }),
    'with exp': () => ({ claims: { exp: now() + hour } }),
    'with iss': () => ({ claims: { iss: 'customer' } }),
    'with sub': () => ({ claims: { sub: 'ada' } }),
    'with name': () => ({ claims: { name: 'Ada' } }),
    'with email': () => ({ claims: { email: 'ada@example.com' } }),
    'without iat': () => ({ claims: { iat: undefined } }),
    'without productUserId': () => ({ claims: { productUserId: undefined } }),
    'issued in an hour': () => ({ claims: { iat: now() + hour } }),
    'with iat as text': () => ({ claims: { iat: String(now()) } }),
    "signed with another tenant's secret": () => ({
      productSecret: setting.demo.tenants[0]!.productSecret,
    }),
    "of another tenant's product": () => ({ productId: setting.demo.tenants[0]!.productId }),
  };

  for (const [title, fault] of Object.entries(faults)) {
    it(`${title}: the promise rejects and the widget says why`, async () => {
      const { productId, productSecret } = setting.customer;
      const { claims, header, ...product } = fault();
      const more = { ...(claims && { claims }), ...(header && { header }) };
      const token = widgetToken({ productId, productSecret, ...product }, 'ada', more);
      const { page, run, complaintsOfScripts } = await visitor();
      await page.goto(setting.widgetPage({ boot: { token } }));
      expect(await run('hostBoot')).to.deep.equal(refused);
      await launcherOf(page).click();
      const dialog = panelOf(page);
      await dialog.getByText(refused.message).waitFor();
      expect(await dialog.textContent()).to.not.contain(setting.customer.referrer.ucc);
      expect(complaintsOfScripts()).to.deep.equal([]);
    });
  }

  it('a good one of another user afterwards works in the same page', async () => {
    const { page, run } = await visitor();
    await page.goto(setting.widgetPage({ boot: { token: 'nonsense' } }));
    expect(await run('hostBoot')).to.deep.equal(refused);
    await run(`${bootScript({ token: setting.customer.tokenOf('ada') })}; undefined`);
    expect(await run('hostBoot')).to.equal('booted');
    await run('hostApi.open()');
    expect(await linkShown(page)).to.contain(setting.customer.referrer.ucc);
  });

  it('is said in the language of the user', async () => {
    const { page, run } = await visitor();
    await page.goto(setting.widgetPage({ boot: { token: 'nonsense', language: 'de' } }));
    expect(await run('hostBoot')).to.deep.equal(refused); // for programs, in English
    await run('hostApi.open()');
    await page
      .getByRole('dialog')
      .getByText(/nicht berechtigt/)
      .first()
      .waitFor();
  });
});
