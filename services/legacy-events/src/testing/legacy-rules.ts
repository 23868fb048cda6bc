/**
 * The rules of design 8, "Legacy", written a second time, over what JSON.parse gives, to be held
 * against the service. It knows only the timestamps and currencies that the generator takes from
 * these lists; whatever else stands there is none.
 */
export const timestamps = {
  good: [
    '2026-03-01T10:00:00Z',
    '2026-03-01t10:00:00.123+01:00',
    '2026-03-01 10:00:00',
    '2026-03-01T10:00:00',
    '2016-12-31 23:59:60',
    '0000-01-01T00:00:00+23:59',
  ],
  bad: ['2026-02-30T10:00:00Z', '2026-03-01T24:00:00', 'now', '2026-03-01T10:00:60Z', ' '],
};
export const currencies = {
  good: ['EUR', 'jpy', ' usd ', 'Bhd', 'XAU'],
  bad: ['HRK', 'EURO', 'uſd', '$', '0'],
};
export const emails = {
  good: ['a@example.com', '"a b"@localhost'],
  bad: ['a@', 'a b@example.com', 'ä@example.com'],
};

export type Verdict =
  | 'refused'
  | {
      eventType: string;
      newUserId: string;
      ucc: string;
      amount?: number;
      currency?: string;
      email?: string;
      name?: string;
    };

export function validate(body: unknown): Verdict {
  try {
    return validateBody(body);
  } catch (error) {
    if (error === refusal) return 'refused';
    throw error;
  }
}

const refusal = new Error('refused');

function validateBody(body: unknown): Verdict {
  if (!isMap(body)) throw refusal;
  const payload = map(body['payload']);
  const context = map(body['context']);
  const event = map(context['event']);
  const newUser = map(context['newUser']);
  const subscription = map(context['subscription']);

  const newUserId = text(payload['newUserId']);
  if (newUserId === undefined) throw refusal;
  const eventName = text(body['eventName']);
  if (eventName !== undefined && eventName !== 'ReferralUpdated') throw refusal;
  const ucc = text(payload['ucc']) ?? '';
  text(newUser['organizationId']);
  const timestamp = text(event['timestamp'], Number.MAX_SAFE_INTEGER);
  if (timestamp !== undefined && !timestamps.good.includes(timestamp)) throw refusal;

  const price = amount(payload['price'], Number.MAX_SAFE_INTEGER);
  const currency = text(payload['currency']);
  const isCurrency = currency !== undefined && currencies.good.includes(currency);
  if (currency !== undefined && !isCurrency && currency.trim() !== '') throw refusal;

  const isFree = price === undefined || price.sent === 0;
  const trigger = text(event['trigger']) ?? (isFree && !isCurrency ? 'new-signup' : 'invoice-paid');
  const name = usable(() => text(newUser['name']));
  const email = usable(() => text(newUser['email'], 320));
  const known = {
    newUserId,
    ucc,
    ...(name !== undefined && { name }),
    ...(email !== undefined && emails.good.includes(email) && { email }),
  };
  if (trigger === 'new-signup') return { eventType: 'signup-created', ...known };
  if (trigger === 'demo-call-attended') return { eventType: 'demo-attended', ...known };
  if (trigger !== 'invoice-paid' && trigger !== 'charge-refunded') throw refusal;

  if (price === undefined || !isCurrency) throw refusal;
  for (const member of ['id', 'invoiceId', 'interval', 'productKey']) text(subscription[member]);
  amount(subscription['seatsUsed'], Number.POSITIVE_INFINITY);
  return {
    eventType: trigger === 'invoice-paid' ? 'purchase-created' : 'purchase-refunded',
    ...known,
    amount: price.rounded,
    currency: currency.trim().toUpperCase(),
  };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function map(value: unknown): Record<string, unknown> {
  if (isMap(value)) return value;
  if (isAbsent(value) || (Array.isArray(value) && value.length === 0)) return {};
  throw refusal;
}

function text(value: unknown, most = 255): string | undefined {
  if (isAbsent(value)) return undefined;
  const sent = typeof value === 'number' ? JSON.stringify(value) : value;
  if (typeof value === 'number' && !/^-?\d+$/.test(String(sent))) throw refusal;
  if (typeof sent !== 'string' || /\0|\p{Surrogate}/u.test(sent)) throw refusal;
  if (Array.from(sent).length > most) throw refusal;
  return sent;
}

function amount(value: unknown, most: number): { sent: number; rounded: number } | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number' && typeof value !== 'string') throw refusal;
  if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(String(value))) throw refusal;
  const sent = Number(value);
  if (sent < 0 || Math.round(sent) > most) throw refusal;
  // Plus 0: there is no minus 0 among amounts.
  return { sent, rounded: Math.round(sent) + 0 };
}

function usable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
