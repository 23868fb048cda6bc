import { Type } from '@sinclair/typebox';

/** By which rules a generation folds; left out: the newest. */
export const foldVersion = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }));
