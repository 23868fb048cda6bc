import type { Limit, RefundTerm } from '@tributary/rewards-fold/terms';
import type { StoredTerms } from '@tributary/rewards-fold/cap-counter';

/** Column `counted`: JSON has no integers of any size, so they are text. */
export type CountedJson = {
  second: number;
  wanted: string;
  scale: number;
  limits: [Limit['period'], Limit['measure'], cap: string][];
  refunds: (Omit<RefundTerm, 'left'> & { left: [string, string] })[];
  granted: string;
  entitled: string;
  rooms: (string | null)[];
  own: StoredTerms['own'];
};

type Counted = Pick<StoredTerms, 'terms' | 'grant' | 'own'>;

export function countedToJson({ terms, grant, own }: Counted): CountedJson {
  return {
    second: terms.second,
    wanted: String(terms.wanted),
    scale: terms.scale,
    limits: terms.limits.map(({ period, measure, cap }) => [period, measure, String(cap)]),
    refunds: terms.refunds.map(({ left: [part, whole], ...refund }) => ({
      ...refund,
      left: [String(part), String(whole)],
    })),
    granted: String(grant.granted),
    entitled: String(grant.entitled),
    rooms: grant.rooms.map((room) => (room === undefined ? null : String(room))),
    own,
  };
}

export function countedFromJson(rewardId: string, sortKey: string, json: CountedJson): Counted {
  return {
    terms: {
      rewardId,
      sortKey,
      second: json.second,
      wanted: BigInt(json.wanted),
      scale: json.scale,
      limits: json.limits.map(([period, measure, cap]) => ({ period, measure, cap: BigInt(cap) })),
      refunds: json.refunds.map(({ left: [part, whole], ...refund }) => ({
        ...refund,
        left: [BigInt(part), BigInt(whole)],
      })),
    },
    grant: {
      granted: BigInt(json.granted),
      entitled: BigInt(json.entitled),
      rooms: json.rooms.map((room) => (room === null ? undefined : BigInt(room))),
    },
    own: json.own,
  };
}
