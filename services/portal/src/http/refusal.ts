import { type ProblemCode, problemCatalogue } from '@tributary/contracts/problem';
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

export function statusOf({ code, about: { status, allow } }: Refusal): number {
  return status ?? (allow === undefined ? problemCatalogue[code].status : 405);
}

export type RefusalAbout = {
  detail?: string;
  errors?: readonly Violation[];
  /** Only where a code has a second status: 415 of MALFORMED_JSON. */
  status?: number;
  /** The methods of a path, when another one was used; makes the answer a 405. */
  allow?: string;
  /** Where the browser of somebody who cannot read a problem is sent. */
  location?: string;
  /** When what was asked for too often may be asked for again. */
  retryAfterSeconds?: number;
};
