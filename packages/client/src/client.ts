import { type ApiRequest, createApiCall } from './api-call.ts';
import { createExchange } from './exchange.ts';
import { eventRequest, type EventOptions } from './event-request.ts';
import { activeLinkRequest, lookupRequest, showEventRequest } from './lookup-requests.ts';
import { type CallOptions, readSettings, type TributaryClientOptions } from './settings.ts';
import { waitForDecision } from './wait-for-decision.ts';
import type {
  Accepted,
  ActiveLink,
  DemoAttended,
  EventWithDecision,
  PurchaseCreated,
  PurchaseRefunded,
  ReferralCode,
  SignupCreated,
} from './wire-types.ts';

export type { CallOptions, EventOptions, TributaryClientOptions };

/**
 * Every method rejects with a TributaryError of `@tributary/client/errors`: a TributaryProblem when
 * the service refused, a TributaryNetworkError without an answer, a TributaryAnswerError when
 * something else answered; and with a TypeError for what cannot be sent as it is meant, such as an
 * amount that is no whole number.
 */
export type TributaryClient = {
  purchaseCreated: Report<PurchaseCreated>;
  signupCreated: Report<SignupCreated>;
  demoAttended: Report<DemoAttended>;
  purchaseRefunded: Report<PurchaseRefunded>;
  /** What is known of a code; undefined when there is no such code (interface 4.5). */
  lookup(code: string, options?: CallOptions): Promise<ReferralCode | undefined>;
  /** A user's valid code and invite link; undefined when the user has none (interface 4.6). */
  activeLink(productUserId: string, options?: CallOptions): Promise<ActiveLink | undefined>;
  /**
   * An event of yours and what was decided about it; undefined for one that is not yours, or that
   * is not there yet: it appears within seconds.
   */
  event(eventId: string, options?: CallOptions): Promise<EventWithDecision | undefined>;
  /**
   * The same once it is decided: asks until the outcome is another than `pending`, for 60 s unless
   * `deadlineMs` is given. `waiting` is a decision: for what is missing, it may wait for days.
   */
  waitForDecision(eventId: string, options?: CallOptions): Promise<EventWithDecision>;
  /** The bearer token that the calls use, for an endpoint that is not among them. */
  accessToken(options?: CallOptions): Promise<string>;
};

/** Resolves when the event is stored; attribution and rewards follow (interface 2.6). */
export type Report<Event> = (event: Event, options?: EventOptions) => Promise<Accepted>;

/**
 * A client of one deployment for one access key. Make one and keep it: it holds the access token.
 * @throws {TypeError} for a setting that is missing or wrong
 */
export function createTributaryClient(options: TributaryClientOptions): TributaryClient {
  const { baseUrl, accessKey, fetch, timeoutMs, limits, onWarning } = readSettings(options);
  const exchange = createExchange({ fetch, timeoutMs });
  const api = createApiCall({ baseUrl, accessKey, exchange, limits });

  function reportOf<Event extends object>(eventType: string): Report<Event> {
    return async (event, eventOptions = {}) => {
      const accepted = await api.call(eventRequest(eventType, event, eventOptions), eventOptions);
      tell(accepted, eventType);
      return accepted;
    };
  }

  /** The event is stored, so a mistake in the caller's hook must not look like a failed call. */
  function tell({ eventId, warnings = [] }: Accepted, eventType: string): void {
    try {
      for (const warning of warnings) onWarning?.(warning, { eventType, eventId });
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  async function find<T>(request: ApiRequest<T | undefined> | undefined, callOptions: CallOptions) {
    return request === undefined ? undefined : api.call(request, callOptions);
  }

  const event = (eventId: string, callOptions: CallOptions = {}) =>
    find(showEventRequest(eventId), callOptions);

  return {
    purchaseCreated: reportOf('purchase-created'),
    signupCreated: reportOf('signup-created'),
    demoAttended: reportOf('demo-attended'),
    purchaseRefunded: reportOf('purchase-refunded'),
    lookup: (code, callOptions = {}) => find(lookupRequest(code), callOptions),
    activeLink: (userId, callOptions = {}) => find(activeLinkRequest(userId), callOptions),
    event,
    waitForDecision: (eventId, { deadlineMs = limits.deadlineMs, ...callOptions } = {}) =>
      waitForDecision((left) => event(eventId, { ...callOptions, ...left }), {
        deadlineMs,
        signal: callOptions.signal,
      }),
    accessToken: (callOptions = {}) => api.accessToken(callOptions),
  };
}
