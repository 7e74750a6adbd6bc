import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../../core/errors/index.js'
import type { Identity, Principal } from '../../../../core/identity/index.js'
import { keyedInput, readerOf } from '../../../http/api-route.js'
import { principalOf, readApiBody, readApiQuery } from '../../../middleware/api-key.js'
import type { AppEnv } from '../../../process/env.js'
import { messageOnly, ok } from '../../common/answers.js'
import { http, keyed } from '../../running.js'

const chart = keyed('Messages', 'data')

/** The largest body: room for a few values of the largest size. */
const MAX_BYTES = 4 * 1_048_576

/** The client chooses the keys. */
const chartPayload = z.looseObject({})

/**
 * The preferences that clients store in the service. Both operations have their own messages for a request without a
 * key and for an empty one.
 */
export const CHART_OPERATIONS = {
  'GET /api/v1/chart': chart('Returns the preferences that clients store here.', {
    query: z.object({}),
    answer: ok({ data: z.record(z.string(), z.unknown()) }),
    run: http('its own refusals', async (service, c) => {
      const { username } = await chartReader(c, service.identity)
      return c.json({ status: 'success', data: await service.chart.read(username) })
    }),
  }),
  'POST /api/v1/chart': chart('Stores preferences; null deletes one.', {
    changes: true,
    body: chartPayload,
    example: { theme: 'dark' },
    answer: messageOnly,
    audit: { unrecorded: 'How a chart looks; nothing else reads it.' },
    run: http('its own refusals', async (service, c) => {
      const given = await readApiBody(c, MAX_BYTES)
      if (isEmpty(given)) throw new ServiceError('validation', 'No data provided')
      const { payload, principal } = await keyedInput(service.identity, chartPayload, given)
      await service.chart.merge(principal.username, payload)
      return c.json({ status: 'success', message: 'Preferences updated successfully' })
    }),
  }),
}

async function chartReader(c: Context<AppEnv>, identity: Identity): Promise<Principal> {
  const given = readApiQuery(c)
  const reader = readerOf(c, identity, given)
  if (reader) return reader
  const { apikey } = given
  if (!apikey) throw new ServiceError('validation', 'Missing apikey parameter')
  return principalOf(identity, apikey)
}

function isEmpty(given: unknown): boolean {
  return given === null || (typeof given === 'object' && Object.keys(given).length === 0)
}
