import { z } from 'zod'
import { ServiceError } from '../../../../core/errors/index.js'
import { keyedInput } from '../../../http/api-route.js'
import { principalOf, readApiBody, readApiQuery } from '../../../middleware/api-key.js'
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
      const { apikey } = readApiQuery(c)
      if (!apikey) throw new ServiceError('validation', 'Missing apikey parameter')
      const { username } = await principalOf(service.identity, apikey)
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

function isEmpty(given: unknown): boolean {
  return given === null || (typeof given === 'object' && Object.keys(given).length === 0)
}
