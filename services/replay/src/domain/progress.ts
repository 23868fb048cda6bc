import type { Static } from '@sinclair/typebox';
import type { Progress as DeclaredProgress } from '@tributary/contracts/admin/replay-answers';

/** What a long piece of work reports of itself while it runs. */
export type Progress = Static<typeof DeclaredProgress>;
