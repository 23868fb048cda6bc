import type { NoAnswer } from './outcome.ts';

/** Which kind of failure an error code of a connection stands for. */
export function classifyConnectionError(code: string | undefined): NoAnswer {
  if (code === undefined) return 'reset';
  if (timeouts.has(code)) return 'timeout';
  if (dnsErrors.has(code)) return 'dns_error';
  if (refusals.has(code)) return 'refused';
  if (tlsError.test(code)) return 'tls_error';
  // What is left broke after the connection was made: ECONNRESET, EPIPE, UND_ERR_SOCKET, a
  // protocol error of the answer (HPE_…).
  return 'reset';
}

const timeouts = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
const dnsErrors = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'ENODATA']);
const refusals = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
const tlsError = /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_)/;
