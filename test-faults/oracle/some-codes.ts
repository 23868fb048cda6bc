import type { CodeRecord } from '@tributary/contracts/code-record';
import fc from 'fast-check';
import { dayText, logTimes, mostly, noon } from './moments.ts';
import { campaignIds, customCodes, derivedCodes, people } from './names.ts';

export function plainCodes(tenantId: string): fc.Arbitrary<CodeRecord[]> {
  return fc
    .tuple(...derivedCodes.map(() => fc.constantFrom('u1', 'u2', 'busy', 'busy')))
    .map((owners) =>
      derivedCodes.map((ucc, i) => issued(tenantId, ucc, owners[i]!, 'c1', dayText(-9, noon))),
    );
}

export function trickyCodes(tenantId: string): fc.Arbitrary<CodeRecord[]> {
  const histories = [...derivedCodes, ...customCodes].map((ucc) =>
    fc
      .record({
        exists: mostly([true], [false], 12),
        owner: fc.constantFrom(...people),
        campaignId: mostly(['c1'], campaignIds, 3),
        at: fc.oneof(early, early, logTimes),
        isDisabled: mostly([false], [true], 6),
        disabledAt: logTimes,
        isIssuedAgain: mostly([false], [true], 6),
        againAt: logTimes,
      })
      .map(({ exists, owner, campaignId, at, isDisabled, disabledAt, ...more }): CodeRecord[] => {
        const { isIssuedAgain, againAt } = more;
        if (!exists) return [];
        const issue = issued(tenantId, ucc, owner, campaignId, at);
        const disabled = { ...issue, type: 'code-disabled', version: 2, at: disabledAt } as const;
        // Issued again it is enabled again, and still of who had it first.
        const again = { ...issue, version: 3, productUserId: 'late', at: againAt };
        // In any order of their times, as when the clock of the portal is wrong for a while.
        return [issue, ...(isDisabled ? [disabled] : []), ...(isIssuedAgain ? [again] : [])];
      }),
  );
  return fc.tuple(...histories).map((records) => records.flat());
}

const early = fc.constant(dayText(-9, noon));

function issued(
  tenantId: string,
  ucc: string,
  productUserId: string,
  campaignId: string,
  at: string,
): CodeRecord {
  const what = { schemaVersion: 1, type: 'code-issued', version: 1 } as const;
  return { ...what, tenantId, ucc, campaignId, productUserId, at };
}
