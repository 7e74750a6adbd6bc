import { expect, test } from 'vitest'
import { startQuestion } from '../../../src/tui/strategies/questions.js'

const ACCOUNT = { username: 'asha', analyze_mode: true, order_mode: 'auto', broker: 'simulated' } as const
const STRADDLE = {
  id: 3,
  name: 'Straddle',
  strategy_type: 'positional',
  underlying: 'NIFTY',
  product: 'NRML',
  entry_time: null,
  exit_time: null,
  current_run_id: null,
  live_enabled: true,
  legs: [],
  updated_at: '2026-11-20T04:45:00+00:00',
} as const
const NINE = Date.parse('2026-11-20T09:00:00+05:30')

const titleOf = (entry_time: string | null) => {
  const facts = { account: ACCOUNT, mode: 'sandbox', now: NINE } as const
  const question = startQuestion({ ...STRADDLE, legs: [], entry_time }, facts)
  return 'refusal' in question ? question.refusal : question.title
}

test('a start before the entry time says that it does not wait', () => {
  expect(titleOf('09:20')).toContain(
    'Start 3 Straddle in the sandbox? It enters now, before its entry time 09:20. The service is in',
  )
  expect(titleOf('08:50')).not.toContain('enters now')
  expect(titleOf(null)).not.toContain('enters now')
})

test('a start names side, size and contract of each leg', () => {
  const rest = { sl_pts: null, target_pts: null, trail: null, risk_unit: 'points', reentry: null } as const
  const none = { option_type: null, strike_mode: null, atm_offset: null, strike: null } as const
  const call = { option_type: 'CE', strike_mode: 'strike', strike: 26300, atm_offset: null } as const
  const question = startQuestion(
    {
      ...STRADDLE,
      legs: [
        { ...rest, ...call, id: 1, segment: 'options', position: 'S', lots: 2, expiry: 'monthly' },
        { ...rest, ...none, id: 2, segment: 'futures', position: 'B', lots: 1, expiry: 'current' },
        { ...rest, ...none, id: 3, segment: 'cash', position: 'B', lots: 100, expiry: null },
      ],
    },
    { account: ACCOUNT, mode: 'sandbox', now: NINE },
  )
  expect('refusal' in question ? [] : question.lines).toEqual([
    'leg 1: SELL 2 lots of NIFTY monthly 26300 CE, NRML',
    'leg 2: BUY 1 lot of NIFTY current FUT, NRML',
    'leg 3: BUY 100 shares of NIFTY, NRML',
  ])
})
