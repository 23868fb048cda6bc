import { Stripe } from 'stripe';

/**
 * Whether a webhook's body was signed with one of the endpoint's secrets, by the scheme of Stripe's
 * own library (`t=<seconds>,v1=<hmac>,...`, compared in constant time). That library takes a
 * timestamp from any time in the future; here both directions have the same tolerance. The words
 * are for whoever looks into why their webhook is refused; no secret and no signature is in them.
 *
 * The library decodes bytes leniently, and would find a signature good for other bytes than were
 * signed (a byte order mark, or a wrong byte where U+FFFD was). So it is given a text, decoded
 * strictly.
 */
export const toleranceSeconds = 300;

export type SignatureValidation =
  { outcome: 'signed'; text: string } | { outcome: 'refused'; reason: SignatureMistake };

export type SignatureMistake =
  'missing' | 'malformed' | 'no-v1' | 'no-match' | 'too-old' | 'too-far-ahead';

export const signatureDetails: Record<SignatureMistake, string> = {
  missing: 'The header Stripe-Signature is missing.',
  malformed:
    'The header Stripe-Signature is malformed: it needs t=<seconds> once, and v1=<signature>.',
  'no-v1': 'The header Stripe-Signature has no v1 signature, the only scheme that is accepted.',
  'no-match':
    'No v1 signature of Stripe-Signature matches the body as it was received and the secret of this endpoint.',
  'too-old': `The timestamp of Stripe-Signature is more than ${toleranceSeconds} s in the past.`,
  'too-far-ahead': `The timestamp of Stripe-Signature is more than ${toleranceSeconds} s in the future.`,
};

export function validateSignature(asked: {
  body: Uint8Array;
  header: string | undefined;
  secrets: readonly string[];
  now: Date;
}): SignatureValidation {
  const { body, header, secrets, now } = asked;
  if (header === undefined || header === '') return refused('missing');
  const parts = header.split(',').map((part) => part.split('='));
  const times = parts.flatMap(([key, value]) => (key === 't' ? [value ?? ''] : []));
  if (times.length !== 1 || !/^[0-9]{1,12}$/.test(times[0] ?? '')) return refused('malformed');
  const signatures = parts.filter(([key]) => key === 'v1');
  if (signatures.length === 0) return refused('no-v1');
  // The library fails at an empty one, also when another is good.
  if (signatures.some(([, value]) => !value)) return refused('malformed');

  const text = textOf(body);
  if (text === undefined || text === '') return refused('no-match');
  const isSigned = (secret: string) => verifies({ text, header, secret, tolerance: noTolerance });
  if (!secrets.some(isSigned)) return refused('no-match');
  const receivedAt = now.getTime();
  const inTime = (secret: string) =>
    verifies({ text, header, secret, tolerance: toleranceSeconds, receivedAt });
  if (!secrets.some(inTime)) return refused('too-old');
  const aheadSeconds = Number(times[0]) - Math.floor(receivedAt / 1_000);
  return aheadSeconds > toleranceSeconds ? refused('too-far-ahead') : { outcome: 'signed', text };
}

/** `t=...,v1=...` as Stripe would write it: of our own test events. */
export function signStripePayload(payload: string, secret: string, at: Date): string {
  const timestamp = Math.floor(at.getTime() / 1_000);
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

/** The library's word for "any age"; whoever uses it looks at the age afterwards. */
const noTolerance = 0;

function verifies(asked: {
  text: string;
  header: string;
  secret: string;
  tolerance: number;
  receivedAt?: number;
}): boolean {
  const { text, header, secret, tolerance, receivedAt } = asked;
  const { signature } = Stripe.webhooks;
  if (!signature) throw new Error('the stripe library cannot verify signatures');
  try {
    return signature.verifyHeader(text, header, secret, tolerance, undefined, receivedAt);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text whose bytes in UTF-8 are exactly these; undefined when there is none. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(reason: SignatureMistake): SignatureValidation {
  return { outcome: 'refused', reason };
}
