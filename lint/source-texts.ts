import { readFile } from 'node:fs/promises';
import { glob } from 'node:fs/promises';
import ts from 'typescript';

/** Files of the tree below `root` by glob, as paths relative to it. */
export async function listFiles(root: string, patterns: readonly string[]): Promise<string[]> {
  const exclude = (name: string) => name.split('/').at(-1) === 'node_modules';
  const found: string[] = [];
  for await (const file of glob(patterns, { cwd: root, exclude })) found.push(file);
  return found.sort();
}

/**
 * The texts that a TypeScript file spells: its string and template literals, without comments. The
 * holes of a template read `${}`.
 */
export async function readLiterals(file: string): Promise<string[]> {
  return literalsOf(await readFile(file, 'utf8'));
}

export function literalsOf(code: string): string[] {
  const source = ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head, ...node.templateSpans.map((span) => span.literal)].map(textOf).join('${}'),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function textOf(part: ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail): string {
  return part.text;
}
