import { expect } from 'chai';
import { tributary } from '../tributary-process.ts';
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
  /** What an operator is told. */
  fault: string;
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
    'signed with HS256': () => ({ fault: 'algorithm', header: { alg: 'HS256' } }),
    'signed with HS384': () => ({ fault: 'algorithm', header: { alg: 'HS384' } }),
    'not signed (alg none)': () => ({ fault: 'algorithm', header: { alg: 'none' } }),
    'named RS512': () => ({ fault: 'algorithm', header: { alg: 'RS512' } }),
    'with exp': () => ({ fault: 'claims', claims: { exp: now() + hour } }),
    'with iss': () => ({ fault: 'claims', claims: { iss: 'customer' } }),
    'with sub': () => ({ fault: 'claims', claims: { sub: 'ada' } }),
    'with name': () => ({ fault: 'claims', claims: { name: 'Ada' } }),
    'with email': () => ({ fault: 'claims', claims: { email: 'ada@example.com' } }),
    'without iat': () => ({ fault: 'claims', claims: { iat: undefined } }),
    'without productUserId': () => ({ fault: 'claims', claims: { productUserId: undefined } }),
    'issued in an hour': () => ({ fault: 'issued-ahead', claims: { iat: now() + hour } }),
    'with iat as text': () => ({ fault: 'claims', claims: { iat: String(now()) } }),
    "signed with another tenant's secret": () => ({
      fault: 'signature',
      productSecret: setting.demo.tenants[0]!.productSecret,
    }),
    "of another tenant's product": () => ({
      fault: 'other-product',
      productId: setting.demo.tenants[0]!.productId,
    }),
  };

  for (const [title, fault] of Object.entries(faults)) {
    it(`${title}: the promise rejects and the widget says why`, async () => {
      const { productId, productSecret } = setting.customer;
      const { claims, header, fault: expected, ...product } = fault();
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

      const { admin, at } = setting.customer;
      const check = await admin.call<object>('POST', `${at}/widget/check-token`, { token });
      expect(check).to.deep.include({ accepted: false, fault: expected });
    });
  }

  it('an operator asks on the command line why, and whether a good one is taken', async () => {
    const { demo, customer } = setting;
    const where = { TRIBUTARY_ADMIN_URL: demo.baseUrl, TRIBUTARY_ADMIN_TOKEN: demo.adminToken };
    const check = (token: string, ...flags: string[]) => {
      const argv = ['widget', 'check-token', '--tenant', customer.tenantId, ...flags];
      return tributary(argv, `${token}\n`, where);
    };
    const claims = { exp: now() + hour, productUserId: undefined };
    const wrong = await check(widgetToken(customer, 'ada', { claims }));
    expect(wrong.code).to.equal(1);
    expect(wrong.out)
      .to.match(/^The widget refuses this token\n/m)
      .and.match(/fault +claims\n/)
      .and.match(/productUserId is missing; "exp" must not be there/);
    const good = await check(customer.tokenOf('ada'), '--json');
    expect(good.code).to.equal(0);
    expect(good.out)
      .to.match(/"accepted": ?true/)
      .and.match(/"productUserId": ?"ada"/);
  });

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
