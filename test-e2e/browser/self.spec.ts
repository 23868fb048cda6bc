import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { axeFindings } from './axe.ts';
import { html, strictPolicy } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { useVisitors } from './visitor.ts';

describe('the harness of the specs in a browser', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  let site: PageServer;
  before(async () => (site = await startPageServer()));
  after(() => site.stop());

  it('hears what a page complains of', async () => {
    const { page, complaints, complaintsOfScripts } = await visitor();
    const script = `
      console.error('said'); console.warn('warned');
      setTimeout(() => { throw new Error('thrown') }); Promise.reject(new Error('rejected'));`;
    await page.goto(
      site.page('/', { html: html({ scripts: [script], body: '<img src="/none">' }) }),
    );
    // The page has loaded before the browser has told all of it.
    await eventually(() => {
      const heard = complaints().join('\n');
      for (const what of ['error: said', 'warning: warned', 'thrown', 'rejected', '404']) {
        expect(heard).to.contain(what);
      }
    });
    expect(complaintsOfScripts().join('\n')).to.not.contain('404');
  });

  it('hears of violations, and runs its own expressions in spite of the strict policy', async () => {
    const { page, complaints, run } = await visitor();
    const headers = { 'content-security-policy': strictPolicy('http://assets.example') };
    const body = '<p id="p"></p><script>window.ran = 1</script>';
    await page.goto(site.page('/strict', { html: html({ body }), headers }, 'www.acme.example'));
    expect(await run('[location.hostname, window.ran]')).to.deep.equal(['www.acme.example', null]);
    await eventually(() => expect(complaints().join('\n')).to.match(/Content.Security.Policy/));
    const injected = await run<string>(
      `(() => { try { document.querySelector('#p').innerHTML = '<b>x</b>'; return 'done'; } catch (e) { return e.name; } })()`,
    );
    expect(injected).to.equal('TypeError');
  });

  it('has axe look into shadow roots', async () => {
    const { page } = await visitor();
    const script = `addEventListener('DOMContentLoaded', () => {
      const root = document.querySelector('div').attachShadow({ mode: 'open' });
      root.append(document.createElement('button'));
    })`;
    await page.goto(site.page('/axe', { html: html({ scripts: [script], body: '<div></div>' }) }));
    expect((await axeFindings(page)).join('\n')).to.contain('button-name');
  });
});
