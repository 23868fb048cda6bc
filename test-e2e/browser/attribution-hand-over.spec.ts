import { expect } from 'chai';
import { useAttributionSite } from './attribution-site.ts';
import { useVisitors } from './visitor.ts';

const getUcc = `TributaryAttribution('getUcc')`;

describe('the attribution script hands the code on', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  const here = useAttributionSite();

  it('in a form whose fields a script sends, and leaves a code that was typed', async () => {
    const someone = await visitor();
    const body = `<form data-tributary-ucc="ref"><input name="ref"></form>`;
    await someone.page.goto(`${here.pageAt('/typed', { body })}?ucc=Ada1`);
    await someone.run(getUcc);
    const sent = `new FormData(document.forms[0]).getAll('ref').join('|')`;
    expect(await someone.run(sent)).to.equal('Ada1');
    await someone.page.locator('input').fill('Typed');
    expect(await someone.run(sent)).to.equal('Typed');
  });

  it('by a link followed by keyboard, in another tab, and in spite of the page', async () => {
    const someone = await visitor();
    const stops = `addEventListener('click', (event) => event.stopPropagation(), true);`;
    const there = here.pageAt('/there');
    const body = `<a data-tributary-ucc href="/there"><b>On</b></a>`;
    const landing = `${here.pageAt('/links', { scripts: [stops], body })}?ucc=Ada1`;

    await someone.page.goto(landing);
    await someone.run(getUcc);
    const opened = someone.context.waitForEvent('page');
    await someone.page.getByText('On').click({ button: 'middle' });
    await (await opened).waitForURL(`${there}?ucc=Ada1`);

    await someone.page.goto(landing);
    await someone.run(getUcc);
    await someone.page.locator('a').focus();
    await someone.page.keyboard.press('Enter');
    await someone.page.waitForURL(`${there}?ucc=Ada1`);
  });

  it('by a link inside a component', async () => {
    const someone = await visitor();
    const component = `
      customElements.define('site-nav', class extends HTMLElement {
        connectedCallback() {
          const link = Object.assign(document.createElement('a'), { href: '/there' });
          link.setAttribute('data-tributary-ucc', '');
          link.append('Inside');
          this.attachShadow({ mode: 'open' }).append(link);
        }
      });`;
    const body = '<site-nav></site-nav>';
    const there = here.pageAt('/there');
    await someone.page.goto(`${here.pageAt('/nav', { scripts: [component], body })}?ucc=Ada1`);
    await someone.run(getUcc);
    await someone.page.getByText('Inside').click();
    await someone.page.waitForURL(`${there}?ucc=Ada1`);
  });

  it('by no link that a page could not read it from', async () => {
    const someone = await visitor();
    const body = `<a data-tributary-ucc href="mailto:a@b.example">Mail</a>`;
    await someone.page.goto(`${here.pageAt('/mail', { body })}?ucc=Ada1`);
    await someone.run(getUcc);
    await someone.page.getByText('Mail').dispatchEvent('contextmenu');
    expect(await someone.run(`document.querySelector('a').href`)).to.equal('mailto:a@b.example');
  });
});
