import { createBasicCheck, type Credentials } from './basic-credentials.ts';
import { validateReward, type Reward } from './validate-reward.ts';
import { parseBody, readBody, type WebhookRequest } from './webhook-body.ts';

export type { Credentials, Reward };

/**
 * The receiving end of the reward webhook, by the receiver rules of interface 6.1. Deliveries come
 * at least once. That a reward is granted once is up to `grant`, which alone can note the eventId
 * and give the credits in one transaction.
 */
export type RewardReceiver = WebhookCredentials & {
  /**
   * Grants the reward unless its eventId was granted before, and says which. What it throws becomes
   * a 500, and the service sends the webhook again. The service waits some seconds for an answer,
   * so do here what must be durable, and the rest later.
   */
  grant: (reward: Reward) => Promise<GrantOutcome> | GrantOutcome;
};

export type GrantOutcome = 'granted' | 'repeated';

/** Several are accepted while they are exchanged: the old ones and the new. */
export type WebhookCredentials = Credentials | { credentials: readonly Credentials[] };

export type ReceiverAnswer = {
  status: 200 | 400 | 401 | 413 | 500;
  headers: Record<string, string>;
  /** To be sent as JSON. */
  body: Record<string, unknown>;
  /** What `grant` threw: for your log, not for the answer. */
  error?: unknown;
};

/** Answers one delivery. `body`: its bytes or text, or what a JSON parser has made of them. */
export async function receiveReward(
  delivery: { authorization: string | undefined; body: unknown },
  receiver: RewardReceiver,
): Promise<ReceiverAnswer> {
  if (!basicCheckOf(receiver)(delivery.authorization)) return stranger;
  return handleDelivery(delivery.body, receiver);
}

/** What is asked of a response: that of node:http has it, and so has that of express. */
export type WebhookResponse = {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
  destroy(): unknown;
};

/**
 * The same as a handler for express or node:http. It reads the body by itself, or takes what
 * express.json(), express.raw() or express.text() has read before it.
 */
export function rewardWebhook(
  options: RewardReceiver & {
    /** Told what `grant` threw; unless given, that goes to the standard error. */
    onError?: ((error: unknown) => void) | undefined;
    /** A larger body is refused with 413: 64 KiB unless given. */
    bodyLimitBytes?: number | undefined;
  },
): (req: WebhookRequest, res: WebhookResponse) => Promise<void> {
  // eslint-disable-next-line no-console -- a grant that failed must be seen somewhere
  const { onError = console.error, bodyLimitBytes = 65_536 } = options;
  const hasCredentials = basicCheckOf(options);
  /** The delivery is answered: an observer that fails must not end the process. */
  const report = (error: unknown) => {
    try {
      onError(error);
    } catch (failure) {
      // eslint-disable-next-line no-console -- the observer itself is broken
      console.error(failure);
    }
  };

  return async (req, res) => {
    // Before the body: a stranger's is not read.
    if (!hasCredentials(req.headers['authorization'])) return send(res, stranger);
    const reading = await readBody(req, bodyLimitBytes).catch(() => undefined);
    // The sender left in the middle of its body: nobody is left to answer.
    if (reading === undefined) return void res.destroy();
    if (reading.outcome === 'too-large') return send(res, refusal(413, 'the body is too large'));
    const answer = await handleDelivery(reading.body, options);
    send(res, answer);
    if (answer.error !== undefined) report(answer.error);
  };
}

/**
 * A `grant` from three steps of a database, for credits that are kept apart from the noted
 * eventIds. All happens in one transaction: the eventId first, whose unique constraint makes a
 * delivery that runs beside this one wait, and only for a new one the credits.
 */
export function grantOnce<Transaction>(steps: {
  /** Runs the work in one transaction, and undoes it when the work throws. */
  transaction: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** Inserts the eventId; false when it was there (`on conflict do nothing`). */
  insertOnce: (transaction: Transaction, reward: Reward) => Promise<boolean>;
  credit: (transaction: Transaction, reward: Reward) => Promise<void>;
}): (reward: Reward) => Promise<GrantOutcome> {
  return (reward) =>
    steps.transaction(async (transaction) => {
      if (!(await steps.insertOnce(transaction, reward))) return 'repeated';
      await steps.credit(transaction, reward);
      return 'granted';
    });
}

function basicCheckOf(receiver: WebhookCredentials) {
  return createBasicCheck('credentials' in receiver ? receiver.credentials : [receiver]);
}

async function handleDelivery(body: unknown, receiver: RewardReceiver): Promise<ReceiverAnswer> {
  const validation = validateReward(parseBody(body));
  if (validation.verdict === 'ignored') return answer(200, { ignored: true });
  if (validation.verdict === 'bad') return refusal(400, validation.reason);
  try {
    const outcome = await receiver.grant(validation.reward);
    return answer(200, { duplicate: outcome === 'repeated' });
  } catch (error) {
    return { ...refusal(500, 'the reward could not be granted'), error: error ?? 'unknown' };
  }
}

const stranger: ReceiverAnswer = {
  ...refusal(401, 'credentials are missing or wrong'),
  headers: { 'www-authenticate': 'Basic realm="webhook", charset="UTF-8"' },
};

function refusal(status: ReceiverAnswer['status'], message: string): ReceiverAnswer {
  return answer(status, { message });
}

function answer(status: ReceiverAnswer['status'], body: Record<string, unknown>): ReceiverAnswer {
  return { status, headers: {}, body };
}

function send(res: WebhookResponse, { status, headers, body }: ReceiverAnswer): void {
  res.statusCode = status;
  const all = { 'content-type': 'application/json; charset=utf-8', ...headers };
  for (const [name, value] of Object.entries(all)) res.setHeader(name, value);
  res.end(`${JSON.stringify(body)}\n`);
}
