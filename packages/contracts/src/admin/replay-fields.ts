import { Type } from '@sinclair/typebox';
import { orDefault } from './body-validator.ts';
import { by } from './operator-note.ts';

/** Who asks, where it need not be said. */
export const replayBy = orDefault(by, 'operator');

/** By which rules a generation folds; left out: the newest. */
export const foldVersion = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }));
