import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

export type NoAnswer = Exclude<DeliveryRecord['result'], 'status' | 'no-endpoint'>;

/** What came back, as far as it is kept: the body is cut, secrets are removed. */
export type Answer = {
  statusCode: number;
  headers: readonly (readonly [string, string])[];
  body: string;
  /** The body was longer than what is kept of it. */
  cut: boolean;
};

/** How one exchange with an endpoint ended. */
export type ExchangeEnd =
  | { end: 'answered'; statusCode: number; retryAfter?: string; answer: Answer }
  | { end: 'no-answer'; result: NoAnswer; detail?: string };

export type Evaluation = {
  delivered: boolean;
  result: DeliveryRecord['result'];
  statusCode?: number;
  detail?: string;
};

/**
 * Only a 2xx is a delivery (interface 6.1 rule 5). Everything else is retried: a redirect or a 410
 * may be a misconfigured receiver, and a retry is what its owner expects once that is mended.
 */
export function evaluateExchange(exchange: ExchangeEnd): Evaluation {
  switch (exchange.end) {
    case 'answered': {
      const { statusCode } = exchange;
      const delivered = statusCode >= 200 && statusCode <= 299;
      return { delivered, result: 'status', statusCode };
    }
    case 'no-answer': {
      const { result, detail } = exchange;
      return { delivered: false, result, ...(detail !== undefined && { detail }) };
    }
    default:
      return exchange satisfies never;
  }
}
