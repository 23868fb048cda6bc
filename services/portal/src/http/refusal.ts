import type { ProblemCode } from '@tributary/contracts/problem';
import type { Violation } from '@tributary/contracts/violation';

/** A request that is answered with a problem. Raised by HTTP code only, never by a command. */
export class Refusal extends Error {
  readonly code: ProblemCode;
  readonly about: RefusalAbout;
  constructor(code: ProblemCode, about: RefusalAbout = {}) {
    super(about.detail ?? code);
    this.name = 'Refusal';
    this.code = code;
    this.about = about;
  }
}

export type RefusalAbout = {
  detail?: string;
  errors?: readonly Violation[];
  /** Only where a code has a second status: 415 of MALFORMED_JSON. */
  status?: number;
  /** The methods of a path, when another one was used; makes the answer a 405. */
  allow?: string;
};
