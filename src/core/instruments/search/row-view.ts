import type { Instrument, InstrumentDirectory } from '../schema.js'

/** Columns of an instrument under their public API names, in their order. */
export const ROW_COLUMNS = [
  'symbol',
  'brsymbol',
  'name',
  'exchange',
  'brexchange',
  'token',
  'expiry',
  'strike',
  'lotsize',
  'instrumenttype',
  'tick_size',
] as const

type NumberColumn = 'strike' | 'lotsize' | 'tick_size'
type InstrumentRow = {
  [Column in (typeof ROW_COLUMNS)[number]]: Column extends NumberColumn ? number : string
}

export function instrumentRow(instrument: Instrument): InstrumentRow {
  return {
    symbol: instrument.symbol,
    brsymbol: instrument.brokerSymbol,
    name: instrument.name,
    exchange: instrument.exchange,
    brexchange: instrument.brokerExchange,
    token: instrument.token,
    expiry: instrument.expiry,
    strike: instrument.strike,
    lotsize: instrument.lotSize,
    instrumenttype: instrument.instrumentType,
    tick_size: instrument.tickSize,
  }
}

/** Returns the row with the largest order the exchange accepts, or 1 if no limit is known. */
export function searchRow(
  directory: Pick<InstrumentDirectory, 'freezeQuantity'>,
  instrument: Instrument,
): InstrumentRow & { freeze_qty: number } {
  return { ...instrumentRow(instrument), freeze_qty: directory.freezeQuantity(instrument) ?? 1 }
}
