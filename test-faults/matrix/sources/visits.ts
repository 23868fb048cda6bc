import type { Random } from '../../chain/random.ts';
import type { Customer, Submission } from '../history.ts';
import { ownerOf } from '../tenants.ts';

/** A boot of the widget in a user's browser; it may be repeated as it is. */
export type Boot = {
  tenantId: string;
  userId: string;
  details: object;
  /** By which link the user came, and when. */
  click?: { ucc: string; capturedAt: string };
  /** Its token is signed with the secret of another customer. */
  isForged: boolean;
};

/** What a user's browser does, or the customer's backend reports of that user. */
export type Visit = { boot: Boot } | { submission: Submission };

/** A user's own code, as a boot has answered it. */
export type Invite = { tenantId: string; userId: string; ucc: string };

const dayMs = 86_400_000;
/** Visits that are mixed with each other. */
const atATime = 30;

/**
 * Endless visits of users: most of them followed a link a few days before, and nobody but their
 * browser reports that they signed up. Some came by no link, by one that does not count, or are
 * reported by the customer's backend too. Boots are repeated; some are forged or broken.
 */
export function createVisits(options: {
  random: Random;
  customers: readonly Customer[];
  /** Links were followed before it; milliseconds since the epoch. */
  nowMs: number;
  personalCanary: string;
  /** Codes of users who booted before. */
  invites: readonly Invite[];
}) {
  const { random, customers, nowMs, personalCanary, invites } = options;
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
  const waiting: Visit[] = [];
  let users = 0;

  function next(): Visit {
    while (waiting.length < atATime) waiting.push(...userOf(pick(customers)));
    return waiting.splice(random.below(waiting.length), 1)[0]!;
  }

  function userOf(customer: Customer): Visit[] {
    const { tenantId } = customer;
    if (random.happens(0.1)) return [{ boot: referrersBoot(customer) }];
    const userId = `mx.${tenantId}.w${++users}`;
    const fresh = freshClick(customer);
    const boot: Boot = { tenantId, userId, details: detailsOf(users), isForged: false };
    if (random.happens(0.1)) return [{ boot: { ...boot, click: fresh, isForged: true } }];
    if (random.happens(0.05)) {
      return [{ boot: { ...boot, click: fresh, details: { ...boot.details, surprise: true } } }];
    }
    const click = random.happens(0.7) ? fresh : otherClick(customer);
    const visits: Visit[] = Array.from({ length: 1 + random.below(3) }, () => ({
      boot: { ...boot, ...(click !== undefined && { click }) },
    }));
    const { ucc } = fresh;
    if (random.happens(0.2)) visits.push(reportOf(boot, 'signup-created', { ucc }));
    if (random.happens(0.3)) {
      visits.push(reportOf(boot, 'purchase-created', { ucc, ...paymentOf(userId) }));
    }
    return visits;
  }

  /** They have a code of an operator's choice, and see what they have earned. */
  function referrersBoot(customer: Customer): Boot {
    const userId = ownerOf(customer, pick(steadyCodes(customer)));
    return { tenantId: customer.tenantId, userId, details: {}, isForged: false };
  }

  function detailsOf(n: number): object {
    return {
      ...{ firstName: personalCanary, lastName: `${personalCanary}${n}` },
      ...{ fullName: `${personalCanary} ${n}`, email: `${personalCanary}w${n}@people.example` },
    };
  }

  /** The last one is disabled and enabled again by operators. */
  function steadyCodes({ codes }: Customer): readonly string[] {
    return codes.slice(0, -1);
  }

  function freshClick(customer: Customer): { ucc: string; capturedAt: string } {
    const known = invites.filter(({ tenantId }) => tenantId === customer.tenantId);
    const isByUser = known.length > 0 && random.happens(0.3);
    return clicked(isByUser ? pick(known).ucc : pick(steadyCodes(customer)), 1 + random.below(6));
  }

  function otherClick(customer: Customer): Boot['click'] | undefined {
    const { codes } = customer;
    return pick([
      undefined,
      clicked(pick(codes), 8 + random.below(20)),
      clicked(`nobody-w${users}`, 1),
      clicked(codes[codes.length - 1]!, 1),
    ]);
  }

  function clicked(ucc: string, daysAgo: number): { ucc: string; capturedAt: string } {
    return { ucc, capturedAt: new Date(nowMs - daysAgo * dayMs + dayMs / 2).toISOString() };
  }

  function paymentOf(userId: string): object {
    const currency = pick(['EUR', 'USD', 'JPY']);
    return { invoiceId: `${userId}.i`, currency, amount: 1_000 + random.below(9_000) };
  }

  function reportOf({ tenantId, userId }: Boot, type: string, fact: object): Visit {
    const occurredAt = new Date(nowMs - random.below(dayMs)).toISOString();
    const body = JSON.stringify({ ...fact, occurredAt, newUser: { id: userId } });
    return { submission: { tenantId, path: `/v2/events/${type}`, body } };
  }

  return { next };
}
