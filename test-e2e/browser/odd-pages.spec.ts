import { expect } from 'chai';
import { attributionStub, attributionTag, bootScript, html, widgetTag } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { startScriptedService } from './scripted-service.ts';
import { useVisitors, type Visitor } from './visitor.ts';
import { busySession } from './widget-scenes.ts';
import { launcherOf, panelOf } from './widget-parts.ts';

// Pages that use names of the browser's or of ours for something else. Answers are written here.

describe('the scripts on pages with names of their own', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  let service: Awaited<ReturnType<typeof startScriptedService>>;
  let site: PageServer;
  before(async () => {
    service = await startScriptedService();
    site = await startPageServer();
  });
  after(() => Promise.all([service?.stop(), site?.stop()]));
  beforeEach(() => (service.script.session = { status: 200, body: busySession }));

  async function visit(before = ''): Promise<Visitor> {
    const someone = await visitor();
    const text = html({
      head: attributionTag(service.origin) + widgetTag(service.origin),
      scripts: [before, attributionStub, bootScript({ token: 'any' })],
    });
    await someone.page.goto(`${site.page('/odd', { html: text })}?ucc=ADA1`);
    return someone;
  }

  async function expectBothToWork({ page, run, complaints }: Visitor): Promise<void> {
    expect(await run('hostBoot')).to.equal('booted');
    expect(await run(`TributaryAttribution('getUcc')`)).to.equal('ADA1');
    await launcherOf(page).click();
    await panelOf(page).getByRole('textbox').waitFor();
    expect(complaints()).to.deep.equal([]);
  }

  const names: Record<string, string> = {
    'a navigation that is an object': 'var navigation = { items: [] };',
    'a navigation that is text': `var navigation = 'main';`,
    'a constant URL': `const URL = 'https://api.shop.example';`,
    'a frozen queue holder': 'window.Tributary = Object.freeze({ cmd: [] });',
    'toJSON on arrays': 'Array.prototype.toJSON = function () { return this.join(); };',
    'enumerable additions': `Object.prototype.extend = function () {}; Array.prototype.last = function () {}; Object.prototype.theme = {dark: 5}; Object.prototype.language = 'xx';`,
    'its own tributary-launcher': `customElements.define('tributary-launcher', class extends HTMLElement {});`,
    'a Promise of its own': `window.Promise = class Old { constructor(f) { this.p = new (Object.getPrototypeOf((async () => {})()).constructor)(f); } then(a, b) { return this.p.then(a, b); } static resolve(v) { return new Old((s) => s(v)); } static all() { throw new Error('no'); } };`,
    'document.cookie that throws': `Object.defineProperty(document, 'cookie', { get() { throw new Error('no'); }, set() { throw new Error('no'); } });`,
    'document.cookie that gives nothing': `Object.defineProperty(document, 'cookie', { get() {}, set() {} });`,
  };
  for (const [name, script] of Object.entries(names)) {
    it(`work beside ${name}`, async () => expectBothToWork(await visit(script)));
  }

  for (const value of [`'x'`, '5', 'null', 'false', '[]', '() => {}']) {
    it(`complain of nothing where Tributary is ${value}`, async () => {
      const someone = await visitor();
      const text = html({
        head: widgetTag(service.origin),
        scripts: [`window.Tributary = ${value};`],
      });
      await someone.page.goto(site.page('/taken', { html: text }), { waitUntil: 'networkidle' });
      expect(someone.complaints()).to.deep.equal([]);
    });
  }

  it('work when the body is gone', async () => {
    const someone = await visit();
    await someone.run('hostBoot');
    await someone.run('document.body.remove()');
    await expectBothToWork(someone);
  });

  it('tell of a link that no QR code can hold', async () => {
    const link = `https://shop.example/join?ucc=${'%F0%9F%8D%B5'.repeat(255)}`;
    const invite = { ...busySession.invite, link };
    service.script.session = { status: 200, body: { ...busySession, invite } };
    const someone = await visit();
    await expectBothToWork(someone);
    expect(await panelOf(someone.page).getByRole('textbox').inputValue()).to.equal(link);
    expect(await panelOf(someone.page).getByRole('button', { name: 'QR code' }).count()).to.equal(
      0,
    );
  });
});
