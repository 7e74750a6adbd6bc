import { textMember } from '../../client/answers/json.js'
import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'
import { symbolOf } from '../text/symbol.js'
import { factsInWords } from '../text/words.js'

type Entry = RouteAnswer<'GET /logs/entries'>['data'][number]

/** A request and its answer, with the facts that a table shows. */
export interface RequestRow
  extends Pick<Entry, 'id' | 'api_type' | 'strategy' | 'request_data' | 'response_data'> {
  time: string
  symbol: string
  status: string
  /** The answer in words. */
  answer: string
}

/** The facts of an answer that have a column of their own, or that say nothing. */
export const OMITTED = new Set(['status', 'mode', 'symbol', 'exchange', 'strategy'])

/** Returns an entry as a list shows it. */
export function requestRow({ at, id, api_type, strategy, request_data, response_data }: Entry): RequestRow {
  return {
    id,
    time: at,
    api_type,
    symbol: symbolOf(request_data),
    strategy,
    status: textMember(response_data, 'status') ?? '',
    answer: factsInWords(response_data, OMITTED),
    request_data,
    response_data,
  }
}

export const REQUEST_COLUMNS = [
  { key: 'time', kind: 'time' },
  { key: 'api_type', title: 'REQUEST' },
  { key: 'symbol' },
  { key: 'strategy', leaves: 2 },
  { key: 'status', kind: 'status' },
  { key: 'answer', leaves: 1, below: { status: ['error'] } },
] as const satisfies readonly Column[]
