import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { useAttributionSite } from './attribution-site.ts';
import { attributionTag, html } from './host-html.ts';
import { useVisitors, type Visitor } from './visitor.ts';

// What the attribution script does in the browser that no answer of the service is needed for.

const getUcc = `TributaryAttribution('getUcc')`;
/** Undefined has no form in what a page can tell. */
const uccOrNone = `${getUcc}.then((ucc) => ucc ?? 'none')`;

describe('the attribution script in a browser', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  const here = useAttributionSite();

  const keptCookie = async ({ context }: Visitor) =>
    (await context.cookies()).find(({ name }) => name === 'tributary_ucc');

  describe('finds the link', () => {
    it('that an application took out of the address before the script ran', async () => {
      const someone = await visitor();
      const tidy = `history.replaceState({}, '', '/tidy');`;
      await someone.page.goto(
        `${here.pageAt('/landing', { scripts: [tidy] })}?ucc=Ada1&productId=p`,
      );
      expect(await someone.run(getUcc)).to.equal('Ada1');
      expect(someone.page.url()).to.equal(here.site.at('/tidy'));
    });

    it('of the last address that an application showed, and not again the first one', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/app')}?ucc=first`);
      await someone.run(getUcc);
      for (const address of ['/app/b?ucc=second', '/app/c']) {
        await someone.run(`void history.pushState({}, '', '${address}')`);
      }
      expect(await someone.run(getUcc)).to.equal('second');
    });

    it('without any call by the page, and asks the service once', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/quiet')}?ucc=Ada1&productId=p-1`);
      await eventually(() => expect(here.service.asked).to.have.length(1));
      expect(Object.fromEntries(here.service.asked[0]!.query)).to.deep.equal({
        ...{ ucc: 'Ada1', productId: 'p-1' },
      });
      expect(await keptCookie(someone)).to.not.equal(undefined);
      expect(someone.complaints()).to.deep.equal([]);
    });

    it('that was followed last in another tab', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/tabs')}?ucc=first`);
      expect(await someone.run(getUcc)).to.equal('first');
      const tab = await someone.context.newPage();
      await tab.goto(`${here.site.at('/tabs')}?ucc=second`);
      expect(await tab.evaluate(getUcc)).to.equal('second');
      expect(await someone.run(getUcc)).to.equal('second');
    });
  });

  describe('keeps the cookie', () => {
    for (const [host, domain] of [
      ['shop.acme.co.uk', '.acme.co.uk'],
      ['acme.co.uk', '.acme.co.uk'],
      ['acme.github.io', '.acme.github.io'],
      ['a.b.acme.example', '.acme.example'],
    ] as const) {
      it(`of ${host} for ${domain}, which nobody else can read`, async () => {
        const someone = await visitor();
        await someone.context.route(`https://${host}/**`, (route) =>
          route.fulfill({ contentType: 'text/html', body: here.text() }),
        );
        await someone.page.goto(`https://${host}/?ucc=Ada1`);
        expect(await someone.run(getUcc)).to.equal('Ada1');
        expect(await keptCookie(someone)).to.include({ domain, secure: true, path: '/' });
        expect(await someone.context.cookies()).to.have.length(1);
      });
    }

    it('of an address for the address', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/', {}, '127.0.0.1')}?ucc=Ada1`);
      expect(await someone.run(getUcc)).to.equal('Ada1');
      expect(await keptCookie(someone)).to.include({ domain: '127.0.0.1' });
    });

    it('whatever letters the code is of', async () => {
      const someone = await visitor();
      const ucc = 'Ä;=,"\\ 🫖%00';
      await someone.page.goto(`${here.pageAt('/odd')}?ucc=${encodeURIComponent(ucc)}`);
      expect(await someone.run(getUcc)).to.equal(ucc);
      await someone.page.goto(here.site.at('/odd'));
      expect(await someone.run(getUcc)).to.equal(ucc);
    });

    it('until the site removes it', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/gone')}?ucc=Ada1`);
      expect(await someone.run(getUcc)).to.equal('Ada1');
      await someone.context.clearCookies();
      expect(await someone.run(uccOrNone)).to.equal('none');
    });
  });

  describe('with consent required', () => {
    const asks = `TributaryAttribution('requireConsent');`;

    it('neither stores nor asks before the consent, and does both at it', async () => {
      const someone = await visitor();
      await someone.page.goto(`${here.pageAt('/careful', { scripts: [asks] })}?ucc=Ada1`);
      expect(await someone.run(getUcc)).to.equal('Ada1');
      expect(await someone.run('document.cookie')).to.equal('');
      expect(here.service.asked).to.deep.equal([]);
      await someone.run(`TributaryAttribution('grantConsent')`);
      expect(await keptCookie(someone)).to.not.equal(undefined);
      await eventually(() => expect(here.service.asked).to.have.length(1));
    });

    it('given already, stores at once', async () => {
      const someone = await visitor();
      const scripts = [asks, `TributaryAttribution('grantConsent');`];
      await someone.page.goto(`${here.pageAt('/known', { scripts })}?ucc=Ada1`);
      expect(await someone.run(getUcc)).to.equal('Ada1');
      expect(await keptCookie(someone)).to.not.equal(undefined);
    });

    it('withdrawn, forgets the code and its cookie on all subdomains', async () => {
      const someone = await visitor();
      const landing = here.pageAt('/withdrawn', {}, 'www.acme.example');
      await someone.page.goto(`${landing}?ucc=Ada1`);
      await someone.run(getUcc);
      await someone.page.goto(here.site.at('/withdrawn', 'app.acme.example'));
      expect(await someone.run(getUcc)).to.equal('Ada1');
      await someone.run(`TributaryAttribution('revokeConsent')`);
      expect(await someone.run(uccOrNone)).to.equal('none');
      expect(await someone.context.cookies()).to.deep.equal([]);
    });
  });

  it('answers calls in a page written as the docs have it, before and after load', async () => {
    const someone = await visitor();
    const docs = await readFile(join(import.meta.dirname, '../../docs/attribution-script.md'));
    const [, tags = ''] = /```html\n([^]*?)```/.exec(docs.toString()) ?? [];
    const early = `<script>window.early = TributaryAttribution('getUcc');</script>`;
    const [stub = '', tag = ''] = tags
      .replace('{assets_url}', here.service.origin)
      .split(/(?<=<\/script>)\n/);
    const page = html({ head: `${stub}${early}${tag}` });
    await someone.page.goto(`${here.site.page('/documented', { html: page })}?ucc=Ada1`);
    expect(await someone.run('window.early')).to.equal('Ada1');
    expect(await someone.run(getUcc)).to.equal('Ada1');
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('answers a page that kept the stub itself', async () => {
    const someone = await visitor();
    const keeps = `window.kept = window.TributaryAttribution;`;
    await someone.page.goto(`${here.pageAt('/kept', { scripts: [keeps] })}?ucc=Ada1`);
    await someone.run(getUcc);
    expect(await someone.run(`window.kept('getUcc')`)).to.equal('Ada1');
  });

  it('takes its place where the page has an element of its name', async () => {
    const someone = await visitor();
    const page = html({
      head: attributionTag(here.service.origin),
      body: '<a id="TributaryAttribution">x</a>',
    });
    await someone.page.goto(`${here.site.page('/clobbered', { html: page })}?ucc=Ada1`);
    await someone.page.waitForFunction(`typeof window.TributaryAttribution === 'function'`);
    expect(await someone.run(getUcc)).to.equal('Ada1');
    expect(someone.complaints()).to.deep.equal([]);
  });

  it('does not count a page that the browser only loads ahead, until it is visited', async () => {
    const someone = await visitor();
    // A browser without a window loads nothing ahead, so the page is told that it was.
    await someone.page.addInitScript(`
      let ahead = true;
      Object.defineProperty(document, 'prerendering', { get: () => ahead });
      window.visit = () => { ahead = false; document.dispatchEvent(new Event('prerenderingchange')); };
    `);
    await someone.page.goto(`${here.pageAt('/ahead')}?ucc=Ada1`, { waitUntil: 'networkidle' });
    expect(await someone.context.cookies()).to.deep.equal([]);
    expect(here.service.asked).to.deep.equal([]);
    const ucc = someone.run(getUcc); // waits as before the script has come
    await someone.run('window.visit()');
    expect(await ucc).to.equal('Ada1');
    expect(await keptCookie(someone)).to.not.equal(undefined);
  });
});
