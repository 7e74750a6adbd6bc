import type { Refusal, Veto } from '../../../core/errors/index.js'
import type { Identity, Principal } from '../../../core/identity/index.js'
import { type OrderOperationName, orderOperation } from '../../../core/orders/index.js'

const ENDED: Readonly<Record<Principal['credential'], Refusal>> = {
  session: { code: 'unauthenticated', message: 'The session has ended; nothing more is sent for it.' },
  access_token: {
    code: 'unauthenticated',
    message: 'The token was revoked or has expired; nothing more is sent for it.',
  },
  api_key: {
    code: 'invalid_key',
    message: 'The API key was replaced; nothing more is sent with the old one.',
  },
}

/** Returns the check that objects once the session, token or key of a principal has ended. */
export function lostRightOf(identity: Pick<Identity, 'isCurrent'>, principal: Principal): Veto {
  return () => (identity.isCurrent(principal) ? undefined : ENDED[principal.credential])
}

/**
 * Returns the check of {@link lostRightOf} for a request on orders. Undefined for one that cancels or closes: half of it
 * would leave more risk than all of it.
 */
export function lostRightFor(
  operation: OrderOperationName,
  identity: Pick<Identity, 'isCurrent'>,
  principal: Principal,
): Veto | undefined {
  return orderOperation(operation)?.lowersRisk === 'always' ? undefined : lostRightOf(identity, principal)
}
