/** The address of an endpoint as it may be given, or why it may not. */
export function readEndpointAddress(
  address: string,
  insecureHttp: boolean,
): { url: URL } | { mistake: string } {
  if (!URL.canParse(address)) return { mistake: `Not an http or https address: ${address}` };
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol)) {
    return { mistake: `Not an http or https address: ${address}` };
  }
  if (url.username !== '' || url.password !== '') {
    return { mistake: 'The address must have no credentials in it: give --username.' };
  }
  if (url.protocol === 'http:' && !insecureHttp) {
    return {
      mistake:
        'Rewards are sent by https alone in production. To try an http address, say ' +
        '--insecure-http.',
    };
  }
  return { url };
}
