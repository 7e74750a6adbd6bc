import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import type { PnlTracker } from '../../../core/pnl/index.js'
import type { Caller } from '../../http/caller.js'
import type { Handlers } from '../../http/handlers.js'
import { HttpRefusal } from '../../http/response/error-status.js'

interface PnlParts {
  pnl: Pick<PnlTracker, 'today'>
  brokers: { connected(): boolean }
  identity: { apiKeys: Pick<Identity['apiKeys'], 'has'> }
}

const NO_KEY = 'API key not configured. Please generate an API key in /apikey'

/** Returns the handlers of the P&L tracker. */
export function pnlHandlers({ brokers, identity, pnl }: PnlParts) {
  const today = async (_input: unknown, { username }: Caller) => {
    if (!brokers.connected()) throw new ServiceError('refused', 'Broker not set in session')
    if (!identity.apiKeys.has(username)) throw new HttpRefusal('forbidden', NO_KEY, 401)
    return { status: 'success' as const, data: await pnl.today(username) }
  }
  return {
    'GET /pnl-tracker': today,
    'POST /pnltracker/api/pnl': today,
  } satisfies Partial<Handlers>
}
