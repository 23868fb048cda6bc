import type { CodeRecord } from '@tributary/contracts/code-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { topics as topicTable } from '@tributary/contracts/topics';
import type { Evidence, SentRequest } from '../evidence.ts';
import { liveOf } from './live.ts';
import { objectsOf } from './money.ts';
import { loggedEvents } from './reported-events.ts';
import { createVerdict, type Verdict } from './verdict.ts';

// Boots of the widget, and the signups that only they tell of (docs/decisions/0015 and
// services/widget/README.md).

type Click = { ucc: string; capturedAt: string };
type Boot = { request: SentRequest; userId: string; email?: string; click?: Click };
type Person = { tenantId?: string; userId?: string; email?: string };

const dayMs = 86_400_000;
/** No row lasts as long as what is left to the seven days. */
const surelyInTimeMs = 6.9 * dayMs;

function bootsOf({ requests }: Evidence): Boot[] {
  return requests
    .filter(({ by }) => by === 'user')
    .map((request) => {
      const body = JSON.parse(request.body ?? '{}') as Body;
      const { token, productUserDetails, click } = body;
      const userId = userOf(token);
      return { request, userId, ...productUserDetails, ...(click && { click }) };
    });
}

type Body = { token: string; productUserDetails: { email?: string }; click?: Click };

function userOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  return (JSON.parse(claims) as { productUserId: string }).productUserId;
}

/** What the log says of users. */
function logOf(evidence: Evidence) {
  const codes = objectsOf<CodeRecord>(evidence.topics[topicTable.codes.name]);
  const events = loggedEvents(evidence).map(({ event }) => event);
  const signups = events.filter(({ eventType }) => eventType === 'signup-created');
  const people = objectsOf<Person>(evidence.topics[topicTable.people.name]);
  const byUser = <T>(items: readonly T[], nameOfOne: (item: T) => string) =>
    Map.groupBy(items, nameOfOne);
  return {
    issued: byUser(
      codes.filter(({ type }) => type === 'code-issued'),
      ({ tenantId, productUserId }) => nameOf(tenantId, productUserId),
    ),
    readAt: readByWidget(evidence),
    byUcc: Map.groupBy(codes, ({ tenantId, ucc }) => nameOf(tenantId, ucc)),
    disabled: new Set(
      codes
        .filter(({ type }) => type === 'code-disabled')
        .map(({ tenantId, ucc }) => nameOf(tenantId, ucc)),
    ),
    signups: byUser(signups, ({ tenantId, newUser }) => nameOf(tenantId, newUser.id)),
    recovered: byUser(signups.filter(isRecovered), ({ tenantId, newUser }) =>
      nameOf(tenantId, newUser.id),
    ),
    events: byUser(events, ({ tenantId, newUser }) => nameOf(tenantId, newUser.id)),
    people: byUser(people, ({ tenantId = '', userId = '' }) => nameOf(tenantId, userId)),
  };
}

type Log = ReturnType<typeof logOf>;

/** When the widget had read each code, at the latest: nobody is referred by it before. */
function readByWidget({ topics, positions }: Evidence): Map<string, string> {
  const samples = positions.filter(
    ({ schema, topic }) => liveWidget.test(schema) && topic === topicTable.codes.name,
  );
  const read = new Map<string, string>();
  for (const record of topics[topicTable.codes.name] ?? []) {
    const [code] = objectsOf<CodeRecord>([record]);
    const seen = samples.find(
      (one) => one.partition === record.partition && one.next > record.offset,
    );
    if (code === undefined || seen === undefined) continue;
    const name = nameOf(code.tenantId, code.ucc);
    if (!read.has(name)) read.set(name, seen.at);
  }
  return read;
}

const liveWidget = /^widget_r\d+$/;

function nameOf(tenantId: string, id: string): string {
  return JSON.stringify([tenantId, id]);
}

function isRecovered({ source }: EventRecord): boolean {
  return source === 'widget';
}

/**
 * What a boot was answered is on the log: the user's code, the details that came with the boot, and
 * the signup, if the user had followed a link that counts.
 */
export function bootsAreKept(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const log = logOf(evidence);
  for (const boot of bootsOf(evidence)) {
    const { tenantId, outcome, status, proof, endedAt } = boot.request;
    const what = `the boot of ${boot.userId} of ${tenantId}, answered at ${endedAt},`;
    if (outcome === 'ok') judge(missingOf(what, boot, log));
    if (proof === 'right' && status === 401) breaks(`${what} was refused with a right token`);
  }
  const isMeant = evidence.row.sources?.includes('widget') ?? false;
  if (isMeant && verdict.judged === 0) breaks('no boot of the widget was answered');
  return verdict;
}

function missingOf(what: string, boot: Boot, log: Log): string | undefined {
  const { request, userId, email } = boot;
  const { tenantId, answer = '{}' } = request;
  const user = nameOf(tenantId, userId);
  const { invite } = JSON.parse(answer) as { invite: { ucc: string } | null };
  const own = log.issued.get(user) ?? [];
  const wasDisabled = own.some(({ ucc }) => log.disabled.has(nameOf(tenantId, ucc)));
  if (invite === null && !wasDisabled) return `${what} brought no code`;
  if (invite !== null && !own.some(({ ucc }) => ucc === invite.ucc)) {
    return `${what} brought the code ${invite.ucc}, which is not on the log as theirs`;
  }
  if (email !== undefined && !log.people.get(user)?.some((person) => person.email === email)) {
    return `${what} had details that are not on the log`;
  }
  if (isSignup(boot, log) && !log.signups.has(user)) {
    return `${what} followed a click on ${boot.click?.ucc}, and no signup is on the log`;
  }
  return undefined;
}

/** Within seven days, on a code of somebody else that was known and was never disabled. */
function isSignup({ request, userId, click }: Boot, { byUcc, readAt, disabled }: Log): boolean {
  if (click === undefined) return false;
  const { tenantId, sentAt } = request;
  const agoMs = Date.parse(sentAt) - Date.parse(click.capturedAt);
  const ucc = nameOf(tenantId, click.ucc);
  const [code] = byUcc.get(ucc) ?? [];
  const isKnown = (readAt.get(ucc) ?? sentAt) < sentAt;
  if (code === undefined || !isKnown || agoMs < 0 || agoMs > surelyInTimeMs) return false;
  return code.productUserId !== userId && !disabled.has(ucc);
}

/**
 * However often a user booted, and whatever they were answered, they have one code of their own and
 * signed up once. Who was only refused has left nothing. And no signup is of a browser that nobody
 * booted in.
 */
export function bootsLeaveOnceAtMost(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const log = logOf(evidence);
  const boots = Map.groupBy(bootsOf(evidence), ({ request, userId }) =>
    nameOf(request.tenantId, userId),
  );
  const reportedBy = usersOfBackends(evidence);
  for (const [user, own] of boots) {
    const accepted = own.find(
      ({ request }) => request.proof !== 'right' && request.outcome === 'ok',
    );
    if (accepted !== undefined) breaks(`${user} booted with a token that is not of their customer`);
    if (own.every(({ request }) => request.outcome === 'ok')) continue;
    const isRefused = own.every(
      ({ request }) => request.outcome === 'failed' || request.proof !== 'right',
    );
    if (isRefused && !reportedBy.has(user)) judge(leftBy(user, log));
    else judge(tooManyOf(user, log));
  }
  for (const [user, signups] of log.recovered) {
    const codes = new Set(
      boots
        .get(user)
        ?.filter(({ request }) => request.outcome !== 'failed')
        .map(({ click }) => click?.ucc),
    );
    const stray = signups.find(({ ucc }) => !codes.has(ucc));
    if (stray !== undefined) breaks(`${user} signed up by ${stray.ucc}, and no browser said so`);
  }
  return verdict;
}

function usersOfBackends({ requests }: Evidence): Set<string> {
  return new Set(
    requests.flatMap(({ by, tenantId, path, body = '{}' }) => {
      if (by !== 'customer' || !path.startsWith('/v2/')) return [];
      const { newUser } = JSON.parse(body) as { newUser?: { id: string } };
      return newUser === undefined ? [] : [nameOf(tenantId, newUser.id)];
    }),
  );
}

function leftBy(user: string, { events, issued, people }: Log): string | undefined {
  const places = { events, codes: issued, people };
  const left = Object.entries(places).filter(([, log]) => log.has(user));
  if (left.length === 0) return undefined;
  return `${user} was refused, and is on the log among ${left.map(([name]) => name).join(', ')}`;
}

function tooManyOf(user: string, { issued, recovered }: Log): string | undefined {
  const codes = new Set(issued.get(user)?.map(({ ucc }) => ucc));
  if (codes.size > 1) return `${user} has the codes ${[...codes].join(' and ')}`;
  const ids = new Set(recovered.get(user)?.map(({ eventId }) => eventId));
  if (ids.size > 1) return `${user} signed up as ${[...ids].join(' and ')}`;
  return undefined;
}

/** However often they boot, users whose codes nobody disables are given the same one. */
export function userHasOneCode(evidence: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  const log = logOf(evidence);
  const answered = bootsOf(evidence).filter(({ request }) => request.outcome === 'ok');
  for (const [user, own] of Map.groupBy(answered, ({ request, userId }) =>
    nameOf(request.tenantId, userId),
  )) {
    const [tenantId] = JSON.parse(user) as [string];
    const codes = log.issued.get(user) ?? [];
    if (own.length < 2 || codes.some(({ ucc }) => log.disabled.has(nameOf(tenantId, ucc))))
      continue;
    const given = new Set(own.map(({ request }) => inviteIn(request)));
    const said = `${user} was given the codes ${[...given].join(' and ')}`;
    judge(given.size > 1 ? said : tooManyOf(user, log));
  }
  return verdict;
}

function inviteIn({ answer = '{}' }: SentRequest): string | undefined {
  return (JSON.parse(answer) as { invite: { ucc: string } | null }).invite?.ucc;
}

type Reward = { rewardId: string; eventId: string; tenantId: string; issuedCredits: string };
type Settled = { type: string; rewardId: string; at?: string; issuedAt?: string };

/**
 * What only a browser reported is issued when an operator has released it, and not before. Once the
 * customer's backend reports the same signup, the same reward is for that and needs nobody.
 */
export function recoveredWaitForOperators(evidence: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  const recovered = new Set([...logOf(evidence).recovered.values()].flat().map((e) => e.eventId));
  const rewards = objectsOf<Reward>(liveOf(evidence).records('rewards'));
  const settled = objectsOf<Settled>(evidence.topics[topicTable.issuances.name]);
  const said = Map.groupBy(settled, ({ rewardId }) => rewardId);
  const own = rewards.filter(({ eventId }) => recovered.has(eventId));
  for (const [rewardId, versions] of Map.groupBy(own, (one) => one.rewardId)) {
    const [reward] = versions;
    const own = said.get(rewardId) ?? [];
    const releasedAt = own.filter(({ type }) => type === 'released').map(({ at }) => at ?? '');
    const isPaid =
      versions.some(({ issuedCredits }) => Number(issuedCredits) !== 0) &&
      own.some(
        ({ type, issuedAt = '' }) => type === 'issued' && !releasedAt.some((at) => at <= issuedAt),
      );
    const what = `reward ${rewardId} of ${reward?.tenantId} is for a signup of a browser alone`;
    judge(isPaid ? `${what}, and was issued before an operator released it` : undefined);
  }
  return verdict;
}
