import {
  type QueryOf,
  type QueryParameters,
  validateQuery,
} from '@tributary/contracts/admin/query-parameters';
import { maxViolations } from '@tributary/contracts/violation';
import { Refusal } from './refusal.ts';

/** @throws {Refusal} VALIDATION_ERROR */
export function readQuery<P extends QueryParameters>(search: string, parameters: P): QueryOf<P> {
  const validation = validateQuery(search, parameters);
  if ('value' in validation) return validation.value;
  throw new Refusal('VALIDATION_ERROR', {
    detail: 'The query parameters of the request are not valid; see errors.',
    errors: validation.violations.slice(0, maxViolations),
  });
}
