import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import { sendJson, sendProblem } from '@tributary/http/problem-response';
import type { FindCampaignConfig } from '../commands/campaign-config.ts';
import { answerOrigin, answerPreflight } from './cors.ts';

export const configPath = '/widget/campaign-config';

/**
 * GET /widget/campaign-config?ucc=…[&productId=…], for the attribution script. 200 with `{}` for
 * whoever is not to know: the pages are public, and a refusal would be an error on the customer's
 * console.
 */
export function createConfigRoute(options: {
  findCampaignConfig: FindCampaignConfig;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const origin = answerOrigin(req, res);
    if (req.method === 'OPTIONS') return answerPreflight(res, { methods: 'GET, HEAD' });
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      const detail = 'Read this path with GET.';
      return sendProblem(res, 'NOT_FOUND', { allow: 'GET, HEAD, OPTIONS', detail });
    }
    const asked = readQuery(req.url ?? '');
    const answer: CampaignConfigAnswer =
      origin === undefined || asked === undefined
        ? {}
        : await options.findCampaignConfig({ origin, ...asked });
    // What is missing may be there in a moment: a new code, the name of somebody who just booted.
    const isWhole = answer.referrerName !== undefined;
    res.setHeader('Cache-Control', isWhole ? 'private, max-age=60' : 'no-store');
    sendJson(res, 200, answer);
  };
}

function readQuery(url: string): { ucc: string; productId: string | undefined } | undefined {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const ucc = query.get('ucc');
  if (!url.includes('?') || ucc === null || !canBeId(ucc)) return undefined;
  // An empty one names no product, as links are sometimes built.
  return { ucc, productId: query.get('productId') || undefined };
}

/** As codes are (interface 8); anything else is nobody's, and is not looked up. */
function canBeId(text: string): boolean {
  return text !== '' && !text.includes('\0') && text.length <= 510 && [...text].length <= 255;
}
