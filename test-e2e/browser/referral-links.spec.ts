import { expect } from 'chai';
import { attributionStub, attributionTag, html } from './host-html.ts';
import { useSetting } from './setting.ts';
import { useVisitors, type Visitor } from './visitor.ts';

const getUcc = `TributaryAttribution('getUcc')`;
const getConfig = `TributaryAttribution('getCampaignConfig')`;

describe('the attribution script on a site with several pages', function () {
  this.timeout(60_000);
  const setting = useSetting();
  const visitor = useVisitors();

  /** Hosts a page with the script. */
  function pageAt(
    path: string,
    more: { scripts?: string[]; body?: string; hostname?: string } = {},
  ): string {
    const { scripts = [], body, hostname } = more;
    const parts = {
      head: attributionTag(setting.assetsUrl),
      scripts: [attributionStub, ...scripts],
    };
    const text = html({ ...parts, ...(body === undefined ? {} : { body }) });
    return setting.site.page(path, { html: text }, hostname);
  }

  const ucc = () => setting.customer.referrer.ucc;
  const cookieOf = async ({ context }: Visitor) =>
    (await context.cookies()).find(({ name }) => name === 'tributary_ucc');

  it("keeps the code with its campaign in a cookie for the campaign's window", async () => {
    const someone = await visitor();
    await someone.page.goto(`${pageAt('/')}?ucc=${ucc()}&utm=x`);
    await someone.run(getConfig);
    const cookie = await cookieOf(someone);
    expect(cookie).to.include({ path: '/', sameSite: 'Lax', domain: 'localhost' });
    const kept = JSON.parse(decodeURIComponent(cookie?.value ?? '')) as { t: number };
    expect(kept).to.include({ u: ucc(), c: setting.customer.campaignId });
    const days = (Number(cookie?.expires) - kept.t / 1_000) / 86_400;
    expect(days).to.be.closeTo(30, 0.01);
    // Without the code in the address, on another page and after a reload.
    await someone.page.goto(pageAt('/pricing'));
    expect(await someone.run(getUcc)).to.equal(ucc());
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('keeps it for all subdomains, but not for a whole suffix', async () => {
    const someone = await visitor();
    await someone.page.goto(`${pageAt('/', { hostname: 'www.acme.example' })}?ucc=${ucc()}`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    expect(await cookieOf(someone)).to.include({ domain: '.acme.example' });
    await someone.page.goto(setting.site.at('/', 'app.acme.example'));
    expect(await someone.run(getUcc)).to.equal(ucc());
    await someone.page.goto(setting.site.at('/', 'www.other.example'));
    expect((await someone.run(getUcc)) ?? null).to.equal(null);
    expect((await someone.context.cookies()).length).to.equal(1); // no trial cookie is left
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('marks the cookie Secure on https', async () => {
    const someone = await visitor();
    const text = html({ head: attributionTag(setting.assetsUrl), scripts: [attributionStub] });
    await someone.context.route('https://secure.acme.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: text }),
    );
    await someone.page.goto(`https://secure.acme.example/?ucc=${ucc()}`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    expect(await cookieOf(someone)).to.include({ secure: true, domain: '.acme.example' });
  });

  it('has stored the code when the page sends the visitor on', async () => {
    const someone = await visitor();
    const onwards = `addEventListener('load', () => location.replace('/target'));`;
    const target = pageAt('/target');
    await someone.page.goto(`${pageAt('/hop', { scripts: [onwards] })}?ucc=${ucc()}`);
    await someone.page.waitForURL(target);
    expect(await someone.run(getUcc)).to.equal(ucc());
  });

  it('sees the code of a page that an application shows without loading it', async () => {
    const someone = await visitor();
    await someone.page.goto(pageAt('/app'));
    expect((await someone.run(getUcc)) ?? null).to.equal(null);
    await someone.run(`history.pushState({}, '', '/app/invited?ucc=${ucc()}'); undefined`);
    await someone.run(`history.replaceState({}, '', '/app/home'); undefined`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    expect(await someone.run(getConfig)).to.include({ newUserDiscountMonth: 3 });
  });

  it('lets the last link that was followed win', async () => {
    const someone = await visitor();
    await someone.page.goto(`${pageAt('/')}?ucc=first-code`);
    expect(await someone.run(getUcc)).to.equal('first-code');
    expect(await someone.run(getConfig)).to.deep.equal({});
    await someone.page.goto(`${setting.site.at('/')}?ucc=${ucc()}`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    await someone.page.goto(setting.site.at('/'));
    expect(await someone.run(getUcc)).to.equal(ucc());
  });

  it('waits for consent where the page asks for it, and forgets when it is revoked', async () => {
    const someone = await visitor();
    const asks = `TributaryAttribution('requireConsent');`;
    await someone.page.goto(`${pageAt('/careful', { scripts: [asks] })}?ucc=${ucc()}`);
    expect(await someone.run(getUcc)).to.equal(ucc()); // in memory
    await someone.run(getConfig);
    expect(await someone.context.cookies()).to.deep.equal([]);
    expect(await someone.run('localStorage.length + sessionStorage.length')).to.equal(0);
    await someone.run(`TributaryAttribution('grantConsent')`);
    expect(await cookieOf(someone)).to.not.equal(undefined);
    await someone.page.goto(setting.site.at('/careful'));
    await someone.run(`TributaryAttribution('grantConsent')`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    await someone.run(`TributaryAttribution('revokeConsent')`);
    expect(await someone.context.cookies()).to.deep.equal([]);
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('puts the code into marked forms and no others', async () => {
    const someone = await visitor();
    const fields = `new URLSearchParams(new FormData(document.forms[0])).toString()`;
    const send = async (body: string) => {
      const landing = pageAt('/form', { body });
      await someone.page.goto(`${landing}?ucc=${ucc()}`);
      await someone.run(getUcc);
      return someone.run(fields);
    };
    const input = '<input name="email" value="b">';
    expect(await send(`<form data-tributary-ucc>${input}</form>`)).to.equal(`email=b&ucc=${ucc()}`);
    expect(await send(`<form data-tributary-ucc="ref">${input}</form>`)).to.equal(
      `email=b&ref=${ucc()}`,
    );
    expect(await send(`<form>${input}</form>`)).to.equal('email=b');

    // As the backend gets it when a person presses the button.
    setting.site.on('/sent', (req, res) => {
      res.writeHead(200, { 'content-type': 'text/html' });
      res.end(html({ body: `<p>${new URL(req.url ?? '', 'http://x').search.slice(1)}</p>` }));
    });
    const form = `<form data-tributary-ucc action="/sent">${input}<button>Join</button></form>`;
    await someone.page.goto(`${pageAt('/form', { body: form })}?ucc=${ucc()}`);
    await someone.run(getUcc);
    await someone.page.getByRole('button', { name: 'Join' }).click();
    await someone.page.getByText(`ucc=${ucc()}`).waitFor();
  });

  it('puts the code into marked links when they are followed', async () => {
    const someone = await visitor();
    const there = setting.site.at('/there', 'shop.acme.example');
    pageAt('/there');
    const body = `<a id="with" data-tributary-ucc href="${there}?a=1#part">With</a> <a id="without" href="${there}">Without</a>`;
    await someone.page.goto(`${pageAt('/links', { body })}?ucc=${ucc()}&productId=p-1`);
    await someone.run(getUcc);
    await someone.page.getByText('With', { exact: true }).click();
    await someone.page.waitForURL(/shop\.acme\.example/);
    const arrived = new URL(someone.page.url());
    expect(Object.fromEntries(arrived.searchParams)).to.deep.equal({
      ...{ a: '1', ucc: ucc(), productId: 'p-1' },
    });
    expect(arrived.hash).to.equal('#part');
    expect(await someone.run(getUcc)).to.equal(ucc());
    await someone.page.goto(setting.site.at('/links'));
    await someone.page.getByText('Without', { exact: true }).click();
    await someone.page.waitForURL(/shop\.acme\.example/);
    expect(new URL(someone.page.url()).search).to.equal('');
  });

  it('gives pages of a domain that is not registered no configuration, and the code', async () => {
    const someone = await visitor();
    await someone.page.goto(`${pageAt('/', { hostname: 'www.stranger.example' })}?ucc=${ucc()}`);
    expect(await someone.run(getUcc)).to.equal(ucc());
    expect(await someone.run(getConfig)).to.deep.equal({});
    expect((await someone.run(`TributaryAttribution('getReferrerName')`)) ?? null).to.equal(null);
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('knows the product by the address, and no other tenant by its own code', async () => {
    const someone = await visitor();
    const { productId } = setting.customer;
    await someone.page.goto(`${pageAt('/')}?ucc=${ucc()}&productId=${productId}`);
    expect(await someone.run(getConfig)).to.include({ newUserDiscountMonth: 3 });
    const other = setting.demo.tenants[0]!.productId;
    await someone.page.goto(`${setting.site.at('/')}?ucc=${ucc()}&productId=${other}`);
    expect(await someone.run(getConfig)).to.deep.equal({});
  });
});
