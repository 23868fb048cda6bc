import type { DecisionTest } from '@tributary/contracts/decision-record';
import type { CalculationStep } from '@tributary/contracts/reward-record';
import type { Entitlement } from '@tributary/rewards-fold/entitlement';

export type RewardTexts = Pick<Entitlement, 'explanation' | 'tests' | 'calculation'>;

/** Column `texts`: an explanation ends with the steps of the calculation, which are stored once. */
export type TextsList = [
  introduction?: readonly string[],
  tests?: readonly [test: string, passed: boolean, detail: string][],
  calculation?: readonly StepList[],
];

type StepList = [step: CalculationStep['step'], detail: string, credits: string, eventId?: string];

/** What is read of it: in a row of an earlier release `texts` is the explanation. */
export type StoredTexts = {
  texts: TextsList | string[];
  tests: DecisionTest[] | null;
  calculation: CalculationStep[] | null;
};

/** @throws when the explanation does not end with the calculation. */
export function textsToList({ explanation, tests, calculation }: RewardTexts): TextsList {
  const introduction = explanation.slice(0, explanation.length - calculation.length);
  const told = explanation.slice(introduction.length);
  if (
    told.length !== calculation.length ||
    told.some((text, i) => text !== calculation[i]?.detail)
  ) {
    throw new Error('an explanation must end with the steps of its calculation');
  }
  return [
    introduction,
    tests.map(({ test, passed, detail }) => [test, passed, detail]),
    calculation.map(({ step, detail, credits, eventId }) =>
      eventId === undefined ? [step, detail, credits] : [step, detail, credits, eventId],
    ),
  ];
}

export function textsFromList(stored: StoredTexts): RewardTexts {
  if (stored.tests !== null || stored.calculation !== null) {
    const { texts, tests, calculation } = stored;
    return { explanation: texts as string[], tests: tests ?? [], calculation: calculation ?? [] };
  }
  const [introduction = [], tests = [], calculation = []] = stored.texts as TextsList;
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
