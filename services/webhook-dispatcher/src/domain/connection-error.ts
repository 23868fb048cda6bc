import type { NoAnswer } from './outcome.ts';

/** What is known of an error of a connection. */
export type ConnectionFault = {
  code?: string | undefined;
  message?: string | undefined;
  address?: string | undefined;
  port?: number | undefined;
};

/** Which kind of failure an error of a connection stands for, and what to tell people about it. */
export function describeConnectionError(fault: ConnectionFault): {
  result: NoAnswer;
  detail: string;
} {
  const { code, address, port, message } = fault;
  const result = classifyConnectionError(code);
  const where = address === undefined ? '' : ` (${address}${port === undefined ? '' : `:${port}`})`;
  const what = (code === undefined ? undefined : explanations[code]) ?? message ?? code;
  const text = what === undefined || what === '' ? general[result] : what;
  const suffix = code === undefined || text.includes(code) ? '' : ` [${code}]`;
  return { result, detail: `${text}${where}${suffix}`.slice(0, 300) };
}

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

const timeouts = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
const dnsErrors = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'ENODATA']);
const refusals = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
]);
const tlsError = new RegExp(
  '^(ERR_SSL|ERR_TLS|CERT_|CRL_|ERROR_IN_C|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO|HOSTNAME_|' +
    'INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_)',
);

const general: Record<NoAnswer, string> = {
  timeout: 'no connection in time',
  refused: 'no connection was possible',
  reset: 'the connection broke off before an answer',
  dns_error: 'the name could not be looked up',
  tls_error: 'no secure connection was possible',
  blocked: 'the address is not allowed',
};

/** Where the library's own words say too little. */
const explanations: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections there',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: general.timeout,
  UND_ERR_CONNECT_TIMEOUT: general.timeout,
  ECONNRESET: general.reset,
  EPIPE: general.reset,
  UND_ERR_SOCKET: general.reset,
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is from an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'a certificate between the receiver and its authority is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an authority that is not known',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not speak TLS',
};
