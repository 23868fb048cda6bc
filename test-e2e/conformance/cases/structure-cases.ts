import type { Case } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { eventMembers, type EventType, eventTypes, type Member } from '../oracle/event-rules.ts';
import { createRandom } from '../random.ts';
import { bodyWith, validMembers } from '../valid-bodies.ts';

/** `a.b` for every member of an event at both levels. */
function pathsOf(members: readonly Member[], before = ''): string[] {
  return members.flatMap(({ name, rule }) => [
    `${before}${name}`,
    ...(rule.is === 'object' ? pathsOf(rule.members, `${before}${name}.`) : []),
  ]);
}

const canary = 'canary-that-must-not-return';
const wrongTypes = [
  ...['null', 'true', 'false', '0', '-1', '1.5', '123456.789', `"${canary}"`, '""', '" "', '[]'],
  ...[
    `["${canary}"]`,
    '{}',
    `{"id":"${canary}"}`,
    `{"${canary}-name":"${canary}"}`,
    '[{}]',
    '[[]]',
  ],
];

/** Every member of every event left out, and given every type (4.1 rule 1). */
export function memberCases(caller: Caller): Case[] {
  return eventTypes.flatMap((type) => {
    const paths = [...pathsOf(eventMembers[type]), 'colour', 'newUser.colour', 'eventId'];
    return paths.flatMap((path) =>
      [undefined, ...wrongTypes].map((source) =>
        validatedCase(caller, `${type}, ${path}: ${source}`, bodyWith(path, source, type), {
          type,
        }),
      ),
    );
  });
}

/** What each event leaves to the others is unknown to it. */
export function foreignMembers(caller: Caller): Case[] {
  const all = pathsOf(eventMembers['purchase-created']);
  return eventTypes.flatMap((type) =>
    all.map((path) => {
      const body = bodyWith(path, '"given"', type);
      return validatedCase(caller, `${type} with ${path}`, body, { type });
    }),
  );
}

/** Bodies with nothing, nearly nothing, or nothing right in them. */
export function poorBodies(caller: Caller): Case[] {
  const bodies = [
    ...['{}', '[]', '{"newUser":{}}', '{"subscription":{}}', '{"newUser":{},"subscription":{}}'],
    ...['{"subscription":{},"newUser":{}}', '{"newUser":null,"subscription":[]}', '[{}]', '"{}"'],
    ...['{"ucc":null,"occurredAt":null,"newUser":null,"idempotencyKey":null,"currency":null}'],
    ...['{"subscription":{"colour":1,"seatsUsed":-1},"amount":-1,"newUser":{"email":"","x":1}}'],
    ...['{"newUser":{"newUser":{}},"subscription":{"subscription":{"interval":"weekly"}}}'],
  ];
  return eventTypes.flatMap((type) =>
    bodies.map((body) => validatedCase(caller, `${type}: ${body}`, body, { type })),
  );
}

/** Two, three and more mistakes at once are all told, in document order (design 8). */
export function severalMistakes(caller: Caller): Case[] {
  const random = createRandom(2);
  return Array.from({ length: 600 }, (_, i) => {
    const type = random.oneOf(eventTypes);
    const members = structuredClone(validMembers(type));
    const holders = [members, members, members['newUser'], members['subscription']];
    for (let mistakes = 2 + random.below(3); mistakes > 0; mistakes--) {
      const holder = (random.oneOf(holders) ?? members) as Record<string, unknown>;
      const name = random.oneOf([
        ...Object.keys(holder),
        'colour',
        'zebra',
        '10',
        '9',
        '__proto__',
      ]);
      if (random.chance(0.3)) delete holder[name];
      else Object.defineProperty(holder, name, { ...own, value: random.oneOf(wrongValues) });
    }
    const body = JSON.stringify(Object.fromEntries(random.shuffled(Object.entries(members))));
    return validatedCase(caller, `mistakes ${i}: ${body}`, body, { type, canaries: [canary] });
  });
}

const own = { enumerable: true, configurable: true, writable: true };
const wrongValues: readonly unknown[] = [null, true, -7, 1.5, '', canary, [canary], [[canary]]];

/** At most 20 are listed, and `detail` says when there were more (2.8). */
export function manyViolations(caller: Caller): Case[] {
  const names = (count: number) => Array.from({ length: count }, (_, i) => `"${count - i}":0`);
  const root = (type: EventType) => JSON.stringify(validMembers(type)).slice(1);
  const bodies = [1, 2, 19, 20, 21, 22, 40, 1_000, 6_000].flatMap((count) => [
    `{${names(count).join()},${root('purchase-created')}`,
    `{"newUser":{${names(count).join()}},${root('purchase-created').replace('newUser', 'n')}`,
    `{"colour":{${names(count).join()}},${root('purchase-created')}`,
  ]);
  const missing = [12, 13, 14, 15].map((count) => `{${names(count).join()}}`);
  return [...bodies, ...missing].map((body) =>
    validatedCase(caller, `many: ${body.slice(0, 60)}… (${body.length})`, body),
  );
}

/** Names of the older interface lead to those of this one (2.9); their values are not repeated. */
export function legacyNames(caller: Caller): Case[] {
  const anything = /./;
  const meant: Record<string, RegExp> = {
    price: /\bamount\b/,
    newUserId: /\bnewUser[./]id\b/,
    newUserEmail: /\bnewUser[./]email\b/,
    newUserName: /\bnewUser[./]name\b/,
    fullName: /\bnewUser[./]name\b/,
    timestamp: /\boccurredAt\b/,
    eventName: anything,
    payload: anything,
    context: anything,
    trigger: anything,
    productUserId: anything,
  };
  const root = JSON.stringify(validMembers('purchase-created'));
  return Object.entries(meant).map(([name, hint]) => {
    const body = `${root.slice(0, -1)},${JSON.stringify(name)}:"${canary}"}`;
    const hints = { [`/${name}`]: hint };
    return validatedCase(caller, `legacy name ${name}`, body, { hints, canaries: [canary] });
  });
}
