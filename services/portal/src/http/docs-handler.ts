import { sendProblem } from '@tributary/http/problem-response';
import type { RequestHandler } from 'express';
import type { ExampleIds } from '../catalog/db/example-ids.ts';
import type { Docs } from '../console/docs/load-docs.ts';

/**
 * Where a page's script asks for the ids that samples show; see {@link createExampleIdsHandler}.
 */
export const exampleIdsPath = '/docs/example-ids.json';

/** The ids of one tenant, as they are now; none before the tenant is there. */
export function createExampleIdsHandler(
  read: () => Promise<ExampleIds | undefined>,
): RequestHandler {
  return async (req, res, next) => {
    if (req.originalUrl !== exampleIdsPath || req.method !== 'GET') return next();
    res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    res.json((await read()) ?? {});
  };
}

/**
 * GET and HEAD of the public documentation. The path is looked up as it came, undecoded; what is
 * not there is left to the next handler.
 */
export function createDocsHandler(docs: Docs): RequestHandler {
  return (req, res, next) => {
    const [path = ''] = req.originalUrl.split('?');
    const resource = docs.get(path);
    if (!resource) return next();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const detail = 'This path allows only GET and HEAD.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET, HEAD', detail });
    }
    res.set(resource.headers);
    if (req.fresh) {
      res.removeHeader('Content-Type');
      res.status(304).end();
      return;
    }
    const isGzipped = req.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (isGzipped) res.set('Content-Encoding', 'gzip');
    const body = isGzipped ? resource.gzipped : resource.plain;
    res.set('Content-Length', String(body.length));
    res.status(200).end(req.method === 'HEAD' ? undefined : body);
  };
}
