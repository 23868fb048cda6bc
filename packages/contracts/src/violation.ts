import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object.ts';

/** One broken rule of a request body (interface 2.9). */
export const ViolationCode = Type.Union([
  Type.Literal('REQUIRED'),
  Type.Literal('INVALID_TYPE'),
  Type.Literal('INVALID_FORMAT'),
  Type.Literal('INVALID_ENUM'),
  Type.Literal('OUT_OF_RANGE'),
  Type.Literal('UNKNOWN_FIELD'),
]);
export type ViolationCode = Static<typeof ViolationCode>;

export const Violation = closedObject({
  /** JSON Pointer (RFC 6901) relative to the request body. */
  pointer: Type.String(),
  code: ViolationCode,
  /** What was wrong and what would be right. Never a submitted value. */
  detail: Type.String(),
});
export type Violation = Static<typeof Violation>;

/** At most this many violations are listed in one problem (interface 2.8). */
export const maxViolations = 20;
