import type { Demo } from '../../deploy/demo/demo-file.ts';
import { sharedDemo } from '../shared-stack.ts';
import { createCustomer, type Customer, type CustomerPlan } from './customer.ts';
import { type Boot, bootScript, html, widgetTag } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';

/** The running system, a customer of it, and the customer's web site on another origin. */
export type Setting = {
  demo: Demo;
  assetsUrl: string;
  site: PageServer;
  customer: Customer;
  /** Hosts a page that boots the widget for a user, and gives its address. */
  widgetPage(more?: WidgetPage): string;
};

export type WidgetPage = {
  path?: string;
  hostname?: string;
  user?: string;
  boot?: Partial<Boot>;
  body?: string;
  head?: string;
  headers?: Record<string, string>;
};

/** In a `describe`: what is given is there from `before` on. */
export function useSetting(plan: Partial<CustomerPlan> = {}): Setting {
  const setting = {} as Setting;
  before(async function () {
    this.timeout(180_000);
    const demo = await sharedDemo();
    const site = await startPageServer();
    const customer = await createCustomer(demo, {
      landingUrl: site.at('/join'),
      domains: [site.host],
      ...plan,
    });
    const { assetsUrl } = demo;
    Object.assign(setting, { demo, assetsUrl, site, customer, widgetPage });
  });
  after(() => setting.site?.stop());

  function widgetPage(more: WidgetPage = {}): string {
    const { path = '/account', hostname, user = 'ada', boot = {}, body, head = '', headers } = more;
    const { site, assetsUrl, customer } = setting;
    const script = bootScript({ token: customer.tokenOf(user), ...boot });
    const page = html({
      head: `${head}${widgetTag(assetsUrl)}`,
      scripts: [script],
      ...(body === undefined ? {} : { body }),
    });
    return site.page(path, { html: page, ...(headers && { headers }) }, hostname);
  }
  return setting;
}
