import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type { Deployment } from '../commands/deployment.ts';
import { type Recheck, recheckDomains } from '../commands/prove-domain.ts';
import type { ProofFinder } from '../endpoint/find-proof.ts';

/** Sees to it that a domain stays proved only while its proof is found. */
export function createDomainChecks(options: {
  deployment: Deployment;
  proofs: ProofFinder;
  logger: Logger;
  recheckEveryMs: number;
  graceMs: number;
  onResult: (result: Recheck['result']) => void;
  everyMs?: number;
}): Repeater {
  const { deployment, proofs, logger, recheckEveryMs, graceMs, onResult } = options;
  return createRepeater({
    everyMs: options.everyMs ?? 60_000,
    work: async (stopping) => {
      while (!stopping()) {
        const times = { everyMs: recheckEveryMs, graceMs };
        const results = await recheckDomains(deployment, proofs, times);
        for (const { tenantId, domain, result } of results) {
          onResult(result);
          if (result !== 'found')
            logger.warn('the proof of a domain', { tenantId, domain, result });
        }
        if (results.length === 0) return;
      }
    },
    onFailure: (error) => {
      logger.warn('proofs of domains could not be looked at; trying again', { error });
    },
  });
}
