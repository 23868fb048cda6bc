import { topics as topicTable } from '@tributary/contracts/topics';
import { expect } from 'chai';
import { signup } from '../../chain/records.ts';
import type { Evidence, SentRequest } from '../evidence.ts';
import { isGreen, judgeEvidence } from './check.ts';
import { edit } from './edit-evidence.ts';
import { canary, goodEvidence } from './some-evidence.ts';
import {
  booter,
  charged,
  receivedOf,
  recovered,
  refused,
  topicOfStripe,
  unanswered,
} from './some-sources.ts';

type Wrong = { breaks: number; says: RegExp; what: string; by: (evidence: Evidence) => void };

const at = '2026-03-02T10:00:00.000Z';
const anotherId = '00000000-0000-7000-8000-000000000009';

/** Requests of a source, with a proof of that kind, in order. */
function of(e: Evidence, by: SentRequest['by'], proof: SentRequest['proof'] = 'right') {
  return e.requests.filter((request) => request.by === by && request.proof === proof);
}

function without(e: Evidence, topic: string, isGone: (record: object) => boolean): void {
  edit(e, topic, (log) => log.splice(0, log.length, ...log.filter((one) => !isGone(one))));
}

const isOfCode = (record: object) => 'ucc' in record && record.ucc === booter.ucc;
const hasId = (id: string) => (record: object) => 'eventId' in record && record.eventId === id;

/** Each is a system that broke one promise in one way at the widget, or with Stripe. */
const wrong: readonly Wrong[] = [
  {
    ...{ breaks: 1, says: /which is not on the log as theirs/ },
    what: 'a code that a boot has answered is not on the log',
    by: (e) => without(e, topicTable.codes.name, isOfCode),
  },
  {
    ...{ breaks: 1, says: /which is not on the log as theirs/ },
    what: 'a code that a boot has answered is of another user',
    by: (e) =>
      edit(e, topicTable.codes.name, (log) => {
        log.find(isOfCode)!['productUserId'] = 'mx.t1.other';
      }),
  },
  {
    ...{ breaks: 1, says: /brought no code/ },
    what: 'a boot was answered without a code',
    by: (e) => of(e, 'user').forEach((request) => (request.answer = '{"invite":null}')),
  },
  {
    ...{ breaks: 1, says: /had details that are not on the log/ },
    what: 'the details of a boot are lost',
    by: (e) =>
      without(e, topicTable.people.name, (one) => 'userId' in one && one.userId === booter.userId),
  },
  {
    ...{ breaks: 1, says: /and no signup is on the log/ },
    what: 'the signup of a boot that was answered is lost',
    by: (e) => without(e, topicTable.events.name, hasId(recovered.eventId)),
  },
  {
    ...{ breaks: 1, says: /was refused with a right token/ },
    what: 'a boot was refused though its token is right',
    by: (e) => Object.assign(of(e, 'user')[0]!, { outcome: 'failed', status: 401 }),
  },
  {
    ...{ breaks: 1, says: /no boot of the widget was answered/ },
    what: 'no boot was answered at all',
    by: (e) => of(e, 'user').forEach((request) => (request.outcome = 'unknown')),
  },
  {
    ...{ breaks: 1, says: /is on the log with two contents/ },
    what: 'a second boot has written another code into the signup',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        log.push({ ...log.find(hasId(recovered.eventId)), ucc: 'another' });
      }),
  },
  {
    ...{ breaks: 1, says: /was acknowledged, and is not on the log as theirs/ },
    what: 'an event of Stripe that was acknowledged is lost',
    by: (e) => edit(e, topicOfStripe, (log) => void log.shift()),
  },
  {
    ...{ breaks: 1, says: /was acknowledged, and is not on the log as theirs/ },
    what: 'an event of Stripe is on the log as of another customer',
    by: (e) => edit(e, topicOfStripe, (log) => void (log[0]!['tenantId'] = 't1')),
  },
  {
    ...{ breaks: 1, says: /was never acknowledged/ },
    what: 'an event of Stripe was never acknowledged',
    by: (e) => of(e, 'stripe').forEach((request) => (request.outcome = 'unknown')),
  },
  {
    ...{ breaks: 1, says: /no event of Stripe was told/ },
    what: 'Stripe told nothing at all',
    by: (e) => e.requests.splice(0, e.requests.length, ...e.requests.filter(isNotOfStripe)),
  },
  {
    ...{ breaks: 1, says: /is what Stripe told, and is not on the log/ },
    what: 'an event of Stripe became no fact',
    by: (e) => without(e, topicTable.events.name, hasId(charged.eventId)),
  },
  {
    ...{ breaks: 1, says: /is on the log as .*"amount":1\}/ },
    what: 'a fact of Stripe has another amount',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        Object.assign(log.find(hasId(charged.eventId))!['purchase'] as object, { amount: 1 });
      }),
  },
  {
    ...{ breaks: 2, says: /booted with a token that is not of their customer/ },
    what: 'a boot with the token of another customer was answered',
    by: (e) => Object.assign(of(e, 'user', 'wrong')[0]!, { outcome: 'ok', answer: '{}' }),
  },
  {
    ...{ breaks: 2, says: /was refused, and is on the log among codes/ },
    what: 'a boot that was refused has left a code',
    by: (e) =>
      edit(e, topicTable.codes.name, (log) => {
        log.push({ ...log.find(isOfCode), ucc: 'Derived0002', productUserId: refused });
      }),
  },
  {
    ...{ breaks: 2, says: /was refused, and is on the log among codes/ },
    what: 'a boot with a wrong token got no answer, and has left a code',
    by: (e) => {
      of(e, 'user', 'wrong')[0]!.outcome = 'unknown';
      edit(e, topicTable.codes.name, (log) => {
        log.push({ ...log.find(isOfCode), ucc: 'Derived0002', productUserId: refused });
      });
    },
  },
  {
    ...{ breaks: 2, says: /has the codes Derived0003 and Derived0004/ },
    what: 'a boot without an answer has left two codes',
    by: (e) =>
      edit(e, topicTable.codes.name, (log) => {
        log.push({ ...log.find(isOfCode), ucc: 'Derived0004', productUserId: unanswered });
      }),
  },
  {
    ...{ breaks: 2, says: /signed up as/ },
    what: 'a boot without an answer has left two signups',
    by: (e) => signUp(e, [anotherId, '00000000-0000-7000-8000-000000000008'], unanswered),
  },
  {
    ...{ breaks: 2, says: /and no browser said so/ },
    what: 'a browser is said to have reported a signup, and nobody booted',
    by: (e) => signUp(e, [anotherId], 'mx.t1.nobody'),
  },
  {
    ...{ breaks: 2, says: /was acknowledged, its signature old/ },
    what: 'an event of Stripe was acknowledged that was signed 301 s before',
    by: (e) => void (of(e, 'stripe', 'old')[0]!.outcome = 'ok'),
  },
  {
    ...{ breaks: 2, says: /was acknowledged, its signature wrong/ },
    what: 'an event of Stripe was acknowledged that somebody else signed',
    by: (e) => void (of(e, 'stripe', 'wrong')[0]!.outcome = 'ok'),
  },
  {
    ...{ breaks: 2, says: /evt_2 of Stripe is 1 times on the log, and 0 tries may/ },
    what: 'an event of Stripe was refused, and is on the log',
    by: (e) => edit(e, topicOfStripe, (log) => void log.push(receivedOf('evt_2'))),
  },
  {
    ...{ breaks: 2, says: /evt_1 of Stripe is 3 times on the log, and 2 tries may/ },
    what: 'a try without an answer has left an event of Stripe twice',
    by: (e) => {
      of(e, 'stripe')[1]!.outcome = 'unknown';
      edit(e, topicOfStripe, (log) => log.push(receivedOf('evt_1'), receivedOf('evt_1')));
    },
  },
  {
    ...{ breaks: 2, says: /evt_9 of Stripe is on the log, and was never told/ },
    what: 'an event of Stripe is on the log that was never told',
    by: (e) => edit(e, topicOfStripe, (log) => void log.push(receivedOf('evt_9'))),
  },
  {
    ...{ breaks: 2, says: /is not what Stripe told/ },
    what: 'a fact is of Stripe that Stripe did not tell',
    by: (e) => void e.stripeFacts.pop(),
  },
  {
    ...{ breaks: 2, says: /is not what Stripe told/ },
    what: 'an event of Stripe became two facts',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        log.push({ ...log.find(hasId(charged.eventId)), eventId: anotherId });
      }),
  },
  {
    ...{ breaks: 3, says: /was given the codes/ },
    what: 'a user was given another code at a second boot',
    by: (e) => void (of(e, 'user')[1]!.answer = '{"invite":{"ucc":"Derived0009"}}'),
  },
  {
    ...{ breaks: 3, says: /signed up as/ },
    what: 'a second boot was a second signup',
    by: (e) => signUp(e, [anotherId], booter.userId),
  },
  {
    ...{ breaks: 3, says: /got the answers/ },
    what: 'an event of Stripe that came twice got two answers',
    by: (e) => void (of(e, 'stripe')[1]!.answer = '{"received":false}'),
  },
  {
    ...{ breaks: 5, says: /is for a signup of a browser alone, and was issued/ },
    what: 'what a browser alone reported was issued, and no operator said so',
    by: (e) =>
      edit(e, topicTable.rewards.name, ([reward]) => {
        Object.assign(reward!, { eventId: recovered.eventId, issuedCredits: '2' });
      }),
  },
  {
    ...{ breaks: 11, says: /got 200 for \/widget\/session/ },
    what: 'one customer opened a session of a user of another',
    by: (e) => Object.assign(of(e, 'user', 'wrong')[0]!, { outcome: 'ok', status: 200 }),
  },
  {
    ...{ breaks: 11, says: /names mx\.t2\./ },
    what: 'a session names a user of another customer',
    by: (e) => {
      const [boot] = of(e, 'user');
      boot!.answer = boot!.answer!.replace('{', '{"referrer":"mx.t2.r1",');
    },
  },
  {
    ...{ breaks: 12, says: /an answer has a canary/ },
    what: 'a session has the e-mail of somebody',
    by: (e) => {
      const [boot] = of(e, 'user');
      boot!.answer = boot!.answer!.replace('{', `{"email":"${canary}1@x.example",`);
    },
  },
  {
    ...{ breaks: 12, says: /topic referral\.processor has a canary/ },
    what: 'the name of who paid is kept with the event of Stripe',
    by: (e) => edit(e, topicOfStripe, (log) => void (log[0]!['name'] = `${canary} Payer`)),
  },
];

function isNotOfStripe({ by }: SentRequest): boolean {
  return by !== 'stripe';
}

function signUp(e: Evidence, ids: readonly string[], userId: string): void {
  const details = { n: 1, tenantId: 't1', userId, ucc: 'code-t1', occurredAt: at };
  edit(e, topicTable.events.name, (log) => {
    for (const eventId of ids) log.push({ ...signup({ ...details, source: 'widget' }), eventId });
  });
}

describe('the checker of the fault matrix, on browsers and Stripe', () => {
  for (const { breaks, says, what, by } of wrong) {
    it(`sees by promise ${breaks} that ${what}`, () => {
      const evidence = goodEvidence();
      by(evidence);
      const judged = judgeEvidence(evidence);
      const { verdict } = judged.verdicts.find(({ number }) => number === breaks)!;
      expect(verdict.broken.join('\n')).to.match(says);
      expect(isGreen(judged)).to.equal(false);
    });
  }

  for (const [what, by] of [
    [
      'a second boot has written the same signup with its own times',
      (e: Evidence) =>
        edit(e, topicTable.events.name, (log) => {
          const times = { occurredAt: '2026-03-02T10:00:02Z', occurredAtSeconds: '1772445602' };
          const receivedAt = '2026-03-02T10:00:02.000Z';
          log.push({ ...log.find(hasId(recovered.eventId)), ...times, receivedAt });
        }),
    ],
    [
      'what a browser alone reported was issued because an operator released it',
      (e: Evidence) => {
        edit(e, topicTable.rewards.name, ([reward]) => {
          Object.assign(reward!, { eventId: recovered.eventId, issuedCredits: '2' });
        });
        edit(e, topicTable.issuances.name, (log) => {
          const { rewardId, tenantId, recipientId } = log[0]!;
          const action = { type: 'released', sequence: 1, by: 'olga', at };
          log.push({ ...action, rewardId, tenantId, recipientId });
        });
      },
    ],
    [
      'somebody booted before the widget had read the code that they had clicked',
      (e: Evidence) => {
        e.positions.find(({ schema }) => schema === 'widget_r2')!.at = '2026-03-02T23:00:00.000Z';
        without(e, topicTable.events.name, hasId(recovered.eventId));
        for (const table of ['attribution_g1.fact', 'portal_read_r2.event']) {
          const rows = e.tables[table]!;
          e.tables[table] = rows.filter((row) => row['event_id'] !== recovered.eventId);
        }
      },
    ],
    [
      'a reward for what a browser reported was issued when the backend had reported it, too',
      (e: Evidence) =>
        edit(e, topicTable.rewards.name, (log) => {
          const { version, ...reward } = log[0]!;
          log.unshift({ ...reward, version, eventId: recovered.eventId, issuedCredits: '0' });
          Object.assign(log[1]!, { version: Number(version) + 1, issuedCredits: '2' });
        }),
    ],
    [
      'an event of Stripe that came twice is on the log twice',
      (e: Evidence) => edit(e, topicOfStripe, (log) => void log.push(receivedOf('evt_1'))),
    ],
  ] as const) {
    it(`finds nothing wrong with requests and money when ${what}`, () => {
      const evidence = goodEvidence();
      by(evidence);
      const judged = judgeEvidence(evidence).verdicts.filter(({ number }) =>
        [1, 2, 3, 5].includes(number),
      );
      expect(judged.flatMap(({ verdict }) => verdict.broken)).to.deep.equal([]);
    });
  }
});
