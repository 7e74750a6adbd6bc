import type { AnswerOf } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

/** A strike with its call at the left and its put at the right. */
export const CHAIN_COLUMNS = [
  { key: 'ce_delta', title: 'Δ CALL', leaves: 5 },
  { key: 'ce_iv', title: 'IV %', leaves: 3 },
  { key: 'ce_oi', title: 'OI', kind: 'quantity', leaves: 2 },
  { key: 'ce_volume', title: 'VOLUME', kind: 'quantity', leaves: 4 },
  { key: 'ce_ltp', title: 'CALL', kind: 'price' },
  { key: 'strike', kind: 'price' },
  { key: 'pe_ltp', title: 'PUT', kind: 'price' },
  { key: 'pe_volume', title: 'VOLUME', kind: 'quantity', leaves: 4 },
  { key: 'pe_oi', title: 'OI', kind: 'quantity', leaves: 2 },
  { key: 'pe_iv', title: 'IV %', leaves: 3 },
  { key: 'pe_delta', title: 'Δ PUT', leaves: 5 },
] as const satisfies readonly Column[]

export type Strike = AnswerOf<'optionchain'>['chain'][number]

/** Returns a strike as a row of {@link CHAIN_COLUMNS}. */
export function strikeRow({ strike, ce, pe }: Strike) {
  return {
    strike,
    ce_symbol: ce?.symbol,
    ce_ltp: ce?.ltp,
    ce_oi: ce?.oi,
    ce_volume: ce?.volume,
    ce_iv: ce?.implied_volatility,
    ce_delta: ce?.delta,
    pe_symbol: pe?.symbol,
    pe_ltp: pe?.ltp,
    pe_oi: pe?.oi,
    pe_volume: pe?.volume,
    pe_iv: pe?.implied_volatility,
    pe_delta: pe?.delta,
  }
}
