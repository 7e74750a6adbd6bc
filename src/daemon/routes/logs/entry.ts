import type { OrderLogRow } from '../../../core/telemetry/index.js'
import { istTwelveHours } from '../../../core/time/index.js'

type Facts = Readonly<Record<string, unknown>>

/** Returns a row as the API shows it. */
export function entryOf({ id, apiType, requestData, responseData, createdAt }: OrderLogRow) {
  const request_data = factsOf(requestData)
  return {
    id,
    api_type: apiType,
    request_data,
    response_data: factsOf(responseData),
    strategy: strategyOf(request_data),
    created_at: istTwelveHours(createdAt),
  }
}

/** Parses a stored request or response. */
export function factsOf(json: string): Facts {
  const value: unknown = JSON.parse(json)
  return Object(value)
}

/** Returns the strategy of a request, `Unknown` if it names none. */
export function strategyOf({ strategy }: Facts): string {
  return typeof strategy === 'string' && strategy !== '' ? strategy : UNKNOWN
}

export const UNKNOWN = 'Unknown'
