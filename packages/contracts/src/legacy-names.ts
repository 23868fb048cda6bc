/**
 * Field names of the legacy endpoint and of its flat predecessors, and the v2 field that was
 * probably meant (interface 2.9). Names compare without case, `_` and `-`.
 */
export function legacyHint(name: string, isKnown: (field: string) => boolean): string | undefined {
  // Longer than any name in the table; keeps a hostile name from being copied about.
  if (name.length > 40) return undefined;
  const plain = name.replaceAll(/[_-]/g, '').toLowerCase();
  if (ofThePath.has(plain)) return 'the path of the request names the event, leave the field out';
  const moved = wrappers.get(plain)?.filter(isKnown);
  if (moved) return `what it held is at the top level here: ${moved.join(', ')}`;
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

const ofThePath = new Set(['eventname', 'eventtype', 'trigger']);

/** The objects that the legacy envelope puts around the fields. */
const wrappers = new Map([
  ['payload', ['ucc', 'newUser.id', 'amount', 'currency']],
  ['context', ['newUser', 'subscription', 'occurredAt', 'invoiceId']],
  ['event', ['occurredAt']],
]);
