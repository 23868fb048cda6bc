import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import type { Link } from './link-of-page.ts';

const timeoutMs = 5_000;

/**
 * Asks the origin that served this script. Undefined when there is no answer, which may come later.
 */
export async function askConfig(
  { ucc, productId }: Link,
  script: string,
): Promise<CampaignConfigAnswer | undefined> {
  const url = new globalThis.URL('/widget/campaign-config', script);
  url.searchParams.set('ucc', ucc);
  if (productId) url.searchParams.set('productId', productId);
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const answer = await fetch(url.href, { credentials: 'omit', signal: abort.signal });
    return answer.ok ? readAnswer(await answer.json()) : undefined;
  } catch {
    return undefined; // offline, refused by the page's policy, too late, or not JSON
  } finally {
    clearTimeout(timer);
  }
}

/** What of an answer has the form agreed on; a proxy in between may answer with anything. */
export function readAnswer(answer: unknown): CampaignConfigAnswer {
  const { campaignConfig, referrerName, windowDays } = Object(answer) as Record<string, unknown>;
  const read: CampaignConfigAnswer = {};
  if (typeof campaignConfig === 'object' && campaignConfig) read.campaignConfig = campaignConfig;
  if (typeof referrerName === 'string' && referrerName) read.referrerName = referrerName;
  if (Number.isInteger(windowDays) && Number(windowDays) > 0) read.windowDays = Number(windowDays);
  return read;
}
