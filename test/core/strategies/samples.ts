/** A valid batch strategy of one option leg. */
export const BATCH = {
  name: 'Straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  entry_time: '09:20',
  exit_time: '15:15',
  legs: [{ segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly', sl_pts: 30 }],
}
export const LEG = { segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly' }
export const CASH_LEG = { segment: 'cash', position: 'B', lots: 10 }
export const SIGNAL_LEG = { symbol: 'sbin', exchange: 'nse', qty: 5 }

/** A valid signal strategy of one cash leg. */
export const SIGNAL = { ...BATCH, name: 'Signals', strategy_kind: 'signal', legs: [SIGNAL_LEG] }
