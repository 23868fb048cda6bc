/**
 * Field names of the legacy endpoint and of its flat predecessors, and the v2 field that was
 * probably meant (interface 2.9). Names compare without case, `_` and `-`.
 */
export function legacyHint(name: string, isKnown: (field: string) => boolean): string | undefined {
  // Longer than any name in the table; keeps a hostile name from being copied about.
  if (name.length > 40) return undefined;
  const plain = name.replaceAll(/[_-]/g, '').toLowerCase();
  const sentence = sentences.get(plain);
  if (sentence !== undefined) return sentence;
  const field = fields.get(plain);
  return field !== undefined && isKnown(field) ? `${field} is probably meant` : undefined;
}

const fields = new Map(
  Object.entries({
    code: 'ucc',
    referralcode: 'ucc',
    uccode: 'ucc',
    price: 'amount',
    value: 'amount',
    total: 'amount',
    amountminor: 'amount',
    newuserid: 'newUser.id',
    userid: 'newUser.id',
    id: 'newUser.id',
    newuseremail: 'newUser.email',
    useremail: 'newUser.email',
    email: 'newUser.email',
    newusername: 'newUser.name',
    newuserfullname: 'newUser.name',
    username: 'newUser.name',
    fullname: 'newUser.name',
    firstname: 'newUser.name',
    lastname: 'newUser.name',
    name: 'newUser.name',
    organizationid: 'newUser.organizationId',
    organisationid: 'newUser.organizationId',
    timestamp: 'occurredAt',
    createdat: 'occurredAt',
    eventtime: 'occurredAt',
    date: 'occurredAt',
    currencycode: 'currency',
    invoice: 'invoiceId',
    invoiceid: 'invoiceId',
    paymentid: 'invoiceId',
    interval: 'subscription.interval',
    subscriptioninterval: 'subscription.interval',
    paymentinterval: 'subscription.interval',
    subscriptionid: 'subscription.id',
    seats: 'subscription.seatsUsed',
    seatsused: 'subscription.seatsUsed',
    productkey: 'subscription.productKey',
  }),
);

const sentences = new Map(
  Object.entries({
    eventname: 'the path of the request names the event, leave the field out',
    eventtype: 'the path of the request names the event, leave the field out',
    trigger: 'the path of the request names the event, leave the field out',
    payload:
      'the fields of the legacy payload are top-level here: ucc, newUser.id, amount, currency',
    context: 'newUser, subscription and occurredAt are top-level fields here',
    event: 'occurredAt is a top-level field here, and the path of the request names the event',
  }),
);
