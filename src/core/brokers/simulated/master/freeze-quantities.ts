import type { FreezeQuantity } from '../../../instruments/index.js'
import { COMMODITIES } from './commodities.js'
import { CURRENCY_FREEZE, CURRENCY_PAIRS } from './currencies.js'
import { FNO_STOCKS } from './fno-stocks.js'
import { INDEX_DERIVATIVES } from './indices.js'

/** The largest order quantities of the exchanges, for a fresh installation. */
export const FREEZE_QUANTITIES: readonly FreezeQuantity[] = [
  ...INDEX_DERIVATIVES.map(({ exchange, symbol, freezeQuantity }) => ({ exchange, symbol, freezeQuantity })),
  ...FNO_STOCKS.map(([symbol, , , , , freezeQuantity]) => ({ exchange: 'NFO', symbol, freezeQuantity })),
  ...COMMODITIES.map(({ symbol, freezeQuantity }) => ({ exchange: 'MCX', symbol, freezeQuantity })),
  ...CURRENCY_PAIRS.map(({ symbol }) => ({ exchange: 'CDS', symbol, freezeQuantity: CURRENCY_FREEZE })),
]
