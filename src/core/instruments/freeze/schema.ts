export { FREEZE_EXCHANGES, type FreezeExchange } from '../vocabulary.js'

/** The largest freeze quantity. Exchanges set far smaller ones; a larger number is a mistake. */
export const MAX_FREEZE_QUANTITY = 1_000_000_000

/** The largest order the exchange accepts for contracts on one underlying (`qty_freeze`). */
export interface FreezeQuantity {
  exchange: string
  /** Underlying root. */
  symbol: string
  freezeQuantity: number
}

/** A stored freeze quantity. */
export interface FreezeEntry extends FreezeQuantity {
  id: number
}

/** A row of an uploaded file, and its effect. */
export interface UploadedRow {
  /** The line of the file, starting at 1. */
  line: number
  symbol: string
  freezeQuantity: number
  outcome: 'added' | 'changed' | 'unchanged'
  /** The quantity before the upload; undefined if there was none. */
  previous: number | undefined
}

/** The effect of an upload, which replaces all freeze quantities of one exchange. */
export interface UploadReport {
  exchange: string
  rows: readonly UploadedRow[]
  /** Entries that the file does not have. */
  removed: readonly FreezeQuantity[]
}
