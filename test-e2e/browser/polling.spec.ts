import { expect } from 'chai';
import { bootScript, html, widgetTag } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { startScriptedService } from './scripted-service.ts';
import { useVisitors } from './visitor.ts';
import { launcherOf, panelOf } from './widget-parts.ts';
import { busySession } from './widget-scenes.ts';

describe('the widget asks for news', function () {
  this.timeout(60_000);
  const visitor = useVisitors();
  let service: Awaited<ReturnType<typeof startScriptedService>>;
  let site: PageServer;
  before(async () => {
    service = await startScriptedService();
    service.script.session = { status: 200, body: busySession };
    site = await startPageServer();
  });
  after(() => Promise.all([service?.stop(), site?.stop()]));

  it('every 15 s while its panel is open and seen, and at no other time (docs/widget.md)', async () => {
    const { page, run } = await visitor();
    await page.clock.install();
    const head = widgetTag(service.origin);
    const text = html({ head, scripts: [bootScript({ token: 'any' })] });
    await page.goto(site.page('/polling', { html: text }));
    await run('hostBoot');
    /** What it asks by itself now, until the answer is there: it asks nothing twice at a time. */
    const asking = async (work: () => Promise<unknown>) => {
      const answered = page.waitForEvent('requestfinished', (request) =>
        request.url().startsWith(`${service.origin}/widget/session`),
      );
      await Promise.all([answered, work()]);
      await run(`fetch('/').then(() => undefined)`);
    };
    const pass = () => page.clock.runFor(15_000);
    const passSilently = async () => {
      for (let n = 0; n < 4; n += 1) {
        await pass();
        await run(`fetch('/').then(() => undefined)`);
      }
    };
    const hide = (state: string) =>
      run(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }),
        document.dispatchEvent(new Event('visibilitychange')), undefined`);

    await passSilently();
    expect(service.asked.length, 'never opened').to.equal(1);
    await asking(() => launcherOf(page).click());
    await panelOf(page).getByRole('textbox').waitFor();
    for (let n = 0; n < 4; n += 1) await asking(pass);
    expect(service.asked.length, 'open').to.equal(1 + 1 + 4);
    await hide('hidden');
    await passSilently();
    expect(service.asked.length, 'not seen').to.equal(6);
    await asking(() => hide('visible'));
    await run('hostApi.close()');
    await passSilently();
    expect(service.asked.length, 'closed').to.equal(7);
    await asking(() => run('hostApi.open()'));
    await run('hostApi.shutdown()');
    await passSilently();
    expect(service.asked.length, 'shut down').to.equal(8);
  });
});
