import { type Asked, type OperationName, urlOf } from '@tributary/admin-client/create-admin-client';
import { routes } from '@tributary/admin-client/generated/routes.gen';

/** A request as a line for a shell, which quotes whatever an id may hold. */
export function curlLine(name: OperationName, asked: Asked, origin: string): string {
  const [method] = routes[name];
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $TRIBUTARY_API_TOKEN"',
    ...(asked.body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(asked.body))}`]),
    quoted(origin + urlOf(name, asked)),
  ];
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
