import { createBodyReader } from '@tributary/contracts/body-reader';
import { isEmail } from '@tributary/contracts/email';
import { PurchaseCreated } from '@tributary/contracts/public/purchase-created';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { codePoints } from '@tributary/contracts/strict-ajv';
import { Ajv } from 'ajv';
import { median } from '../report.ts';
import { smallestPurchase as minimal } from './purchase-body.ts';

const rounds = 400;
const readsPerRound = 400;

export type ReadingCost = {
  body: string;
  bytes: number;
  strictUs: number;
  plainUs: number;
  ratio: number;
};

/**
 * What strict reading costs, bytes to typed body, beside JSON.parse and a plain ajv with the same
 * schema and the same formats. Both take turns in short rounds; the ratio is the median over the
 * rounds, since a machine that slows down slows both readers of a round.
 */
export function measureReading(): ReadingCost[] {
  const strict = createBodyReader(PurchaseCreated);
  const plain = createPlainReader();
  return Object.entries(bodies).map(([body, text]) => {
    const bytes = Buffer.from(text, 'utf8');
    if (strict(bytes).outcome !== 'valid' || !plain(bytes)) throw new Error(`${body} is refused`);
    const times = Array.from({ length: rounds }, () => ({
      strictUs: microsPerRead(() => strict(bytes)),
      plainUs: microsPerRead(() => plain(bytes)),
    })).slice(warmUpRounds);
    return {
      body,
      bytes: bytes.length,
      strictUs: median(times.map(({ strictUs }) => strictUs)),
      plainUs: median(times.map(({ plainUs }) => plainUs)),
      ratio: median(times.map(({ strictUs, plainUs }) => strictUs / plainUs)),
    };
  });
}

const warmUpRounds = 50;

function createPlainReader(): (bytes: Buffer) => boolean {
  const ajv = new Ajv({ allErrors: true });
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined);
  ajv.addFormat('email', isEmail);
  ajv.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\0'));
  ajv.addKeyword({ keyword: 'trimmedLength', validate: trimmedLength });
  const check = ajv.compile(PurchaseCreated);
  return (bytes) => check(JSON.parse(bytes.toString('utf8')));
}

function trimmedLength([min, max]: [number, number], text: string): boolean {
  const length = codePoints(text.trim());
  return length >= min && length <= max;
}

function microsPerRead(read: () => unknown): number {
  const startedMs = performance.now();
  for (let n = 0; n < readsPerRound; n++) read();
  return ((performance.now() - startedMs) * 1_000) / readsPerRound;
}

const full = {
  ...minimal,
  occurredAt: '2026-01-31T12:00:00.123+01:00',
  newUser: {
    id: 'user-1234',
    email: 'someone.with.a.name@mail.example.com',
    name: 'Someone With A Name',
    organizationId: 'org-0123456789',
  },
  subscription: { id: 'sub-0123456789', interval: 'monthly', seatsUsed: 25, productKey: 'team' },
  idempotencyKey: '7f9c2ba4-e88f-4a27-9c30-0a5d7f9c2ba4',
};

const bodies: Record<string, string> = {
  minimal: JSON.stringify(minimal),
  full: JSON.stringify(full),
  'full, indented': JSON.stringify(full, undefined, 2),
  'full, non-ASCII': JSON.stringify({
    ...full,
    ucc: 'EMPFEHLUNG-ÄÖÜ',
    newUser: { ...full.newUser, name: 'Zoë Müller-Łukasiewicz 王小明 😀' },
    invoiceId: 'счёт-0123456789',
  }),
};
