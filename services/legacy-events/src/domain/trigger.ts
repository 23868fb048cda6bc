/** What a legacy event says happened (design 8, "Legacy"). */
export type Trigger = 'new-signup' | 'invoice-paid';

export type TriggerChoice =
  { outcome: 'trigger'; trigger: Trigger } | { outcome: 'refused'; message: string };

/**
 * The trigger as sent; when there is none, a price of 0 without a currency is a signup and
 * anything else a payment. Triggers that exist but are not processed yet are refused: an event that
 * was answered with 200 and then ignored would be lost silently.
 */
export function chooseTrigger(
  sent: string | undefined,
  payment: { isZero: boolean; hasCurrency: boolean },
): TriggerChoice {
  switch (sent) {
    case undefined:
      return {
        outcome: 'trigger',
        trigger: payment.isZero && !payment.hasCurrency ? 'new-signup' : 'invoice-paid',
      };
    case 'new-signup':
    case 'invoice-paid':
      return { outcome: 'trigger', trigger: sent };
    case 'demo-call-attended':
    case 'charge-refunded':
      return {
        outcome: 'refused',
        message:
          `events with the trigger ${sent} are not processed yet; ` +
          'this one was not stored, keep it and send it again later',
      };
    default:
      return {
        outcome: 'refused',
        message:
          'context.event.trigger must be one of new-signup, demo-call-attended, ' +
          'invoice-paid, charge-refunded',
      };
  }
}
