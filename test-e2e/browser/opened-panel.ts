import type { BrowserContextOptions, Locator } from 'playwright-core';
import { type Boot, bootScript, html, widgetTag } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { startScriptedService } from './scripted-service.ts';
import { useVisitors, type Visitor } from './visitor.ts';

export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};
export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };

type Asked = {
  options?: BrowserContextOptions;
  boot?: Partial<Boot>;
  body?: string;
  head?: string;
  /** JavaScript of the page, before the widget is booted. */
  before?: string;
};
export type OpenedPanel = Visitor & {
  dialog: Locator;
  /** Runs JavaScript that speaks of `dialog`, the element. */
  ofDialog<T>(expression: string): Promise<T>;
};

/**
 * In a `describe`: opens the panel of the built widget, on a page of a customer, with answers of
 * the spec's own.
 */
export function usePanel() {
  const visitor = useVisitors();
  const given = {} as {
    service: Awaited<ReturnType<typeof startScriptedService>>;
    site: PageServer;
  };
  before(async () => {
    given.service = await startScriptedService();
    given.site = await startPageServer();
  });
  after(async () => {
    await Promise.all([given.service?.stop(), given.site?.stop()]);
  });

  return {
    answer(status: number, body: object) {
      given.service.script.session = { status, body };
    },
    async open({
      options = desktop,
      boot = {},
      body,
      head = '',
      before = '',
    }: Asked = {}): Promise<OpenedPanel> {
      const someone = await visitor(options);
      const page = html({
        head: `${head}${widgetTag(given.service.origin)}`,
        scripts: [before, bootScript({ token: 'any', ...boot })],
        ...(body !== undefined && { body }),
      });
      await someone.page.goto(given.site.page('/account', { html: page }));
      await someone.run('window.hostBoot');
      await someone.run('window.hostApi.open()');
      const dialog = someone.page.getByRole('dialog');
      await dialog.waitFor();
      const ofDialog = <T>(expression: string) =>
        someone.run<T>(`((dialog) => (${expression}))(${dialogElement})`);
      await ofDialog(settled);
      return { ...someone, dialog, ofDialog };
    },
  };
}

/**
 * When what moves has come to rest, the skeleton aside, which breathes for as long as it is there.
 */
const settled = `Promise.all(
  dialog.getAnimations({ subtree: true })
    .filter((animation) => animation.effect.getTiming().iterations !== Infinity)
    .map((animation) => animation.finished)
).then(() => undefined)`;

/** The dialog, in whichever shadow root it is. */
const dialogElement = `(() => {
  const roots = [document];
  for (const root of roots) {
    const dialog = root.querySelector('dialog');
    if (dialog) return dialog;
    roots.push(...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ?? []));
  }
})()`;
