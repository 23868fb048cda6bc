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
    const asksIn = async (seconds: number) => {
      const before = service.asked.length;
      for (let passed = 0; passed < seconds; passed += 15) {
        await page.clock.runFor(15_000);
        await run(`fetch('/').then(() => undefined)`); // so much later that an answer was there
      }
      return service.asked.length - before;
    };
    const hide = (state: string) =>
      run(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }),
        document.dispatchEvent(new Event('visibilitychange')), undefined`);

    expect(await asksIn(60), 'never opened').to.equal(0);
    await launcherOf(page).click();
    await panelOf(page).getByRole('textbox').waitFor();
    expect(await asksIn(60), 'open').to.equal(4);
    await hide('hidden');
    expect(await asksIn(60), 'not seen').to.equal(0);
    await hide('visible');
    await run('hostApi.close()');
    expect(await asksIn(60), 'closed').to.equal(0);
    await run('hostApi.open()');
    await run('hostApi.shutdown()');
    expect(await asksIn(60), 'shut down').to.equal(0);
  });
});
