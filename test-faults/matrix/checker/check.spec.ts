import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { topics as topicTable } from '@tributary/contracts/topics';
import { type Evidence, evidenceFolders, readEvidence, writeEvidence } from '../evidence.ts';
import { linesOf } from '../report/lines.ts';
import { isGreen, judgeEvidence } from './check.ts';
import { edit } from './edit-evidence.ts';
import {
  canary,
  events,
  explanationsOf,
  goodEvidence,
  postedAt,
  secret,
  someRewards,
} from './some-evidence.ts';
import { holds } from './verdict.ts';

/** The first reward, which was issued, is taken back by a refund; its recipient earns a second. */
function refundAndEarnAgain(e: Evidence, second: { issued: '0.00' | '2.50' }): void {
  // Nobody asked for explanations; the ledger alone is judged.
  delete e.explanations;
  const rewards = table(e, 'rewards_g1.entitlement');
  const postings = table(e, 'rewards_g1.ledger_posting');
  const [first, [entitled, issued]] = [rewards[0]!, postings];
  const again = { reward_id: 'second', business_key: '["purchase","t1","second"]' };
  rewards.push({ ...first, ...again, event_id: 'second', issued: second.issued });
  first['entitled'] = '0.00';
  const refund = { posting_id: 'refund', posted_at: postedAt(8) };
  postings.push({ ...entitled!, ...refund, entitled: '2.50', owed: '-2.50' });
  const own = { reward_id: 'second', posted_at: postedAt(9) };
  postings.push({ ...entitled!, ...own, posting_id: 'second' });
  const versions = [
    { version: 2, state: 'reversed', entitledCredits: '0' },
    { rewardId: 'second', eventId: 'second', businessKey: again.business_key },
  ];
  edit(e, topicTable.rewards.name, (log) =>
    log.push(...versions.map((change) => ({ ...log[0], ...change }))),
  );
  if (second.issued === '0.00') return;
  postings.push({ ...issued!, ...own, posting_id: 'second-issued' });
  const issuance = { rewardId: 'second', issuanceId: 'second', webhookEventId: 'second' };
  edit(e, topicTable.issuances.name, (log) => log.push({ ...log[0], ...issuance }));
}

/** What operators said of the first reward, one after the other. */
function actOnFirst(e: Evidence, ...types: ('released' | 'withheld')[]): void {
  edit(e, topicTable.issuances.name, (log) => {
    const { rewardId, tenantId, recipientId } = log[0]!;
    const actions = types.map((type, i) => {
      const at = `2026-03-02T10:00:0${i}.000Z`;
      return { type, rewardId, tenantId, recipientId, sequence: i + 1, by: 'olga', at };
    });
    log.push(...actions);
  });
}

/** Changes the first answer about such a thing. */
function changeAnswer(e: Evidence, what: string, from: string | RegExp, to: string): void {
  const found = e.explanations!.find(({ path }) => path.includes(`/${what}`))!;
  const answer = found.answer!.replace(from, to);
  if (answer === found.answer) throw new Error(`it is not in that answer: ${String(from)}`);
  found.answer = answer;
}

/** The only broker came back without that event, of which nothing is left but its answer. */
function loseEnd(e: Evidence, event = signedUp!): void {
  const { eventId } = event;
  const isOfIt = (text: string) => text.includes(eventId);
  for (const topic of [topicTable.events.name, topicTable.attributions.name]) {
    e.topics[topic] = e.topics[topic]!.filter(({ value }) => !isOfIt(value ?? ''));
  }
  for (const [name, rows] of Object.entries(e.tables)) {
    if (/^(attribution|portal_read)/.test(name)) {
      e.tables[name] = rows.filter((row) => row['event_id'] !== eventId);
    }
  }
  const place = { topic: topicTable.events.name, partition: 0 };
  e.lost = [{ ...place, offset: 6, value: JSON.stringify(event) }];
  for (const service of ['attribution', 'portal']) {
    const message = `alert: partition stopped (refused): ${place.topic}/0: it is not the one applied`;
    e.logs[`${service}.log`] = `${JSON.stringify({ level: 'error', message })}\n`;
  }
}

/** What was issued for the first event is there, and its reward is not. */
function leaveOnlyIssued(e: Evidence): void {
  const [gone] = table(e, 'rewards_g1.entitlement');
  const rewardId = gone!['reward_id']!;
  for (const name of ['rewards_g1.entitlement', 'rewards_g2.entitlement']) {
    const row = table(e, name).find((one) => one['reward_id'] === rewardId)!;
    Object.assign(row, { entitled: '0', business_key: null, event_id: null, rule_id: null });
  }
  table(e, 'rewards_g1.ledger_posting').shift();
  delete e.earlierTables['rewards_g1.ledger_posting'];
  const topic = topicTable.rewards.name;
  // The generation that had the reward was dropped.
  makeSecondLive(e);
  e.topics[`${topic}.g2`] = e.topics[topic]!.filter(({ value }) => !value!.includes(rewardId));
  Object.assign(e.row, { generations: { live: 2, lost: [], run: [2] }, swappedTo: 2 });
  e.row.swappedAt = '2026-03-02T10:00:30.000Z';
  e.explanations = explanationsOf(someRewards(), (reward) => reward.rewardId === rewardId);
}

/** An operator put a campaign with such a share, and was told that it is this revision. */
function putCampaign(e: Evidence, revision: number, basisPoints: number | undefined): void {
  e.requests.push({
    ...{ ...e.requests[0]!, by: 'operator', method: 'PUT', tenantId: 't1' },
    ...{ path: '/api/tenants/t1/campaigns/c1', answer: JSON.stringify({ revision }) },
    body: JSON.stringify({ rules: [{ effect: { kind: 'percent', basisPoints } }] }),
  });
}

type Mutant = { breaks: number; what: string; by: (evidence: Evidence) => void };

const [bought, unanswered, signedUp] = events;
const table = (evidence: Evidence, name: string) => evidence.tables[name]!;

/** The first generation is older than what it published; the second one took its place. */
function loseFirstGeneration(e: Evidence): void {
  makeSecondLive(e);
  const fellBackAt = '2026-03-02T10:00:03.000Z';
  Object.assign(e.row, { generations: { live: 2, lost: [1], run: [2] }, fellBackAt });
  for (const [name, rows] of Object.entries(e.tables)) {
    if (!/^(attribution|rewards)_g1\./.test(name)) continue;
    e.tables[name] = rows
      .slice(0, 1)
      .map((row) => ({ ...row, ...('next_offset' in row && { next_offset: '1' }) }));
  }
  for (const topic of [topicTable.attributions.name, topicTable.rewards.name]) {
    e.topics[topic] = e.topics[topic]!.slice(0, 1);
    e.ends[`${topic}/0`] = 100;
  }
  e.positions.push({ ...e.positions[0]!, at: fellBackAt });
}

/** An operator made the second one live; the first one goes on. */
function keepFirstGeneration(e: Evidence): void {
  makeSecondLive(e);
  Object.assign(e.row, { generations: { live: 2, lost: [], run: [1, 2] }, swappedTo: 2 });
}

/** As when what was taken back later is on the log before the generation is built. */
function rebuildAsLess(e: Evidence): void {
  loseFirstGeneration(e);
  edit(e, `${topicTable.rewards.name}.g2`, ([reward]) => {
    Object.assign(reward!, { state: 'reversed', entitledCredits: '0' });
  });
}

function makeSecondLive(e: Evidence): void {
  e.row.rebuild!.generation = 3;
  for (const [name, rows] of Object.entries(e.tables)) {
    const [, stage, rest] = /^(attribution|rewards|portal_read_r2)(?:_g1)?(\..+)$/.exec(name) ?? [];
    for (const generation of stage === undefined ? [] : [2, 3]) {
      e.tables[`${stage}_g${generation}${rest}`] = rows.map((row) => ({ ...row }));
    }
  }
  for (const topic of [topicTable.attributions.name, topicTable.rewards.name]) {
    e.topics[`${topic}.g2`] = [...e.topics[topic]!];
  }
}

/**
 * Answers that say something else, each in one place: which promise breaks, what, where and how.
 */
const wrongAnswers: [number, string, string, string | RegExp, string][] = [
  [5, 'a reward is listed that is not there', 'rewards', '"rewardId":"1', '"rewardId":"9'],
  [
    5,
    'a reward is listed with more than it is worth',
    'rewards',
    '"entitledCredits":"2.5"',
    '"entitledCredits":"3"',
  ],
  [5, 'a balance is less than its rewards', 'explain?user', /"issued":"[0-9.]+"/, '"issued":"1"'],
  [
    5,
    'a balance is told otherwise in words',
    'explain?user',
    'Balance: entitled',
    'Balance: entitled 7',
  ],
  [
    5,
    'a reward is explained with another state than it is listed with',
    'explain?reward',
    '"state":"issued"',
    '"state":"held"',
  ],
  [
    5,
    'the calculation of a reward comes to something else',
    'explain?reward',
    '"step":"fixed","credits":"2.5"',
    '"credits":"2"',
  ],
  [
    5,
    'the ledger of a reward is told otherwise in words',
    'explain?reward',
    'Ledger: entitled 2.5',
    'Ledger: entitled 2',
  ],
  [5, 'an issuance is not told', 'explain?reward', /"issuances":\[.*?\}\]\}\]/, '"issuances":[]'],
  [
    5,
    'an issuance is told without its delivery',
    'explain?reward',
    '"outcome":"delivered"',
    '"outcome":"failed"',
  ],
  [
    5,
    'an event is explained by another decision',
    'explain?event',
    '"outcome":"attributed"',
    '"outcome":"rejected"',
  ],
  [
    5,
    'an event is explained without its reward',
    'explain?event',
    /"rewards":\[.*\]\}\]/,
    '"rewards":[]}]',
  ],
  [
    5,
    'an account is shown without its rewards',
    'explain?user',
    /"rewards":\[.*?\}\]/,
    '"rewards":[',
  ],
  [
    5,
    'a balance has more reversed than anything took',
    'explain?user',
    '"reversed":"0"',
    '"reversed":"4"',
  ],
  [
    11,
    'an explanation names a user of another customer',
    'explain?user',
    '"subject"',
    '"x":"mx.t2.u1","subject"',
  ],
  [12, 'an explanation has a secret', 'explain?user', '"subject"', `"x":"${secret}","subject"`],
];

/** Each is a system that broke one promise in one way. */
const mutants: readonly Mutant[] = [
  ...wrongAnswers.map(([breaks, what, where, from, to]): Mutant => ({
    breaks,
    what,
    by: (e) => changeAnswer(e, where, from, to),
  })),
  {
    breaks: 1,
    what: 'an accepted event is lost',
    by: (e) => edit(e, topicTable.events.name, (log) => void log.splice(0, 4, log[1]!, log[2]!)),
  },
  {
    breaks: 1,
    what: 'an accepted event is on the log with another amount',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        for (const n of [0, 3]) Object.assign(log[n]!['purchase'] as object, { amount: 1 });
      }),
  },
  {
    breaks: 1,
    what: 'a copy on the log differs',
    by: (e) => edit(e, topicTable.events.name, (log) => void (log[3]!['ucc'] = 'other')),
  },
  {
    breaks: 1,
    what: 'what the older endpoint accepted is lost',
    by: (e) => edit(e, topicTable.events.name, (log) => void log.splice(2, 1)),
  },
  {
    breaks: 1,
    what: 'an event is twice in a table',
    by: (e) => table(e, 'portal_read_r2.event').push(table(e, 'portal_read_r2.event')[0]!),
  },
  {
    breaks: 1,
    what: 'an event was never applied',
    by: (e) => void table(e, 'attribution_g1.fact').pop(),
  },
  {
    breaks: 2,
    what: 'a request without an answer made two events',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        log.push({ ...log[1], eventId: '00000000-0000-7000-8000-000000000009' });
      }),
  },
  {
    breaks: 2,
    what: 'a refused request left an event, its amount rounded',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        const purchase = { invoiceId: 'mx.t1.i9', currency: 'EUR', amount: 50 };
        const eventId = '00000000-0000-7000-8000-000000000009';
        log.push({ ...log[1], eventId, tenantId: 't1', newUser: { id: 'mx.t1.u9' }, purchase });
      }),
  },
  {
    breaks: 3,
    what: 'a repeat got another answer',
    by: (e) => {
      e.requests[1]!.answer = JSON.stringify({ eventId: 'another' });
    },
  },
  {
    breaks: 3,
    what: 'a repeat was refused as a conflict',
    by: (e) => e.requests.push({ ...e.requests[0]!, outcome: 'failed', status: 409, answer: '{}' }),
  },
  {
    breaks: 3,
    what: 'a repeat made a second event',
    by: (e) =>
      edit(e, topicTable.events.name, (log) => {
        log.push({ ...log[0], eventId: '00000000-0000-7000-8000-000000000009' });
      }),
  },
  {
    breaks: 3,
    what: 'another content was accepted under the same key',
    by: (e) => {
      const body = JSON.parse(e.requests[1]!.body!) as object;
      e.requests[1]!.body = JSON.stringify({ ...body, amount: 5 });
    },
  },
  {
    breaks: 3,
    what: 'a key was taken before its first use',
    by: (e) => {
      const refused = { outcome: 'failed', status: 409, answer: '{}', key: 'key-2' } as const;
      e.requests.push({ ...e.requests[0]!, ...refused });
    },
  },
  {
    breaks: 4,
    what: 'a fact has a second reward',
    by: (e) => {
      const [first] = table(e, 'rewards_g1.entitlement');
      table(e, 'rewards_g1.entitlement').push({ ...first!, reward_id: 'another' });
    },
  },
  {
    breaks: 4,
    what: 'a reward was never published',
    by: (e) => edit(e, topicTable.rewards.name, (log) => void log.pop()),
  },
  {
    breaks: 5,
    what: 'an amount is a float',
    by: (e) => {
      table(e, 'rewards_g1.ledger_posting')[0]!['owed'] = '2.5e0';
    },
  },
  {
    breaks: 5,
    what: 'a posting does not sum to zero',
    by: (e) => {
      table(e, 'rewards_g1.ledger_posting')[0]!['owed'] = '2.51';
    },
  },
  {
    breaks: 5,
    what: 'a refund never reached the ledger',
    by: (e) => {
      table(e, 'rewards_g1.entitlement')[0]!['entitled'] = '1.25';
    },
  },
  {
    breaks: 5,
    what: 'a posting that was there is gone',
    by: (e) => {
      e.earlierTables['rewards_g1.ledger_posting']![0]!['posting_id'] = 'gone';
    },
  },
  {
    breaks: 5,
    what: 'something was issued twice for one reward',
    by: (e) =>
      edit(e, topicTable.issuances.name, (log) => {
        log.push({ ...log[0], issuanceId: 'another', webhookEventId: 'another' });
      }),
  },
  {
    breaks: 5,
    what: 'more was issued for a reward than it was ever worth, and booked',
    by: (e) => {
      const [reward] = table(e, 'rewards_g1.entitlement');
      reward!['issued'] = '5.00';
      const issued = table(e, 'rewards_g1.ledger_posting').find(
        (one) => one['reward_id'] === reward!['reward_id'] && one['issued'] !== null,
      );
      table(e, 'rewards_g1.ledger_posting').push({ ...issued!, posting_id: 'second' });
      edit(e, topicTable.issuances.name, (log) => {
        log.push({ ...log[0], issuanceId: 'another', webhookEventId: 'another' });
      });
    },
  },
  {
    breaks: 5,
    what: 'a reward was issued before its hold had ended',
    by: (e) =>
      edit(e, topicTable.rewards.name, (log) => {
        log[0]!['maturesAt'] = '2026-04-01T10:00:00.000Z';
      }),
  },
  {
    breaks: 5,
    what: 'a reward was issued before its hold had ended, by a clock that is ahead',
    by: (e) => {
      edit(e, topicTable.rewards.name, (log) => {
        log[0]!['maturesAt'] = '2026-04-01T10:00:00.000Z';
      });
      edit(e, topicTable.issuances.name, (log) => {
        log[0]!['issuedAt'] = '2026-04-01T10:00:01.000Z';
      });
    },
  },
  {
    breaks: 5,
    what: 'a recipient who owes what was refunded was issued all of the next reward',
    by: (e) => refundAndEarnAgain(e, { issued: '2.50' }),
  },
  {
    breaks: 5,
    what: 'something was issued of a reward that an operator withholds',
    by: (e) => actOnFirst(e, 'withheld'),
  },
  {
    breaks: 5,
    what: 'something was issued of a reward that an operator withheld after all',
    by: (e) => actOnFirst(e, 'released', 'withheld'),
  },
  {
    breaks: 5,
    what: 'an operator was told that a reward is withheld, and the log does not say so',
    by: (e) => {
      const [reward] = table(e, 'rewards_g1.entitlement');
      const answer = { rewardId: reward!['reward_id'], action: 'withheld', at: e.row.loadEndedAt };
      e.requests.push({
        ...{ ...e.requests[0]!, by: 'operator', status: 200, answer: JSON.stringify(answer) },
        path: `/api/tenants/t1/rewards/${reward!['reward_id']}/withhold`,
      });
    },
  },
  {
    breaks: 5,
    what: 'a reward is not listed',
    by: (e) => void e.explanations!.shift(),
  },
  {
    breaks: 5,
    what: 'an explanation has a recipient who owes what they do not',
    by(e) {
      const open = '"open":[{"as":"offset","credits":"1"},{"as":"excess","credits":"1"}]';
      for (const path of ['rewards', 'explain?reward']) changeAnswer(e, path, '"open":[]', open);
      changeAnswer(e, 'explain?reward', '"recipientOwes":"0"', '"recipientOwes":"3"');
      const parts = '1 offset against what the recipient owed, 1 more than entitled';
      changeAnswer(e, 'explain?reward', 'nothing is open', parts);
    },
  },
  ...(
    [
      ['is not shown', 'explain?user', '"issuedWithoutReward"', '"x"'],
      ['is more in words', 'explain?user', 'Issued 2.5', 'Issued 25'],
      ['is not in the balance', 'explain?user', '"owed":"-2.5"', '"owed":"0"'],
      ['is not known by its reward', 'explain?reward', '"count":1', '"count":2'],
    ] as const
  ).map(([how, where, from, to]): Mutant => ({
    breaks: 5,
    what: `what was issued for a reward that no longer exists ${how}`,
    by(e) {
      loseEnd(e, bought);
      leaveOnlyIssued(e);
      changeAnswer(e, where, from, to);
    },
  })),
  {
    breaks: 5,
    what: 'a recipient is paid in full though something was issued before for an event that is lost',
    by(e) {
      loseEnd(e, bought);
      leaveOnlyIssued(e);
      e.row.swappedAt = '2026-03-02T10:00:03.500Z';
    },
  },
  {
    breaks: 5,
    what: 'a reward is listed twice',
    by: (e) => void e.explanations!.push({ ...e.explanations![0]!, path: '/rewards?again' }),
  },
  {
    breaks: 5,
    what: 'no event was explained',
    by(e) {
      e.explanations = e.explanations!.filter(({ path }) => !path.includes('explain?event'));
    },
  },
  {
    breaks: 5,
    what: 'an explanation is refused',
    by: (e) => void Object.assign(e.explanations!.at(-1)!, { outcome: 'unknown', status: 500 }),
  },
  {
    breaks: 5,
    what: 'nothing was explained',
    by: (e) => {
      e.explanations = e.explanations!.filter(({ path }) => !path.includes('explain'));
    },
  },
  {
    breaks: 6,
    what: 'a webhook was never sent',
    by: (e) => void e.webhooks.pop(),
  },
  {
    breaks: 6,
    what: 'a webhook was never taken',
    by: (e) => {
      e.webhooks[0]!.status = 500;
    },
  },
  {
    breaks: 6,
    what: 'a webhook came again under a new id',
    by: (e) => {
      const [first] = e.webhooks;
      const body = first!.body.replace(/"eventId":"[^"]*"/, '"eventId":"new"');
      e.webhooks.push({ ...first!, body });
    },
  },
  {
    breaks: 6,
    what: 'a webhook came again with other bytes',
    by: (e) => {
      const [first] = e.webhooks;
      e.webhooks.push({ ...first!, body: `${first!.body} ` });
    },
  },
  {
    breaks: 6,
    what: 'a webhook names more credits than were issued',
    by: (e) => {
      e.webhooks[0]!.body = e.webhooks[0]!.body.replace('2.5}', '2.500001}');
    },
  },
  {
    breaks: 6,
    what: 'a webhook came without its credentials',
    by: (e) => {
      e.webhooks[0]!.authorized = false;
    },
  },
  {
    breaks: 7,
    what: 'something was wrong while the fault lasted',
    by: (e) => void (e.row.amiss = ['no webhook was sent']),
  },
  {
    breaks: 7,
    what: 'the only broker lost an event, and a service has not said it',
    by(e) {
      loseEnd(e);
      e.logs['portal.log'] = '';
    },
  },
  {
    breaks: 1,
    what: 'another event is lost than the broker has',
    by(e) {
      loseEnd(e);
      e.lost![0]!.value = JSON.stringify(unanswered);
    },
  },
  {
    breaks: 7,
    what: 'a projection stopped before the end',
    by: (e) => {
      table(e, 'attribution_g1.projection_position')[0]!['next_offset'] = '3';
    },
  },
  {
    breaks: 7,
    what: 'a projection has never noticed a partition',
    by: (e) => {
      e.ends[`${topicTable.events.name}/1`] = 1;
    },
  },
  {
    breaks: 7,
    what: 'a row is left in an outbox',
    by: (e) => table(e, 'attribution_g1.outbox').push({ id: '1' }),
  },
  {
    breaks: 7,
    what: 'a webhook was given up',
    by: (e) => {
      table(e, 'dispatch.delivery')[0]!['state'] = 'exhausted';
    },
  },
  {
    breaks: 7,
    what: 'a good record was put aside',
    by: (e) =>
      edit(e, topicTable.deadLetters.name, (log) => {
        const origin = { topic: topicTable.events.name, partition: 0, offset: '1' };
        log.push({ type: 'put-aside', origin });
      }),
  },
  {
    breaks: 7,
    what: 'poison was not put aside',
    by: (e) => {
      e.poison.push({ topic: topicTable.events.name, value: '{' });
      e.topics[topicTable.events.name]!.push({ partition: 0, offset: 6, key: null, value: '{' });
    },
  },
  {
    breaks: 7,
    what: 'it never recovered',
    by: (e) => {
      e.row.unrecovered = '3 records not read';
    },
  },
  {
    breaks: 8,
    what: 'a decision is another one than the facts give',
    by: (e) => {
      edit(e, topicTable.attributions.name, (log) => {
        Object.assign(log[1]!, { outcome: 'not-attributed', reason: 'unknown-code' });
      });
    },
  },
  {
    breaks: 8,
    what: 'a reward is not what its rule says',
    by: (e) => {
      table(e, 'rewards_g1.entitlement')[0]!['entitled'] = '2.51';
    },
  },
  {
    breaks: 8,
    what: 'a reward is held, and by its rule should not be',
    by: (e) =>
      edit(e, topicTable.rewards.name, (log) => {
        log[0]!['maturesAt'] = '2026-03-02T10:00:01.000Z';
      }),
  },
  {
    breaks: 8,
    what: 'a reward has no fact',
    by: (e) => {
      const [first] = table(e, 'rewards_g1.entitlement');
      table(e, 'rewards_g1.entitlement').push({ ...first!, business_key: '["purchase","t1","x"]' });
    },
  },
  {
    breaks: 9,
    what: 'a rebuild comes to another decision',
    by: (e) => {
      table(e, 'attribution_g2.fact')[0]!['digest'] = '\\x00';
    },
  },
  {
    breaks: 9,
    what: 'a rebuild lacks a reward',
    by: (e) => void table(e, 'rewards_g2.entitlement').pop(),
  },
  {
    breaks: 9,
    what: 'a rebuild sent a webhook again',
    by: (e) => e.webhooks.push({ ...e.webhooks[0]!, at: e.row.rebuild!.beganAt }),
  },
  {
    breaks: 9,
    what: 'nothing was rebuilt',
    by: (e) => {
      delete e.row.rebuild;
    },
  },
  {
    breaks: 10,
    what: 'a position went back',
    by: (e) => e.positions.push({ ...e.positions[0]!, at: e.positions[1]!.at }),
  },
  {
    breaks: 10,
    what: 'a position went back once more after the database had fallen back',
    by(e) {
      loseFirstGeneration(e);
      const [first] = e.positions;
      const later = { at: '2026-03-02T10:00:09.000Z', next: first!.next - 1 };
      e.positions.push({ ...first!, ...later });
    },
  },
  {
    breaks: 1,
    what: 'an event is not in the tables of the generation that took over',
    by(e) {
      loseFirstGeneration(e);
      table(e, 'attribution_g2.fact').pop();
    },
  },
  {
    breaks: 1,
    what: 'customers do not see an event when another generation is live',
    by(e) {
      loseFirstGeneration(e);
      table(e, 'portal_read_r2_g2.event').pop();
    },
  },
  {
    breaks: 5,
    what: 'more was issued than any generation ever said',
    by(e) {
      loseFirstGeneration(e);
      for (const topic of [topicTable.rewards.name, `${topicTable.rewards.name}.g2`]) {
        edit(e, topic, ([reward]) => void (reward!['entitledCredits'] = '0'));
      }
    },
  },
  {
    breaks: 7,
    what: 'a generation was lost though no database fell back',
    by(e) {
      loseFirstGeneration(e);
      delete e.row.fellBackAt;
    },
  },
  {
    breaks: 7,
    what: 'the generation that took over was lost, too',
    by(e) {
      loseFirstGeneration(e);
      e.row.generations = { live: 3, lost: [1, 2], run: [3] };
    },
  },
  {
    breaks: 7,
    what: 'another generation is live, and nobody said so',
    by(e) {
      keepFirstGeneration(e);
      delete e.row.swappedTo;
    },
  },
  {
    breaks: 9,
    what: 'the generation that was live before has another decision',
    by(e) {
      keepFirstGeneration(e);
      table(e, 'attribution_g1.fact')[0]!['outcome'] = 'pending';
    },
  },
  {
    breaks: 7,
    what: 'the generation that took over has not read all',
    by(e) {
      loseFirstGeneration(e);
      table(e, 'attribution_g2.projection_position')[0]!['next_offset'] = '1';
    },
  },
  {
    breaks: 8,
    what: 'the generation that took over never published a decision',
    by(e) {
      loseFirstGeneration(e);
      edit(e, `${topicTable.attributions.name}.g2`, (log) => log.pop());
    },
  },
  {
    breaks: 10,
    what: 'an earlier owner stored a position',
    by: (e) => e.positions.push({ ...e.positions[1]!, epoch: 0, next: 3 }),
  },
  {
    breaks: 10,
    what: 'two owners wrote one version of a decision',
    by: (e) =>
      edit(
        e,
        topicTable.attributions.name,
        (log) => void log.push({ ...log[0], referrerId: 'other' }),
      ),
  },
  {
    breaks: 10,
    what: 'a version of a reward is missing',
    by: (e) => edit(e, topicTable.rewards.name, (log) => void (log[0]!['version'] = 2)),
  },
  {
    breaks: 10,
    what: 'a number of a revision was given twice',
    by: (e) =>
      edit(e, topicTable.catalog.name, (log) => {
        const revision = log.find(({ entity }) => entity === 'campaign-revision')!;
        log.push({ ...revision, name: 'other' });
      }),
  },
  {
    breaks: 10,
    what: 'a version of a code was given twice',
    by: (e) =>
      edit(e, topicTable.codes.name, (log) => void log.push({ ...log[0], productUserId: 'eve' })),
  },
  {
    breaks: 10,
    what: 'an operator was told a revision that has other rules',
    by: (e) => putCampaign(e, 1, 700),
  },
  {
    breaks: 10,
    what: 'an operator was told a revision that is not there',
    by: (e) => putCampaign(e, 2, undefined),
  },
  {
    breaks: 11,
    what: 'a customer was shown an event of another',
    by: (e) => {
      const probe = e.requests.find(({ by }) => by === 'probe')!;
      Object.assign(probe, { outcome: 'ok', status: 200, answer: '{"newUserId":"mx.t1.u1"}' });
    },
  },
  {
    breaks: 11,
    what: 'a row is under another tenant',
    by: (e) => {
      table(e, 'rewards_g1.entitlement')[0]!['tenant_id'] = 't2';
    },
  },
  {
    breaks: 11,
    what: 'a webhook came to another customer',
    by: (e) => {
      e.webhooks[0]!.tenantId = 't2';
    },
  },
  {
    breaks: 12,
    what: 'an e-mail is in a log line',
    by: (e) => {
      e.logs['rewards.log'] += `{"message":"of ${canary}7@x.example"}\n`;
    },
  },
  {
    breaks: 12,
    what: 'a name is on the topic of events',
    by: (e) => edit(e, topicTable.events.name, (log) => void (log[1]!['name'] = `${canary} 7`)),
  },
  {
    breaks: 12,
    what: 'a secret is in an answer',
    by: (e) => {
      e.requests[3]!.answer = secret;
    },
  },
  {
    breaks: 12,
    what: 'no canary was ever sent',
    by: (e) => {
      e.topics[topicTable.people.name] = [];
    },
  },
];

describe('the checker of the fault matrix', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'tributary-check-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** As it is judged later: from the files. */
  function judge(evidence: Evidence) {
    const folder = mkdtempSync(join(dir, 'evidence-'));
    writeEvidence(folder, evidence);
    expect(evidenceFolders(folder)).to.deep.equal([folder]);
    return judgeEvidence(readEvidence(folder));
  }

  it('finds nothing wrong with a system that kept its promises, and judges each of them', () => {
    const judged = judge(goodEvidence());
    expect(judged.verdicts.flatMap(({ verdict }) => verdict.broken)).to.deep.equal([]);
    expect(judged.verdicts.map(({ number }) => number)).to.deep.equal([
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    ]);
    for (const { verdict, says } of judged.verdicts) expect(verdict.judged, says).to.be.above(0);
    expect(isGreen(judged)).to.equal(true);
    expect(bought!.eventId).to.not.equal(unanswered!.eventId);
  });

  for (const [what, by] of [
    [
      'the next reward of a recipient who owes as much was netted in full',
      (e: Evidence) => refundAndEarnAgain(e, { issued: '0.00' }),
    ],
    [
      'a reward was issued that an operator withheld, and then released',
      (e: Evidence) => actOnFirst(e, 'withheld', 'released'),
    ],
  ] as const) {
    it(`finds nothing wrong with the ledger when ${what} (promise 5)`, () => {
      const evidence = goodEvidence();
      by(evidence);
      const { verdict } = judge(evidence).verdicts.find(({ number }) => number === 5)!;
      expect(verdict.broken).to.deep.equal([]);
      expect(holds(verdict)).to.equal(true);
    });
  }

  for (const [what, by] of [
    ['whose database fell back, and another generation is live', loseFirstGeneration],
    ['in which an operator made another generation live', keepFirstGeneration],
    ['that rebuilt a reward as less than what was issued for it before', rebuildAsLess],
    ['whose only broker lost an event, and which has said it', loseEnd],
    [
      'whose widget has stamped a code anew that it appended again',
      (e: Evidence) => {
        const at = '2026-03-02T11:00:00.000Z';
        edit(e, topicTable.codes.name, (log) => void log.push({ ...log[0], at }));
      },
    ],
    [
      'whose only broker lost an event that had earned something',
      (e: Evidence) => {
        loseEnd(e, bought);
        leaveOnlyIssued(e);
      },
    ],
  ] as const) {
    it(`finds nothing wrong with a system ${what}`, () => {
      const evidence = goodEvidence();
      by(evidence);
      const judged = judge(evidence);
      const broken = judged.verdicts
        // The tables still say that it is worth as much.
        .filter(({ number }) => by !== rebuildAsLess || number === 5)
        .flatMap(({ verdict }) => verdict.broken);
      expect(broken).to.deep.equal([]);
      expect(isGreen(judged)).to.equal(by !== rebuildAsLess);
    });
  }

  for (const { breaks, what, by } of mutants) {
    it(`sees by promise ${breaks} that ${what}`, () => {
      const evidence = goodEvidence();
      by(evidence);
      const judged = judge(evidence);
      const { verdict } = judged.verdicts.find(({ number }) => number === breaks)!;
      expect(holds(verdict), JSON.stringify(verdict)).to.equal(false);
      expect(isGreen(judged)).to.equal(false);
      const line = linesOf(evidence, judged, '/evidence')[0]!;
      expect(line).to.match(new RegExp(`^✗ 4 kill-rewards .* I${breaks} [0-9]+✗`));
    });
  }

  it('believes no fault that was never done, and no promise of which nothing was seen', () => {
    const never = goodEvidence();
    never.row.fired = [];
    expect(isGreen(judge(never))).to.equal(false);
    expect(linesOf(never, judge(never), '/evidence').join('\n')).to.include('was never done');
    const nothing = goodEvidence();
    nothing.requests = [];
    const { verdict } = judge(nothing).verdicts[2]!;
    expect(verdict).to.deep.equal({ judged: 0, broken: [] });
    expect(holds(verdict)).to.equal(false);
  });

  it('takes evidence that cannot be judged for a broken promise', () => {
    const evidence = goodEvidence();
    evidence.webhooks[0]!.body = 'no JSON';
    const judged = judge(evidence);
    expect(judged.verdicts[5]!.verdict.broken.join()).to.include('it cannot be judged');
    expect(isGreen(judged)).to.equal(false);
  });
});
