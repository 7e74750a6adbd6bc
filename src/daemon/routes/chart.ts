import { Hono } from 'hono'
import { z } from 'zod'
import type { ChartPreferences } from '../../core/chart/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { parseKeyed } from '../http/api-route.js'
import { principalOf, readApiBody, readApiQuery } from '../middleware/api-key.js'

export interface ChartRoutesParts {
  identity: Identity
  preferences: ChartPreferences
}

/** Room for a few values of the largest size. */
const MAX_BYTES = 4 * 1_048_576
/** The keys are the client's own: only the credential is ours. */
export const chartBody = z.looseObject({ apikey: fields.apiKeyField() })

/** Chart preferences of `/api/v1` (contract, api-market section 5). */
export function chartRoutes({ identity, preferences }: ChartRoutesParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/', async (c) => {
      const { apikey } = readApiQuery(c)
      if (!apikey) throw new ServiceError('validation', 'Missing apikey parameter')
      const { username } = await principalOf(identity, apikey)
      return c.json({ status: 'success', data: await preferences.read(username) })
    })
    .post('/', async (c) => {
      const given = await readApiBody(c, MAX_BYTES)
      if (isEmpty(given)) throw new ServiceError('validation', 'No data provided')
      const { body, principal } = await parseKeyed(identity, chartBody, given)
      const { apikey: _, ...values } = body
      await preferences.merge(principal.username, values)
      return c.json({ status: 'success', message: 'Preferences updated successfully' })
    })
}

function isEmpty(given: unknown): boolean {
  return given === null || (typeof given === 'object' && Object.keys(given).length === 0)
}
