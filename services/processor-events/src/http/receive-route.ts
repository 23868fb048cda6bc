import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { ConnectionId, type ProcessorReceived } from '@tributary/contracts/processor-record';
import { AppendRefused } from '@tributary/event-log/appender';
import { readBody } from '@tributary/http/body-reader';
import { type ProblemAnswer, sendJson, sendProblem } from '@tributary/http/problem-response';
import { requestIdOf } from '@tributary/http/request-id';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { Request, Response } from 'express';
import { createSigningSecrets } from '../stripe/account-of.ts';
import { readStripeEvent, type StripeEvent } from '../domain/read-event.ts';
import type { FindConnection } from '../commands/find-connection.ts';
import type { ReceiveMetrics } from '../metrics.ts';
import type { Observe } from '../test-hooks.ts';
import { toReceived } from '../domain/receive-event.ts';
import { validateSignature, signatureDetails } from '../stripe/signature.ts';

export type ReceiveRoute = (req: Request, res: Response) => Promise<void>;

/** An event of Stripe's; the largest are invoices with many lines. */
export const eventLimitBytes = 256 * 1024;

/**
 * `POST /processor/stripe/{connectionId}` (interface 6.2). The order of refusals: 405, 404 of a
 * connection that is not there, 413 and 503 (no room), 401 of the signature over the body as it
 * came, 400 and 422 of what is signed and no event, 503 when the log has not acknowledged it. 200
 * is sent for what is on the log, a repeat too, and for nothing else.
 */
export function createReceiveRoute(deps: {
  findConnection: FindConnection;
  secrets: KeyRing;
  /** This deployment takes live payments. */
  livemode: boolean;
  /** The projection has the event. Slow or failing, it counts as no. */
  wasSeen: (event: { connectionId: string; processorEventId: string }) => Promise<boolean>;
  /** @throws {AppendRefused} */
  append: (record: ProcessorReceived) => Promise<void>;
  clock: Clock;
  logger: Logger;
  metrics: ReceiveMetrics;
  observe?: Observe | undefined;
}): ReceiveRoute {
  const { findConnection, secrets, livemode, wasSeen, append, clock, logger, metrics, observe } =
    deps;
  const signingSecretsOf = createSigningSecrets(secrets);

  return async (req, res) => {
    if (req.method !== 'POST') return sendProblem(res, 'NOT_FOUND', { allow: 'POST', ...only });
    const connectionId = String(req.params['connectionId']);
    const connection = idForm.test(connectionId) ? await findConnection(connectionId) : undefined;
    if (connection?.status !== 'active') {
      return refuse(res, 'unknown-connection', 'NOT_FOUND', noConnection);
    }

    const body = await readBody(req, { limitBytes: eventLimitBytes });
    if (body.outcome === 'aborted') return;
    if (body.outcome === 'too-large')
      return refuse(res, 'too-large', 'PAYLOAD_TOO_LARGE', tooLarge);
    if (body.outcome === 'no-room') return refuse(res, 'no-room', 'SERVICE_UNAVAILABLE');

    const now = clock.now();
    const signed = validateSignature({
      body: body.bytes,
      header: signatureOf(req),
      secrets: signingSecretsOf(connection, now),
      now,
    });
    if (signed.outcome === 'refused') {
      const { reason } = signed;
      const about = { detail: signatureDetails[reason], challenge: 'Stripe-Signature' };
      return refuse(res, `signature-${reason}`, 'UNAUTHORIZED', about, connectionId);
    }
    const json = parse(signed.text);
    if (json === undefined) return refuse(res, 'no-json', 'MALFORMED_JSON', {}, connectionId);
    const reading = readStripeEvent(json);
    if (reading.outcome === 'wrong') {
      const { violations: errors } = reading;
      return refuse(res, 'no-event', 'VALIDATION_ERROR', { errors }, connectionId);
    }
    await take(res, reading.event, connection, now);
  };

  async function take(
    res: Response,
    event: StripeEvent,
    connection: ProcessorConnectionRecord,
    receivedAt: Date,
  ): Promise<void> {
    const { connectionId } = connection;
    const answer = { received: true, id: event.id };
    if (await wasSeen({ connectionId, processorEventId: event.id })) {
      metrics.received('repeated');
      return sendJson(res, 200, answer);
    }
    const record = toReceived(event, { connection, receivedAt, livemode });
    await observe?.('received');
    try {
      await append(record);
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      const about = { requestId: requestIdOf(res), connectionId, processorEventId: event.id };
      logger.warn('an event of the processor was not acknowledged', { ...about, error });
      metrics.received('not-acknowledged');
      return sendProblem(res, 'SERVICE_UNAVAILABLE');
    }
    await observe?.('kept');
    metrics.received(record.ignored ?? 'stored');
    sendJson(res, 200, answer);
  }

  function refuse(
    res: Response,
    reason: string,
    code: Parameters<typeof sendProblem>[1],
    about: ProblemAnswer = {},
    connectionId?: string,
  ): void {
    metrics.received(reason);
    logger.info('refused', { requestId: requestIdOf(res), connectionId, reason });
    sendProblem(res, code, about);
  }
}

const idForm = new RegExp(ConnectionId.pattern ?? '');
const only = { detail: 'Send Stripe events with POST.' };
const noConnection = {
  detail:
    'No connection has this address, or it was disconnected; `tributary processor list` shows those there are.',
};
const tooLarge = { detail: `The body may have at most ${eventLimitBytes} bytes.` };

/** Node joins a header that comes twice with a comma, so that the first one counts and no other. */
function signatureOf(req: Request): string | undefined {
  const header = req.headers['stripe-signature'];
  return Array.isArray(header) ? header.join(', ') : header;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
