import type { NotDone } from '../catalog/commands/ask-processor.ts';
import type { ConnectOutcome } from '../catalog/commands/connect-processor.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { webhookUrlOf } from '../catalog/commands/describe-processor.ts';
import type { DisconnectOutcome } from '../catalog/commands/disconnect-processor.ts';
import type { RepairOutcome } from '../catalog/commands/repair-processor.ts';
import type { RotateProcessorOutcome } from '../catalog/commands/rotate-processor.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant } from './route.ts';

/** Everything that is not done about a connection. */
export type ConnectionRefusal = Exclude<
  ConnectOutcome | RotateProcessorOutcome | RepairOutcome | DisconnectOutcome,
  { outcome: 'connected' | 'rotated' | 'repaired' | 'disconnected' }
>;

/** Why, and what to do about it. */
export function refuseConnection(deployment: Deployment, refused: ConnectionRefusal): Refusal {
  switch (refused.outcome) {
    case 'no-tenant':
      return noSuchTenant();
    case 'no-connection':
      return noSuchConnection();
    case 'busy':
      return conflict('Another request is changing this connection right now; try again.');
    case 'not-active':
      return conflict(
        refused.status === 'opening'
          ? 'This connection is not open yet: connect again with the same key.'
          : 'This connection is disconnected: connect the account again.',
      );
    case 'other-mode':
      return conflict(
        deployment.environment === 'prod'
          ? 'This is a test key, and this deployment accepts live payments; connect with a live key.'
          : 'This is a live key, and this deployment is a sandbox; connect with a test key.',
      );
    case 'other-settings': {
      const { connectionId, apiVersion, taxPolicy } = refused.row;
      return conflict(
        `This key is connected as ${connectionId} with API version ${apiVersion} and tax policy ` +
          `${taxPolicy}, which cannot be changed. Disconnect it first.`,
      );
    }
    case 'not-opened':
      return notDone(refused.answer, howToGoOn(deployment, refused.row.connectionId));
    case 'no-secret':
      return conflict(
        `Stripe did not return the signing secret of endpoint ${refused.endpointId}. Read it in ` +
          `Stripe's dashboard, and send the request again with signingSecret.`,
      );
    case 'overlap-runs':
      return conflict(
        `Both secrets of the last rotation are valid until ${refused.until.toISOString()}; rotate again after that.`,
      );
    case 'key-in-use':
      return conflict(`This key is already connected, as ${refused.connectionId}.`);
    case 'other-account':
      return conflict(
        'The endpoint of the connection is not in the account of this key. ' +
          'Connect that account separately.',
      );
    case 'key-not-taken':
      return notDone(
        refused.answer,
        'Nothing was changed. If the endpoint is gone, too, or the account is a different one: ' +
          'disconnect with force, then connect with this key.',
      );
    case 'not-renewed':
    case 'not-checked':
      return notDone(refused.answer, 'Nothing was changed.');
    case 'not-closed':
      return notDone(
        refused.answer,
        'Nothing was changed. With force the connection ends anyway; its endpoints then ' +
          'stay at Stripe, and you must remove them in its dashboard.',
      );
    default:
      return refused satisfies never;
  }
}

function howToGoOn(deployment: Deployment, connectionId: string): string {
  const url = webhookUrlOf(deployment, connectionId);
  return (
    `Connection ${connectionId} is waiting with this key: connect again with the same key to continue, ` +
    `or disconnect it to discard the key. The URL of its endpoint is ${url}.`
  );
}

export function noSuchConnection(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no connection with this id.' });
}

function conflict(detail: string): Refusal {
  return new Refusal('CONFLICT', { detail });
}

/** In the words of processor-events, and how things stand. */
function notDone(answer: NotDone, standing: string): Refusal {
  if (answer.outcome === 'unavailable') {
    return new Refusal('SERVICE_UNAVAILABLE', { detail: `${answer.detail} ${standing}` });
  }
  const { code, detail, errors } = answer.problem;
  return new Refusal(code, { detail: `${detail} ${standing}`, ...(errors && { errors }) });
}
