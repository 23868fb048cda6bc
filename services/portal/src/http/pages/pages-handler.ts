import { randomBytes } from 'node:crypto';
import { sendProblem } from '@tributary/http/problem-response';
import type { Request, RequestHandler, Response } from 'express';
import type { DocsResource } from '../../console/docs/docs-resource.ts';
import type { Pages } from './load-pages.ts';

/**
 * GET and HEAD of the pages for operators: `/` leads to them, every path below `/portal/` is the
 * same document, which finds by its address what to show, so a link works when it is opened anew.
 */
export function createPagesHandler({ assets, document, widgetPreview }: Pages): RequestHandler {
  return (req, res, next) => {
    const [path = ''] = req.originalUrl.split('?');
    const isPage = path === '/portal' || path.startsWith('/portal/');
    if (!isPage && path !== '/') return next();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const detail = 'Read pages with GET.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET, HEAD', detail });
    }
    if (!isPage) return res.redirect(302, '/portal');
    const asset = assets.get(path);
    if (asset !== undefined) return sendAsset(req, res, asset);
    if (path.startsWith('/portal/assets/')) return next();
    if (path === '/portal/widget-preview') {
      return sendDocument(req, res, widgetPreview, widgetPreviewPolicy);
    }
    const nonce = randomBytes(16).toString('base64');
    sendDocument(req, res, document(nonce), policyWith(nonce));
  };
}

function sendAsset(req: Request, res: Response, { headers, plain, gzipped }: DocsResource): void {
  res.set(headers);
  if (req.fresh) {
    res.removeHeader('Content-Type');
    res.status(304).end();
    return;
  }
  const isGzipped = req.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isGzipped) res.set('Content-Encoding', 'gzip');
  const body = isGzipped ? gzipped : plain;
  res.set('Content-Length', String(body.length));
  res.status(200).end(req.method === 'HEAD' ? undefined : body);
}

/** Nobody keeps it: a nonce holds for one answer. */
function sendDocument(req: Request, res: Response, html: string, policy: string): void {
  const body = Buffer.from(html);
  res.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  res.status(200).end(req.method === 'HEAD' ? undefined : body);
}

function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The preview has an origin of its own that is empty (`sandbox`), also when it is opened by itself,
 * and can ask nobody anything.
 */
const widgetPreviewPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  'sandbox allow-scripts',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
