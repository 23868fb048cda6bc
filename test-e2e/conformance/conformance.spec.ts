import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import type { Demo } from '../../deploy/demo/demo-file.ts';
import { tokenFor } from '../calls.ts';
import { sharedDemo } from '../shared-stack.ts';
import type { Case } from './case.ts';
import { costlyTexts } from './cases/costly-cases.ts';
import { currencyCases, mislabelledCurrencies } from './cases/currency-cases.ts';
import { dateTimeCases, mislabelledDateTimes } from './cases/date-time-cases.ts';
import { emailCases, mislabelledEmails } from './cases/email-cases.ts';
import { integerCases, keyLengthCases, lengthCases } from './cases/field-cases.ts';
import * as headers from './cases/header-cases.ts';
import * as json from './cases/json-cases.ts';
import * as naughty from './cases/naughty-cases.ts';
import { keyTaking, precedence } from './cases/precedence-cases.ts';
import { randomBodies } from './cases/random-bodies.ts';
import { eventPaths, lookUpPaths, methods } from './cases/route-cases.ts';
import { emptyBodies, sizes } from './cases/size-cases.ts';
import * as structure from './cases/structure-cases.ts';
import type { Caller } from './event-request.ts';
import { runCases } from './run-cases.ts';

/**
 * What the contract and section 8 of the design say of the v2 events, held against the running
 * system by an oracle that shares no line with it (oracle/). Cases go out byte for byte; each
 * answer is validated whole: status, code, every violation in order, warnings, headers, closed
 * shapes.
 */
const sets: Record<string, (caller: Caller) => Case[]> = {
  'reads what is JSON and refuses what is none': json.wholeBodies,
  'validates any JSON text as a value': json.textsAsValues,
  'validates any JSON string as a name': json.textsAsNames,
  'takes the date-times of RFC 3339 and no others (2.2)': dateTimeCases,
  'takes the mailboxes of RFC 5321 and no others (2.3)': emailCases,
  'takes the codes of ISO 4217 and no others (2.4)': currencyCases,
  'validates integers by how they are written (4.1 rule 2)': integerCases,
  'counts code points and trims nothing (8)': lengthCases,
  'trims keys and counts what is left (4.1 rule 7)': keyLengthCases,
  'takes naughty strings for the text they are': naughty.naughtyValues,
  'takes naughty names for unknown ones (4.1 rule 1)': naughty.naughtyNames,
  'takes almost known names for unknown ones (4.1 rule 1)': naughty.almostKnownNames,
  'reads keys as UTF-8 in header and body (design 8)': naughty.keysInBothForms,
  'finds no code of a naughty name (4.5)': naughty.lookedUpCodes,
  'validates every member of every event, absent and of every type (2.1 to 2.5)':
    structure.memberCases,
  "knows none of the other events' members (4.2)": structure.foreignMembers,
  'lists all that a poor body lacks (2.9)': structure.poorBodies,
  'lists several violations in order (2.8)': structure.severalMistakes,
  'lists 20 violations and says when there were more (2.8)': structure.manyViolations,
  'leads from legacy names to those of this contract (2.9)': structure.legacyNames,
  'takes JSON in UTF-8 alone (design 8, 415)': headers.mediaTypes,
  'takes one bearer token (5)': headers.authorizations,
  'takes one idempotency key (4.1 rules 7 and 10)': headers.idempotencyKeys,
  'takes no key that is no text': headers.keysOfNoText,
  'tells of a bad key with what is wrong in the body': headers.badKeysAndBodies,
  'knows its paths byte for byte (4.2)': eventPaths,
  'serves POST alone (design 8, 405)': methods,
  'finds nothing at weird look-ups (4.5)': lookUpPaths,
  'takes the key that the next ones come with': keyTaking,
  'tells the first of several flaws (design 8, "Precedence")': precedence,
  'takes 64 KiB and not a byte more (design 8, 413)': sizes,
  'reads no JSON from no body': emptyBodies,
};

const randomCount = 2_500;

describe('conformance of the v2 events', () => {
  let demo: Demo;
  let caller: Caller;
  let sent = 0;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    caller = { token: await tokenFor(demo, demo.tenants[0]!) };
  });

  after(() => console.log(`    ${sent} conformance cases`));

  async function run(cases: readonly Case[]): Promise<void> {
    sent += cases.length;
    expect(cases).to.not.have.length(0);
    const deviations = await runCases(demo.baseUrl, cases);
    expect(deviations.slice(0, 20), `${deviations.length} deviations`).to.deep.equal([]);
  }

  it('labels every text by hand as the oracle reads it', () => {
    expect(json.mislabelledTexts()).to.deep.equal([]);
    expect(mislabelledDateTimes()).to.deep.equal([]);
    expect(mislabelledEmails()).to.deep.equal([]);
    expect(mislabelledCurrencies()).to.deep.equal([]);
  });

  for (const [fact, cases] of Object.entries(sets)) {
    it(fact, () => run(cases(caller)));
  }

  it('answers costly texts as fast as others', async () => {
    const startedAt = performance.now();
    await run(costlyTexts(caller));
    expect(performance.now() - startedAt).to.be.below(10_000);
  });

  it(`answers ${randomCount} random bodies as the oracle foretells`, async function () {
    this.timeout(120_000);
    await run(randomBodies(caller, testSeed, randomCount));
  });
});
