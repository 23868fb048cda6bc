/**
 * What `webhook verify` sends, and what would be right, by the receiver rules of
 * interface 6.1. Pure: times, ids and credentials are arguments, the rest is a table.
 */
export type Rule = 1 | 2 | 3 | 4 | 5;

export type Right = '2xx' | '400' | '401' | 'not 401';

export type Check = {
  rule: Rule;
  /** What is sent, in words. */
  sent: string;
  authorization: string | undefined;
  body: string;
  /** Requests with it, all at once. */
  times: number;
  /** As counted by the sender, beginning with 1. */
  attempt: number;
  right: Right;
  /** The eventId for which a receiver that answers 2xx may have granted credits. */
  mayGrant?: string;
};

export type CheckSettings = {
  credentials: { username: string; password: string };
  /** Gets the credits of what is granted. */
  productUserId: string;
  createdTs: string;
  newId: () => string;
};

/** Credits of each event that may be granted. */
export const creditsEach = 1;

export function checksOf(settings: CheckSettings): Check[] {
  return [
    ...credentialChecks(settings),
    ...otherKindChecks(settings),
    ...fieldChecks(settings),
    ...grantChecks(settings),
  ];
}

function credentialChecks(settings: CheckSettings): Check[] {
  const { username, password } = settings.credentials;
  const right = basic(username, password);
  const encoded = right.slice('Basic '.length);
  // One event for all: a receiver that grants it to strangers grants it once.
  const event = newReward(settings);
  const refused = { rule: 1, ...once, ...event, right: '401' } as const;
  const wrong: [string, string | undefined][] = [
    ['no credentials', undefined],
    ['a wrong password', basic(username, `not-${password}`)],
    ['the password with one more character', basic(username, `${password}x`)],
    ['the password without its last character', basic(username, withoutLast(password))],
    ['an empty password', basic(username, '')],
    ['a wrong user name', basic(`not-${username}`, password)],
    ['an empty user name', basic('', password)],
    ['a header without credentials ("Basic")', 'Basic'],
    ['a header that is not base64', 'Basic %%%'],
    ['a header without a colon in it', `Basic ${base64(`${username}${password}`)}`],
    ['the right credentials as a Bearer token', `Bearer ${encoded}`],
  ];
  return [
    ...wrong.map(([sent, authorization]): Check => ({ ...refused, sent, authorization })),
    {
      ...{ rule: 1, ...once, right: '401' },
      sent: 'no credentials, and a body that is not JSON',
      authorization: undefined,
      body: 'not JSON',
    },
    {
      ...{ rule: 1, ...once, right: 'not 401' },
      sent: 'the right credentials',
      authorization: right,
      body: otherKind(settings),
    },
  ];
}

function otherKindChecks(settings: CheckSettings): Check[] {
  const { body } = newReward(settings);
  const bodies: [string, string][] = [
    ['eventType "webhook-test", otherwise like a reward', otherKind(settings)],
    [
      'another eventType with fields of its own, 16 KiB of them',
      changed(otherKind(settings), (event) => {
        event.data = { note: 'x'.repeat(16_384) };
      }),
    ],
    [
      'rewardType "gift-card", otherwise like a reward',
      changed(body, ({ data }) => (data['rewardType'] = 'gift-card')),
    ],
    [
      'another rewardType with fields of its own',
      changed(body, (event) => {
        event.data = { rewardType: 'gift-card', card: { amount: '10 EUR' } };
      }),
    ],
  ];
  return bodies.map(([sent, otherBody]) => ({
    ...{ rule: 2, ...once, right: '2xx', sent, body: otherBody },
    authorization: rightOf(settings),
  }));
}

function fieldChecks(settings: CheckSettings): Check[] {
  return mistakes.map(([sent, spoil]) => {
    const { body, mayGrant } = newReward(settings);
    return {
      ...{ rule: 3, ...once, right: '400', sent, body: changed(body, spoil), mayGrant },
      authorization: rightOf(settings),
    };
  });
}

const mistakes: [string, (event: Event) => unknown][] = [
  ['no eventId', (event) => delete event['eventId']],
  ['an empty eventId', (event) => (event['eventId'] = '')],
  ['no rewardId', ({ data }) => delete data['rewardId']],
  ['an empty rewardId', ({ data }) => (data['rewardId'] = '')],
  ['no productUserId', ({ data }) => delete data['productUserId']],
  ['an empty productUserId', ({ data }) => (data['productUserId'] = '')],
  ['no reward', ({ data }) => delete data['reward']],
  ['no amount', ({ data }) => (data['reward'] = {})],
  ['the amount "1", a string', ({ data }) => (data['reward'] = { amount: '1' })],
  ['the amount null', ({ data }) => (data['reward'] = { amount: null })],
  ['the amount true', ({ data }) => (data['reward'] = { amount: true })],
];

function grantChecks(settings: CheckSettings): Check[] {
  const first = newReward(settings);
  const second = newReward(settings);
  const { username, password } = settings.credentials;
  const right = { ...once, right: '2xx', authorization: rightOf(settings) } as const;
  return [
    { rule: 4, ...right, ...first, sent: 'a valid event' },
    { rule: 4, ...right, ...first, sent: 'the same eventId again', attempt: 2 },
    { rule: 4, ...right, ...second, sent: 'ten at once of one new eventId', times: 10 },
    {
      ...{ rule: 1, ...first, ...once, right: '401' },
      sent: 'an eventId that was granted, with a wrong password',
      authorization: basic(username, `not-${password}`),
    },
  ];
}

const once = { times: 1, attempt: 1 } as const;

type Event = { data: Record<string, unknown> } & Record<string, unknown>;

function newReward({ productUserId, createdTs, newId }: CheckSettings) {
  const eventId = newId();
  const reward = { amount: creditsEach };
  const data = { rewardId: newId(), productUserId, rewardType: 'credits', reward };
  const event = { version: '1.0.0', eventType: 'new-reward', createdTs, eventId, data };
  return { body: JSON.stringify(event), mayGrant: eventId };
}

function otherKind(settings: CheckSettings): string {
  return changed(newReward(settings).body, (event) => (event['eventType'] = 'webhook-test'));
}

function changed(body: string, change: (event: Event) => unknown): string {
  const event = JSON.parse(body) as Event;
  change(event);
  return JSON.stringify(event);
}

function rightOf({ credentials: { username, password } }: CheckSettings): string {
  return basic(username, password);
}

export function basic(username: string, password: string): string {
  return `Basic ${base64(`${username}:${password}`)}`;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** By characters, so that what is left is a text. */
function withoutLast(text: string): string {
  return [...text].slice(0, -1).join('');
}
