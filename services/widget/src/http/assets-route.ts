import type { IncomingMessage, ServerResponse } from 'node:http';
import { endAnswer } from '@tributary/http/end-answer';
import { sendProblem } from '@tributary/http/problem-response';
import { chooseEncoding } from './choose-encoding.ts';
import { endEmpty } from './end-empty.ts';
import type { Asset, Assets } from './load-assets.ts';

/** Whether a path is one of the scripts' (interface 4.7), served or denied. */
export function isAssetPath(path: string): boolean {
  return /^\/(?:app|attribution)(?:\/|$)/.test(path);
}

/**
 * GET and HEAD of the browser scripts. Without `/latest/` a path is denied (interface 4.7 rule 1).
 * Any page may load them, under any isolation that it has asked the browser for.
 */
export function createAssetsRoute(
  assets: Assets,
): (req: IncomingMessage, res: ServerResponse, path: string) => Promise<void> {
  return async (req, res, path) => {
    for (const [name, value] of openToAll) res.setHeader(name, value);
    if (!isBelowLatest.test(path)) {
      const detail = 'Scripts are served only below /latest/.';
      return sendProblem(res, 'FORBIDDEN', { detail });
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const detail = 'Load scripts with GET.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET, HEAD', detail });
    }
    const asset = assets.get(path);
    if (!asset) return sendProblem(res, 'NOT_FOUND', { detail: 'There is no such script.' });
    sendAsset(req, res, asset);
  };
}

function sendAsset(req: IncomingMessage, res: ServerResponse, asset: Asset): void {
  const encoding = chooseEncoding(req.headers['accept-encoding']);
  const { bytes, etag } = asset.bodies[encoding];
  const headers = { ETag: etag, 'Cache-Control': asset.cacheControl, Vary: 'Accept-Encoding' };
  if (isKnown(req.headers['if-none-match'], etag)) return endEmpty(res, 304, headers);
  endAnswer(
    res,
    200,
    {
      ...headers,
      'Content-Type': 'text/javascript; charset=utf-8',
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    },
    bytes,
  );
}

/**
 * Whether the caller has it (RFC 9110, 13.1.2); a cache on the way may have made the tag a weak
 * one.
 */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

const isBelowLatest = /^\/(?:app|attribution)\/latest\//;

const openToAll = [
  ['Access-Control-Allow-Origin', '*'],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Timing-Allow-Origin', '*'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;
