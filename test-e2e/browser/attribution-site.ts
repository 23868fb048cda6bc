import { attributionStub, attributionTag, html } from './host-html.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { startScriptedService } from './scripted-service.ts';

type PageParts = { scripts?: string[]; body?: string };

export type AttributionSite = {
  site: PageServer;
  service: Awaited<ReturnType<typeof startScriptedService>>;
  /** A page with both parts of the tag, as text. */
  text(parts?: PageParts): string;
  /** Hosts that page, and gives its address. */
  pageAt(path: string, parts?: PageParts, hostname?: string): string;
};

/** In a `describe`: a site with the attribution script, from a service that knows no code. */
export function useAttributionSite(): AttributionSite {
  const here = {} as AttributionSite;
  before(async () => {
    here.site = await startPageServer();
    here.service = await startScriptedService();
  });
  beforeEach(() => {
    here.service.asked.length = 0;
    here.service.script.campaignConfig = { status: 200, body: {} };
  });
  after(() => Promise.all([here.site.stop(), here.service.stop()]));
  here.text = ({ scripts = [], ...body } = {}) => {
    const head = attributionTag(here.service.origin);
    return html({ head, scripts: [attributionStub, ...scripts], ...body });
  };
  here.pageAt = (path, parts, hostname) =>
    here.site.page(path, { html: here.text(parts) }, hostname);
  return here;
}
