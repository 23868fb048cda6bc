import { relative, sep } from 'node:path';
import { findFenceBroken } from './import-fence.ts';

// The fence as an ESLint rule: every way in which a file can name another one.

type Node = { source?: { value?: unknown } | null };
type Context = {
  filename: string;
  cwd: string;
  report: (problem: { node: Node; message: string }) => void;
};

export const importFence = {
  meta: { type: 'problem', schema: [] },
  create(context: Context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/');
    const check = (node: Node): void => {
      const source = node.source?.value;
      if (typeof source !== 'string') return;
      const message = findFenceBroken(file, source);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};
