import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { brokenRules, summary } from './report.ts';
import { patiently } from '../testing/fake-service.ts';
import { type Broken, credentials, startReceiver } from './testing/receiver.ts';
import { verifyEndpoint } from './verify-endpoint.ts';

describe('verifyEndpoint', () => {
  async function verify(broken: Broken = {}, timeoutMs = patiently(5_000)) {
    const receiver = await startReceiver(broken);
    try {
      const verification = await verifyEndpoint({
        ...{ url: receiver.url, environment: 'sandbox', productUserId: 'tester', timeoutMs },
        ...{ credentials, newId: randomUUID, now: () => new Date(), onResult: () => undefined },
      });
      return { ...receiver, verification, broken: brokenRules(verification) };
    } finally {
      await receiver.stop();
    }
  }

  it('passes a receiver that keeps the rules, and says what it was granted', async () => {
    const { verification, granted } = await verify();
    expect(verification.results.filter(({ passed }) => !passed)).to.deep.equal([]);
    expect(verification).to.include({ passed: true });
    expect(verification.granted)
      .to.have.length(2)
      .and.to.have.members([...granted]);
    expect(verification.perhapsGranted).to.deep.equal([]);
    expect([...new Set(verification.results.map(({ rule }) => rule))]).to.have.members([
      1, 2, 3, 4, 5,
    ]);
    expect(summary(verification, 'tester'))
      .to.contain('cannot be seen from outside')
      .and.contain('"tester" was granted 2 credits');
  });

  it('sends what the service sends: method, headers and one body for every attempt (6.1)', async () => {
    const { requests, verification } = await verify();
    for (const { headers } of requests) {
      expect(headers).to.include({
        'content-type': 'application/json; charset=utf-8',
        'x-service-env': 'sandbox',
        'user-agent': 'Tributary-Webhooks/1.0',
      });
    }
    const [first = ''] = verification.granted;
    const withRight = requests.filter(
      ({ headers, body }) =>
        body.includes(first) &&
        headers.authorization === `Basic ${Buffer.from('acme:a:sécret').toString('base64')}`,
    );
    expect(withRight.map(({ headers }) => headers['x-tributary-attempt'])).to.deep.equal([
      '1',
      '2',
    ]);
    expect(withRight[0]!.body).to.equal(withRight[1]!.body);
    expect(JSON.parse(withRight[0]!.body)).to.deep.include({
      version: '1.0.0',
      eventType: 'new-reward',
      eventId: first,
    });
  });

  const mutants: [rule: number, name: string, broken: Broken][] = [
    [1, 'asks for no credentials', { isStranger: () => false }],
    [
      1,
      'compares the user name alone',
      { isStranger: (_, given) => !decoded(given).startsWith('acme:') },
    ],
    [
      1,
      'compares the password alone',
      { isStranger: (_, given) => !decoded(given).endsWith(':a:sécret') },
    ],
    [
      1,
      'compares as far as the given text goes',
      {
        isStranger: (right, given) =>
          given === '' || !decoded(right).startsWith(decoded(given)) || decoded(given).length < 4,
      },
    ],
    [
      1,
      'compares as far as the right text goes',
      { isStranger: (right, given) => !decoded(given).startsWith(decoded(right)) },
    ],
    [
      1,
      'takes any scheme',
      { isStranger: (right, given) => right.split(' ')[1] !== given.split(' ')[1] },
    ],
    [
      1,
      'lets in who sends no header',
      { isStranger: (right, given) => given !== '' && given !== right },
    ],
    [
      1,
      'lets in who sends a header that is cut off',
      { isStranger: (right, given) => given !== 'Basic' && given !== right },
    ],
    [
      1,
      'lets in who sends what is not base64',
      { isStranger: (right, given) => !given.includes('%') && given !== right },
    ],
    [
      1,
      'lets in an empty password',
      { isStranger: (right, given) => decoded(given) !== 'acme:' && given !== right },
    ],
    [
      1,
      'forgets the colon',
      {
        isStranger: (right, given) =>
          decoded(right).replaceAll(':', '') !== decoded(given).replaceAll(':', ''),
      },
    ],
    [1, 'refuses strangers with 403', { strangerStatus: 403 }],
    [1, 'refuses strangers with a redirect', { strangerStatus: 302 }],
    [
      1,
      'reads the body before the credentials',
      { before: (body) => (isJson(body) ? undefined : 400) },
    ],
    [
      1,
      'looks for repeated events before the credentials',
      {
        before: (body, granted) => ([...granted].some((id) => body.includes(id)) ? 200 : undefined),
      },
    ],
    [
      2,
      'refuses other eventTypes',
      { otherKind: ({ eventType }) => (eventType === 'new-reward' ? undefined : 400) },
    ],
    [
      2,
      'refuses other rewardTypes',
      { otherKind: ({ eventType }) => (eventType === 'new-reward' ? 422 : undefined) },
    ],
    [2, 'redirects other events', { otherKind: () => 301 }],
    [
      2,
      'asks other eventTypes for the fields of rewards',
      { otherKind: ({ data }) => ('note' in (data as object) ? 400 : undefined) },
    ],
    [
      2,
      'asks other rewardTypes for the fields of credits',
      { otherKind: ({ data }) => ('card' in (data as object) ? 400 : undefined) },
    ],
    [2, 'takes no body above 8 KiB', { limitBytes: 8_192 }],
    [3, 'refuses mistakes with 422', { mistakeStatus: 422 }],
    [3, 'ignores mistakes with 200', { mistakeStatus: 200 }],
    [3, 'fails on mistakes with 500', { mistakeStatus: 500 }],
    ...['eventId', 'rewardId', 'productUserId'].flatMap((field): [number, string, Broken][] => [
      [
        3,
        `does not ask for ${field}`,
        { isName: (value, name) => name === field || isText(value) },
      ],
      [
        3,
        `takes an empty ${field}`,
        { isName: (value, name) => (name === field && value === '') || isText(value) },
      ],
      [
        3,
        `takes a missing ${field} as null`,
        { isName: (value, name) => (name === field && value === undefined) || isText(value) },
      ],
    ]),
    [
      3,
      'takes an amount in a string',
      { isAmount: (value) => typeof value === 'number' || typeof value === 'string' },
    ],
    [3, 'takes null as 0', { isAmount: (value) => typeof value === 'number' || value === null }],
    [3, 'takes true as 1', { isAmount: (value) => typeof value === 'number' || value === true }],
    [
      3,
      'asks for no amount',
      { isAmount: (value) => typeof value === 'number' || value === undefined },
    ],
    [4, 'refuses valid events with 400', { grant: (answer) => answer(400) }],
    [4, 'fails on valid events with 500', { grant: (answer) => answer(500) }],
    [4, 'redirects valid events', { grant: (answer) => answer(307, { location: '/other' }) }],
    [4, 'refuses a repeated event with 409', { repeat: (answer) => answer(409) }],
    [4, 'fails on the same event at the same time', { racing: true }],
  ];
  for (const [rule, name, broken] of mutants) {
    it(`fails a receiver that ${name} (rule ${rule})`, async () => {
      const { verification, broken: found } = await verify(broken);
      expect(verification.passed).to.equal(false);
      expect(found, JSON.stringify(verification.results)).to.deep.equal([rule]);
    });
  }

  it('fails a receiver that refuses the right credentials, too (rule 1)', async () => {
    const { broken } = await verify({ isStranger: () => true });
    expect(broken).to.include(1);
  });

  const late: [string, Broken][] = [
    ['never answers valid events', { grant: () => undefined }],
    ['never ends its answers', { answer: (res) => res.writeHead(200).write('x') }],
  ];
  for (const [name, broken] of late) {
    it(`fails a receiver that ${name} (rule 5)`, async () => {
      const { verification, broken: found } = await verify(broken, 300);
      expect(verification).to.include({ passed: false });
      expect(found).to.deep.equal([5]);
    });
  }

  it('ends early where nothing is answered', async () => {
    const { verification, requests } = await verify({ answer: () => true }, 100);
    expect(requests).to.have.length(3);
    expect(summary(verification, 'tester')).to.contain('Ended early: too many requests');
  });

  it('says what was perhaps granted to strangers and mistakes', async () => {
    const { verification } = await verify({ isStranger: () => false });
    expect(verification.perhapsGranted).to.have.length(1);
    expect(summary(verification, 'tester')).to.contain('perhaps granted as well');
  });

  it('says where a redirect leads, and does not follow it', async () => {
    const { verification, requests } = await verify({
      answer: (res) => {
        res.writeHead(308, { location: 'http://169.254.169.254/' }).end();
        return true;
      },
    });
    const { results } = verification;
    expect(results[0]!.came).to.contain('a redirect to http://169.254.169.254/');
    expect(requests).to.have.length(results.length - 1 + 9);
  });

  it('reads no more of an answer than the service does', async () => {
    const { verification } = await verify({
      answer: (res) => {
        res.writeHead(401);
        const write = () => {
          while (!res.destroyed && res.write('x'.repeat(65_536)));
          if (!res.destroyed) res.once('drain', write);
        };
        write();
        return true;
      },
    });
    expect(verification.results[0]).to.include({ passed: true });
    expect(verification.results.at(-1)).to.include({ rule: 5, passed: true });
  });
});

function decoded(header: string): string {
  return Buffer.from(header.replace(/^Basic /, ''), 'base64').toString();
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
