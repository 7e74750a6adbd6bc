import { z } from 'zod'
import { count, instant, message, ok, text } from '../common/answers.js'

const data = z.record(z.string(), z.unknown())
const nullableText = text.nullable()

/** Credentials are removed before a row is stored. */
const entry = {
  id: count,
  api_type: text,
  request_data: data,
  response_data: data,
  strategy: text.meta({ description: 'Of the request; Unknown if it has none.' }),
  created_at: text.meta({ description: 'Indian time, YYYY-MM-DD hh:mm:ss AM.' }),
}

export const logs = z.strictObject({
  logs: z.array(z.strictObject(entry)),
  total_pages: count,
  current_page: count,
})

export const entries = ok({
  data: z.array(z.strictObject({ ...entry, at: instant })),
  next_before: nullableText.meta({ description: 'Position of the next older page; null at the end.' }),
  newest_id: count.meta({ description: 'Give it as after to get the rows added since.' }),
})

const issues = z.strictObject({
  total: count,
  by_type: z.strictObject({
    rate_limit: count,
    invalid_symbol: count,
    missing_quantity: count,
    invalid_exchange: count,
    other: count,
  }),
})
const statistics = { total_requests: count, issues, symbols: z.array(text) }

const request = z.strictObject({
  timestamp: text.meta({ description: 'Indian time, YYYY-MM-DD HH:MM:SS.' }),
  api_type: text,
  source: text.meta({ description: 'The strategy of the request.' }),
  request_data: data,
  response_data: data,
  analysis: z.strictObject({
    issues: z.boolean(),
    error: nullableText,
    error_type: z.enum(['error', 'success']),
    warnings: z.array(text),
  }),
  symbol: z.unknown().optional(),
  exchange: z.unknown().optional(),
  action: z.unknown().optional(),
  quantity: z.unknown().optional(),
  price_type: z.unknown().optional(),
  product_type: z.unknown().optional(),
  position_size: z.unknown().optional(),
  orderid: z.unknown().optional(),
})

export const analyzerData = ok({
  data: z.strictObject({
    stats: z.strictObject({ ...statistics, sources: z.array(text) }),
    requests: z.array(request),
  }),
})
export const analyzerStats = z.strictObject({ ...statistics, sources: z.record(z.string(), count) })
export const analyzerRequests = z.strictObject({ requests: z.array(request) })
export const cleared = ok({ message, removed: count })
