import type { DeliveryRecord } from '@tributary/contracts/delivery-record';

/** How one exchange with a customer's endpoint ended. */
export type ExchangeEnd =
  | { end: 'answered'; statusCode: number; retryAfter?: string }
  | { end: 'no-answer'; result: NoAnswer };

export type NoAnswer = Exclude<DeliveryRecord['result'], 'status' | 'no-endpoint'>;

export type Judgement = {
  delivered: boolean;
  result: DeliveryRecord['result'];
  statusCode?: number;
};

/**
 * 2xx is success; everything else is tried again, redirects (never followed: they would carry the
 * credentials elsewhere) and 4xx too (interface 6.1 rule 5). The body of an answer means nothing.
 */
export function judge(exchange: ExchangeEnd): Judgement {
  switch (exchange.end) {
    case 'answered': {
      const { statusCode } = exchange;
      return { delivered: statusCode >= 200 && statusCode < 300, result: 'status', statusCode };
    }
    case 'no-answer':
      return { delivered: false, result: exchange.result };
    default:
      return exchange satisfies never;
  }
}
