import type { TObject } from '@sinclair/typebox';
import {
  type Completed,
  createBodyValidator,
  type Refinement,
} from '@tributary/contracts/admin/body-validator';
import { maxViolations, type Violation } from '@tributary/contracts/violation';
import { Refusal } from './refusal.ts';

/**
 * A reader of one request body: gives the typed value or refuses with every mistake at once.
 *
 * @throws {Refusal} VALIDATION_ERROR
 */
export function createBodyReader<S extends TObject>(
  schema: S,
  refine?: Refinement<S>,
): (body: unknown) => Completed<S> {
  const validate = createBodyValidator(schema, refine);

  return (body) => {
    const validation = validate(body);
    if ('value' in validation) return validation.value;
    throw refusalOf(validation.violations);
  };
}

export function refusalOf(violations: readonly Violation[]): Refusal {
  const errors = violations.slice(0, maxViolations);
  if (errors.length === violations.length) return new Refusal('VALIDATION_ERROR', { errors });
  const detail = `The request breaks the contract; the first ${errors.length} of ${violations.length} violations are listed.`;
  return new Refusal('VALIDATION_ERROR', { errors, detail });
}
