import type { ChartPreferences } from '../../../core/chart/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { keyedInput } from '../../http/api-route.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { principalOf, readApiBody, readApiQuery } from '../../middleware/api-key.js'
import { chartPayload } from '../../operations/market/payloads.js'

interface ChartParts {
  identity: Identity
  chart: ChartPreferences
}

/** The largest body: room for a few values of the largest size. */
const MAX_BYTES = 4 * 1_048_576

/** Returns the handlers for the preferences that clients store in the service. */
export function chartHandlers({ identity, chart }: ChartParts) {
  return {
    // These two operations have their own messages for a request without a key and for an empty one.
    'GET /api/v1/chart': httpHandler(async (c) => {
      const { apikey } = readApiQuery(c)
      if (!apikey) throw new ServiceError('validation', 'Missing apikey parameter')
      const { username } = await principalOf(identity, apikey)
      return c.json({ status: 'success', data: await chart.read(username) })
    }),
    'POST /api/v1/chart': httpHandler(async (c) => {
      const given = await readApiBody(c, MAX_BYTES)
      if (isEmpty(given)) throw new ServiceError('validation', 'No data provided')
      const { payload, principal } = await keyedInput(identity, chartPayload, given)
      await chart.merge(principal.username, payload)
      return c.json({ status: 'success', message: 'Preferences updated successfully' })
    }),
  } satisfies Partial<Handlers>
}

function isEmpty(given: unknown): boolean {
  return given === null || (typeof given === 'object' && Object.keys(given).length === 0)
}
