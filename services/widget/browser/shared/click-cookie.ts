import type { Click } from '@tributary/contracts/public/widget-session';

/**
 * The one cookie that the scripts keep, on the customer's own domain: by which link this browser
 * came. Its value is `encodeURIComponent` of JSON, so that a customer's server can read it too.
 * Anyone can write anything into it, so what cannot be true is read as if there were no cookie.
 */
export const cookieName = 'tributary_ucc';

export type KeptClick = {
  ucc: string;
  /** The product that the link named; absent when it named none. */
  productId?: string | undefined;
  /** Once the service has told it. */
  campaignId?: string | undefined;
  /** Milliseconds since 1970, by this browser's clock. */
  capturedMs: number;
};

/** What `document.cookie` is to hold after `name=`. */
export function clickToValue({ ucc, productId, campaignId, capturedMs }: KeptClick): string {
  return encodeURIComponent(JSON.stringify({ u: ucc, p: productId, c: campaignId, t: capturedMs }));
}

/**
 * The click in `document.cookie`. There may be two cookies of the name, of this host and of the
 * domain above it; the later click counts (the last link followed wins).
 */
export function readKeptClick(cookieText: string): KeptClick | undefined {
  let latest: KeptClick | undefined;
  for (const pair of cookieText.split('; ')) {
    if (!pair.startsWith(`${cookieName}=`)) continue;
    const click = valueToClick(pair.slice(cookieName.length + 1));
    if (click && !(latest && latest.capturedMs >= click.capturedMs)) latest = click;
  }
  return latest;
}

/** The same as the widget sends it with its session. */
export function readClick(cookieText: string): Click | undefined {
  const kept = readKeptClick(cookieText);
  return kept && { ucc: kept.ucc, capturedAt: new Date(kept.capturedMs).toISOString() };
}

/** As ids are in the contract: 1 to 255 code points, none of them NUL or half a character. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && /^[^\0\p{Surrogate}]{1,255}$/u.test(text);
}

function valueToClick(value: string): KeptClick | undefined {
  try {
    const { u, p, c, t } = JSON.parse(decodeURIComponent(value)) as Record<string, unknown>;
    if (!isId(u) || typeof t !== 'number' || !(t >= 0 && t < latestMs)) return undefined;
    return {
      ucc: u,
      productId: isId(p) ? p : undefined,
      campaignId: isId(c) ? c : undefined,
      capturedMs: Math.floor(t),
    };
  } catch {
    return undefined; // not ours, or cut short
  }
}

/** The year 10000, whose timestamps have another form. */
const latestMs = 253_402_300_800_000;
