import { type Check, checksOf, type CheckSettings, type Rule } from './checks.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { type Came, findFault, isSuccess, answerText } from './evaluate-answer.ts';

export type Result = {
  rule: Rule;
  passed: boolean;
  sent: string;
  came: string;
  right: string;
  durationMs: number;
  /** No answer came: not this rule is broken, but rule 5. */
  unanswered?: true;
};

export type Verification = {
  passed: boolean;
  results: Result[];
  /** Why checks at the end were left out. */
  endedEarly?: string;
  /**
   * eventIds of valid events that were answered with 2xx: an endpoint that keeps the rules grants
   * each once.
   */
  granted: string[];
  /** eventIds that were answered with 2xx and should have been refused. */
  perhapsGranted: string[];
};

export type VerifySettings = Omit<CheckSettings, 'createdTs'> & {
  url: URL;
  environment: 'prod' | 'sandbox';
  /** The time that one exchange may take, as the service has it. */
  timeoutMs: number;
  now: () => Date;
  onResult: (result: Result) => void;
};

/**
 * Plays the receiver rules of interface 6.1 against an endpoint, one check after the other. It ends
 * early where the rest would tell nothing more: when the first request finds nobody there, and when
 * several were not answered.
 */
export async function verifyEndpoint(settings: VerifySettings): Promise<Verification> {
  const checks = checksOf({ ...settings, createdTs: settings.now().toISOString() });
  const exchange = createExchange(settings);
  const results: Result[] = [];
  const grants = { granted: new Set<string>(), perhapsGranted: new Set<string>() };
  const tell = (result: Result) => {
    results.push(result);
    settings.onResult(result);
  };
  const seen: Seen[] = [];
  let endedEarly: string | undefined;
  try {
    for (const check of checks) {
      const answers = await play(exchange, check, settings.environment);
      seen.push(...answers.map((came) => ({ check, came })));
      noteGrants(check, answers, grants);
      tell(evaluated(check, answers));
      endedEarly = reasonToEnd(seen);
      if (endedEarly !== undefined) break;
    }
  } finally {
    exchange.close();
  }
  tell(slowestOf(seen, settings.timeoutMs));
  return {
    passed: endedEarly === undefined && results.every(({ passed }) => passed),
    results,
    ...(endedEarly !== undefined && { endedEarly }),
    granted: [...grants.granted],
    perhapsGranted: [...grants.perhapsGranted],
  };
}

type Seen = { check: Check; came: Came };

function play(exchange: Exchange, check: Check, environment: string): Promise<Came[]> {
  const { body, times } = check;
  const headers = deliveryHeaders(check, environment);
  return Promise.all(Array.from({ length: times }, () => exchange.post({ headers, body })));
}

/** As the service sends them (interface 6.1). */
export function deliveryHeaders(
  { authorization, attempt }: Pick<Check, 'authorization' | 'attempt'>,
  environment: string,
): Record<string, string> {
  return {
    ...(authorization !== undefined && { authorization }),
    'content-type': 'application/json; charset=utf-8',
    'x-service-env': environment,
    'user-agent': 'Tributary-Webhooks/1.0',
    'x-tributary-attempt': String(attempt),
  };
}

/** Among several answers the first wrong one counts, else the slowest. */
function evaluated({ rule, sent, right }: Check, answers: readonly Came[]): Result {
  const faulty = answers.find((came) => findFault(right, came) !== undefined);
  const shown = faulty ?? slowest(answers);
  const came = findFault(right, shown) ?? answerText(shown);
  return {
    ...{ rule, passed: !faulty, sent, came, right, durationMs: shown.durationMs },
    ...(shown.came === 'nothing' && { unanswered: true }),
  };
}

function noteGrants(
  { right, mayGrant }: Check,
  answers: readonly Came[],
  to: { granted: Set<string>; perhapsGranted: Set<string> },
): void {
  const accepted = answers.some((came) => came.came === 'answer' && isSuccess(came.status));
  if (mayGrant === undefined || !accepted) return;
  if (right === '2xx') to.granted.add(mayGrant);
  // What was granted before and is taken again is no second event.
  else if (!to.granted.has(mayGrant)) to.perhapsGranted.add(mayGrant);
}

function reasonToEnd(seen: readonly Seen[]): string | undefined {
  const unanswered = seen.filter(({ came }) => came.came === 'nothing');
  const [first] = seen;
  if (first?.came.came === 'nothing' && first.came.failure === 'connection') {
    return 'the endpoint cannot be reached';
  }
  return unanswered.length >= 3 ? 'too many requests were not answered' : undefined;
}

/** Rule 5, over all that was asked before. */
function slowestOf(seen: readonly Seen[], timeoutMs: number): Result {
  const right = `each answered in full within ${timeoutMs / 1000} s`;
  const base = { rule: 5, sent: `all ${seen.length} requests together`, right } as const;
  const unanswered = seen.filter(({ came }) => came.came === 'nothing');
  const last = seen.reduce((a, b) => (b.came.durationMs > a.came.durationMs ? b : a));
  const { durationMs } = last.came;
  const count = unanswered.length;
  if (count > 0)
    return { ...base, passed: false, came: `no answer to ${count} of them`, durationMs };
  return { ...base, passed: true, came: `the slowest was "${last.check.sent}"`, durationMs };
}

function slowest(answers: readonly Came[]): Came {
  return answers.reduce((a, b) => (b.durationMs > a.durationMs ? b : a));
}
