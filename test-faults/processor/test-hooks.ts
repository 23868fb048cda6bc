/** The test hooks of processor-events, as its `observe` names them. */
export const testHooks = ['received', 'kept', 'applied', 'fetched', 'appended'] as const;
export type TestHook = (typeof testHooks)[number];
