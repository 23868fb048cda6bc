import type { DecisionTest } from '@tributary/contracts/decision-record';
import type { CalculationStep } from '@tributary/contracts/reward-record';
import type { Entitlement } from '@tributary/rewards-fold/entitlement';
import { cannotBeShortened, lengthen, marks, type Names, shorten } from './short-text.ts';

export type RewardTexts = Pick<Entitlement, 'explanation' | 'tests' | 'calculation'>;

/** Columns of its row whose content the texts repeat. Their order never changes. */
export type NamingColumns = {
  new_user_id: string | null;
  occurred_at: string | null;
  recipient_id: string;
  campaign_id: string;
  rule_id: string | null;
};

/** What is read of them: in earlier releases' rows `texts` is a list, or the explanation alone. */
export type StoredTexts = NamingColumns & {
  texts: string | TextsList | string[];
  tests: DecisionTest[] | null;
  calculation: CalculationStep[] | null;
};

/** Texts that cannot be shortened, as they have such characters themselves. */
type TextsList = [
  introduction?: readonly string[],
  tests?: readonly TestParts[],
  calculation?: readonly StepParts[],
];
type TestParts = [test: string, passed: boolean, detail: string];
type StepTexts = [step: CalculationStep['step'], told: string, credits: string, eventId: string];
type StepParts = [step: CalculationStep['step'], detail: string, credits: string, eventId?: string];

/**
 * Column `texts`: an explanation ends with the steps of the calculation, which are stored once. So
 * is what a limit says, which is a test and a step.
 * @throws when the explanation does not end with the calculation.
 */
export function textsToColumn(
  { explanation, tests, calculation }: RewardTexts,
  row: NamingColumns,
): string | TextsList {
  const introduction = explanation.slice(0, explanation.length - calculation.length);
  const told = explanation.slice(introduction.length);
  if (
    told.length !== calculation.length ||
    told.some((text, i) => text !== calculation[i]?.detail)
  ) {
    throw new Error('an explanation must end with the steps of its calculation');
  }
  const all = [...explanation, ...tests.flatMap(({ test, detail }) => [test, detail])];
  if (all.some(cannotBeShortened)) return asList(introduction, { tests, calculation });
  const limits = tests.map(({ detail }) => limitSentence(detail));
  const reference = (detail: string) => {
    const nth = limits.indexOf(detail);
    return nth < 0 ? detail : `${marks.reference}${nth}`;
  };
  const parts = [
    introduction,
    tests.flatMap(({ test, passed, detail }) => [test, passed ? '1' : '', detail]),
    calculation.flatMap(({ step, detail, credits, eventId }) => [
      ...[step, reference(detail), credits, eventId ?? ''],
    ]),
  ];
  return shorten(parts.map(listToText).join(''), namesOf(row));
}

function asList(
  introduction: readonly string[],
  { tests, calculation }: Pick<RewardTexts, 'tests' | 'calculation'>,
): TextsList {
  return [
    introduction,
    tests.map(({ test, passed, detail }) => [test, passed, detail]),
    calculation.map(({ step, detail, credits, eventId }) =>
      eventId === undefined ? [step, detail, credits] : [step, detail, credits, eventId],
    ),
  ];
}

export function textsFromRow(row: StoredTexts): RewardTexts {
  const { texts } = row;
  if (typeof texts === 'string') return fromLists(...listsOf(lengthen(texts, namesOf(row))));
  if (row.tests !== null || row.calculation !== null) {
    const { tests, calculation } = row;
    return { explanation: texts as string[], tests: tests ?? [], calculation: calculation ?? [] };
  }
  const [introduction = [], tests = [], calculation = []] = texts as TextsList;
  return fromLists(introduction, tests, calculation);
}

function listsOf(text: string): Required<TextsList> {
  const [introduction = [], tests = [], calculation = []] = text
    .split(marks.endOfList)
    .map((list) => list.split(marks.endOfPart).slice(0, -1));
  const ofTests = Array.from({ length: tests.length / 3 }, (_, i): TestParts => {
    const [test, passed, detail] = tests.slice(i * 3) as [string, string, string];
    return [test, passed === '1', detail];
  });
  const ofSteps = Array.from({ length: calculation.length / 4 }, (_, i): StepParts => {
    const [step, told, credits, eventId] = calculation.slice(i * 4) as StepTexts;
    const detail = told.startsWith(marks.reference)
      ? limitSentence(ofTests[Number(told.slice(1))]![2])
      : told;
    return eventId === '' ? [step, detail, credits] : [step, detail, credits, eventId];
  });
  return [introduction, ofTests, ofSteps];
}

function fromLists(...[introduction, tests, calculation]: Required<TextsList>): RewardTexts {
  const steps = calculation.map(([step, detail, credits, eventId]): CalculationStep => ({
    ...{ step, detail, credits },
    ...(eventId !== undefined && { eventId }),
  }));
  return {
    explanation: [...introduction, ...steps.map((step) => step.detail)],
    tests: tests.map(([test, passed, detail]) => ({ test, passed, detail })),
    calculation: steps,
  };
}

function listToText(parts: readonly string[]): string {
  return parts.map((part) => part + marks.endOfPart).join('') + marks.endOfList;
}

function namesOf(row: NamingColumns): Names {
  return [row.new_user_id, row.occurred_at, row.recipient_id, row.campaign_id, row.rule_id];
}

/** As a step says what a test says. */
function limitSentence(detail: string): string {
  return `Limit: ${detail}.`;
}
