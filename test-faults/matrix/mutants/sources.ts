import type { Mutant } from './mutant.ts';

const openSession = 'services/widget/src/commands/open-session.ts';
const sessionRecords = 'services/widget/src/commands/session-records.ts';
const receiveRoute = 'services/processor-events/src/http/receive-route.ts';
const signature = 'services/processor-events/src/stripe/signature.ts';

/** From a user's browser, and from Stripe, to the log. */
export const sources: readonly Mutant[] = [
  {
    name: 'boot-before-append',
    breaks: 'a boot of the widget is answered before the brokers have what it brought',
    ...{ row: 'kill-kafka', promises: [1], file: openSession },
    from: '      await appender.append(recordsOf(news, user, { topics, now }));',
    to: '      void appender.append(recordsOf(news, user, { topics, now })).catch(() => undefined);',
  },
  {
    name: 'boot-without-details',
    breaks: 'the names that a boot gives are not written down',
    ...{ row: 'kill-widget', promises: [1], file: openSession },
    from: '      person: newDetailsOf(boot.productUserDetails, view.person),',
    to: '      person: newDetailsOf({}, view.person),',
  },
  {
    name: 'code-by-chance',
    breaks: 'each process of the widget gives a user another code',
    ...{ row: 'kill-widget', promises: [2, 3], file: openSession },
    from: 'deriveUcc(uccKey, { tenantId, campaignId, productUserId, generation: 1 });',
    to: `deriveUcc(uccKey, {
      ...{ tenantId, campaignId, productUserId },
      generation: 1 + Math.floor(Math.random() * 9),
    });`,
  },
  {
    name: 'signup-at-each-boot',
    breaks: 'each boot that finds no decided signup makes another one',
    ...{ row: 'kill-widget', promises: [2, 3], file: sessionRecords },
    from: "eventId: derivedId('widget-signup', tenantId, userId),",
    to: "eventId: derivedId('widget-signup', tenantId, userId, receivedAt),",
  },
  {
    name: 'any-token-opens',
    breaks: 'the signature of a token of the widget is not looked at',
    ...{ row: 'kill-widget', promises: [2, 11] },
    file: 'packages/http/src/widget-token.ts',
    from: 'if (!isSigned(token, keyOf(tenantId, secret.sealedSecret))) {',
    to: 'if (!isSigned(token, keyOf(tenantId, secret.sealedSecret)) && token.length === 0) {',
  },
  {
    name: 'recovered-is-paid',
    breaks: 'what a signup earns that only a browser reported waits for nobody',
    ...{ row: 'kill-widget', promises: [5] },
    file: 'packages/attribution-fold/src/domain/try-code.ts',
    from: "  if (noteRecovery(trial, fact, question, revision, context)) review.push('recovered-signup');\n",
    to: '  noteRecovery(trial, fact, question, revision, context);\n',
  },
  {
    name: 'stripe-before-append',
    breaks: 'an event of Stripe is acknowledged before the brokers have it',
    ...{ row: 'kill-kafka', promises: [1], file: receiveRoute },
    from: '      await append(record);',
    to: '      void append(record).catch(() => undefined);',
  },
  {
    name: 'old-signature-taken',
    breaks: 'an event of Stripe is taken however long ago it was signed',
    ...{ row: 'kill-processor-events', promises: [2], file: signature },
    from: "  if (!secrets.some(inTime)) return refused('too-old');",
    to: "  if (!secrets.some(inTime) && text === '') return refused('too-old');",
  },
  {
    name: 'any-signature-taken',
    breaks: 'an event of Stripe is taken whoever signed it',
    ...{ row: 'kill-processor-events', promises: [2], file: signature },
    from: '    return signature.verifyHeader(text, header, secret, tolerance, undefined, receivedAt);',
    to: `    if (tolerance === noTolerance) return true;
    return Math.floor((receivedAt ?? 0) / 1_000) - Number(/t=(\\d+)/.exec(header)?.[1]) <= tolerance;`,
  },
  {
    name: 'repeat-answered-otherwise',
    breaks: 'an event of Stripe that was seen before gets another answer',
    ...{ row: 'kill-processor-events', promises: [3], file: receiveRoute },
    from: "      metrics.received('repeated');\n      return sendJson(res, 200, answer);",
    to: "      metrics.received('repeated');\n      return sendJson(res, 200, { ...answer, repeated: true });",
  },
  {
    name: 'refund-is-all-so-far',
    breaks: 'a refund at Stripe is reported with what was refunded so far',
    ...{ row: 'kill-processor-events', promises: [1] },
    file: 'services/processor-events/src/domain/map-charge.ts',
    from: 'const amount = contractAmount(sum - counted);',
    to: 'const amount = contractAmount(sum);',
  },
  {
    name: 'fact-at-each-look',
    breaks: 'an invoice that is told again is another purchase',
    ...{ row: 'kill-processor-events', promises: [1, 2] },
    file: 'services/processor-events/src/domain/facts.ts',
    from: "derivedId('processor-fact', about.tenantId, 'purchase', objectId);",
    to: "derivedId('processor-fact', about.tenantId, 'purchase', objectId, about.receivedAt);",
  },
];
