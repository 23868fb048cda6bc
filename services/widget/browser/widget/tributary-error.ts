import { en } from './languages/en.ts';

export type ErrorCode =
  /** The token was refused (interface 5 rule 2). */
  | 'UNAUTHORIZED'
  /** Offline, or the service does not answer. */
  | 'UNAVAILABLE'
  /** What boot was given cannot be used; the message says why. */
  | 'INVALID_CONFIGURATION'
  /** Asked before boot, or after shutdown. */
  | 'NOT_BOOTED';

/** What the promises of the API reject with. */
export class TributaryError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = 'TributaryError';
    this.code = code;
  }
}

export function notBooted(): TributaryError {
  return new TributaryError('NOT_BOOTED', 'The referral widget is not booted. Call boot first.');
}

export function unauthorized(): TributaryError {
  return new TributaryError('UNAUTHORIZED', en['error.unauthorized']);
}

export function unavailable(): TributaryError {
  return new TributaryError('UNAVAILABLE', 'The referral service cannot be reached.');
}
