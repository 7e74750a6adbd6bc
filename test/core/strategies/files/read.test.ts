import { expect, test } from 'vitest'
import { readStrategyFile, readStrategyPatch } from '../../../../src/core/strategies/files/index.js'
import { BATCH } from '../samples.js'

const YAML = `name: Straddle
underlying: NIFTY
underlying_exchange: NSE_INDEX
entry_time: "09:20"
exit_time: "15:15"
`
const LEG = 'segment: options, position: S, lots: 1, option_type: CE, expiry: weekly'

const messages = (text: string) => {
  const read = readStrategyFile(text, 'straddle.yaml')
  return read.ok ? [] : read.findings.map(({ line, message }) => `${line}: ${message}`)
}

test.each([
  'overall_sl_mtm',
  'overall_target_mtm',
  'daily_loss_limit_inr',
  'lock_profit',
  'scheduler',
  'trail_sl_to_entry',
  'strategy_type',
  'product',
  'universe_tab',
])('%s without a value is refused', (field) => {
  expect(messages(`${YAML}${field}:\nlegs:\n  - {${LEG}}\n`)).toEqual([
    `6: ${field} has no value: leave it out for none.`,
  ])
})

test.each(['sl_pts', 'target_pts', 'trail', 'reentry', 'strike', 'atm_offset'])(
  '%s of a leg without a value is refused',
  (field) => {
    expect(messages(`${YAML}legs:\n  - {${LEG}, ${field}: }\n`)).toEqual([
      `7: legs[0].${field} has no value: leave it out for none.`,
    ])
  },
)

test('a blank inside a group is refused, and a required one is said once', () => {
  expect(
    messages(
      `${YAML}legs:\n  - {${LEG}}\nlock_profit:\n  mode: lock\n  if_profit_reaches: 5000\n  lock_profit:\n`,
    ),
  ).toHaveLength(1)
  expect(messages(`${YAML}legs:\n  - {${LEG}, sl_pts: 30, trail: {x: 5, y: }}\n`)).toHaveLength(1)
  expect(messages(`${YAML.replace('NIFTY', '')}legs:\n  - {${LEG}}\n`)).toEqual([
    '2: underlying is required.',
  ])
})

test('null and ~ say none, and JSON has no blanks', () => {
  for (const none of ['null', '~']) {
    expect(messages(`${YAML}overall_sl_mtm: ${none}\nlegs:\n  - {${LEG}, sl_pts: ${none}}\n`)).toEqual([])
  }
  expect(readStrategyFile(JSON.stringify({ ...BATCH, overall_sl_mtm: null }), 'a.json').ok).toBe(true)
})

test('a change that begins to write a stop does not remove it', () => {
  const blank = readStrategyPatch('overall_sl_mtm:\n', 'change.yaml')
  expect(blank.ok ? [] : blank.findings.map(({ message }) => message)).toEqual([
    'overall_sl_mtm has no value: write null to remove it.',
  ])
  expect(readStrategyPatch('overall_sl_mtm: null\n', 'change.yaml')).toMatchObject({
    ok: true,
    value: { fields: { overall_sl_mtm: null } },
  })
})
