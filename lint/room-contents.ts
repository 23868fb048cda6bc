import ts from 'typescript';
import { literalsOf } from './source-texts.ts';
import { roomOf } from './service-rooms.ts';

/** What belongs into another room of the service: SQL into `db`, routes into `http`. */
export function findForeign(file: string, code: string): string[] {
  const room = roomOf(file);
  if (!room || room.isTest) return [];
  return [
    ...(room.name === 'db' ? [] : sqlOf(code)),
    ...(room.name === 'http' ? [] : routesOf(code, room.name.endsWith('.ts'))),
  ];
}

/** Statements that are spelled, and calls that send one. */
function sqlOf(code: string): string[] {
  const spelled = literalsOf(code).filter((text) => statement.test(text));
  const found = spelled.map((text) => `SQL outside db: ${text.trim().slice(0, 40)}`);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (node.expression.name.text === 'query') found.push('a query outside db');
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true));
  return found;
}

const statement = new RegExp(
  String.raw`^\s*(?:select\s[^]*(?:\bfrom\b|\()|insert\s+into\s|update\s[^]*\bset\s|delete\s+from\s|` +
    String.raw`with\s[^]*\bas\s*(?:not\s+|materialized\s+)*\(|(?:create|alter|drop|truncate)\s+` +
    String.raw`(?:table|index|unique|view|schema|type)\b|set\s+(?:local|session)\s|lock\s+table\s|` +
    String.raw`(?:rollback\s+to\s+)?savepoint\s|begin\s+isolation\s|notify\s|listen\s)`,
  'i',
);

/** Routes, and whoever has a request in hand. The wiring of a service only mounts what is made. */
function routesOf(code: string, isTop: boolean): string[] {
  const source = ts.createSourceFile('x.ts', code, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
    const name = node.moduleSpecifier.text;
    const isRouter = name === 'express' || name === 'node:http';
    const isType = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    const makes = namesOf(node).some((each) => routeMakers.includes(each));
    if (makes || (isRouter && !(isTop && isType))) found.push(`a route outside http: ${name}`);
  }
  return found;
}

const routeMakers = ['declaredRoute', 'InternalRoute'];

function namesOf(node: ts.ImportDeclaration): string[] {
  const bindings = node.importClause?.namedBindings;
  if (!bindings || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
}
