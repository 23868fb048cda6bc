export type Difference = {
  pointer: string;
  kind: 'added' | 'removed' | 'changed';
  before?: string;
  after?: string;
};

/**
 * How two revisions differ, member by member. Rules are told apart by their id, so that one that
 * moved or was put in front is not a change of all that follow.
 */
export function diffOf(before: unknown, after: unknown, pointer = ''): Difference[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => diffOf(before[key], after[key], `${pointer}/${key}`));
  }
  if (areRules(before) && areRules(after)) {
    return diffOf(byRuleId(before), byRuleId(after), pointer);
  }
  const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
  if (was === is) return [];
  if (was === undefined) return [{ pointer, kind: 'added', after: is }];
  if (is === undefined) return [{ pointer, kind: 'removed', before: was }];
  return [{ pointer, kind: 'changed', before: was, after: is }];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function areRules(value: unknown): value is { ruleId: string }[] {
  return Array.isArray(value) && value.every(hasRuleId);
}

function hasRuleId(value: unknown): value is { ruleId: string } {
  return isRecord(value) && typeof value['ruleId'] === 'string';
}

function byRuleId(rules: readonly { ruleId: string }[]): Record<string, unknown> {
  return Object.fromEntries(rules.map((rule) => [rule.ruleId, rule]));
}
