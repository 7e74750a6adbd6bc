import { describe, expect, it } from 'vitest'
import { TYPES } from '../../../src/cli/commands/log/latency.js'
import { type Candidate, candidatesFor, type Place } from '../../../src/cli/completion/candidates.js'
import type { CommandSpec } from '../../../src/cli/framework/command/command.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { ORDER_TYPES } from '../../../src/core/storage/tables/logs/latency.js'

const KNOWN: Record<string, readonly string[]> = {
  orders: ['26112100000001', '26112100000002'],
  symbols: ['NSE:SBIN', 'NSE:SBICARD'],
  topics: ['exit-codes', 'environment'],
  gtts: ['GTT-1'],
  expiries: ['23NOV26'],
  indicators: ['rsi', 'macd'],
  runs: ['42'],
  workflows: ['first'],
  strategyNames: ['straddle'],
  strategyRuns: ['7'],
  strategyVersions: ['3', '2', '1'],
  strategyEventKinds: ['leg_sl_hit'],
  rules: ['max_order_value=', 'max_orders_per_day='],
}

/** Completes a line as a shell does: the text after the last space is the word to complete. */
async function complete(line: string): Promise<{ values: string[]; asked: [string, Place][] }> {
  const asked: [string, Place][] = []
  const found = await candidatesFor(line.split(' '), NOUNS, async (kind, place) => {
    asked.push([kind, place])
    return (KNOWN[kind] ?? []).map((value): Candidate => ({ value, summary: '' }))
  })
  return { values: found.map(({ value }) => value), asked }
}

describe('candidates', () => {
  const cases: [line: string, expected: string[]][] = [
    ['ord', ['order']],
    ['order pl', ['place']],
    ['pending approve-', ['approve-all']],
    ['--json mode set semi', ['semi_auto']],
    ['-o json mode set semi', ['semi_auto']],
    ['--output=json mode set semi', ['semi_auto']],
    ['order place --idem', ['--idempotency-key']],
    ['order list --out', ['--output']],
    ['order list --output=js', ['--output=json', '--output=jsonl']],
    ['order list -o ya', ['yaml']],
    ['approval list --status rej', ['rejected']],
    ['help exit', ['exit-codes']],
    ['order cancel 261121', ['26112100000001', '26112100000002']],
    ['risk set max_order_v', ['max_order_value=']],
    ['risk set max_order_value=1 max_orders', ['max_orders_per_day=']],
    ['order place NSE:SB', ['NSE:SBIN', 'NSE:SBICARD']],
    ['order place SBIN NS', ['NSE', 'NSE_INDEX']],
    ['order place NSE:SBIN B', ['BUY']],
    ['order place SBIN NSE ', ['BUY', 'SELL']],
    ['order place SBIN NSE BUY ', []],
    ['order place --product ', ['MIS', 'NRML', 'CNC']],
    ['order place --type S', ['SL', 'SL-M']],
    ['order modify 1 --type L', ['LIMIT']],
    ['order gtt modify 7 SBIN NSE S', ['SELL']],
    ['log latency --type GTT_', ['GTT_PLACE', 'GTT_MODIFY', 'GTT_CANCEL']],
    ['order cancel -- --json', []],
    ['no-such-noun x', []],
    ['order place NSE:SBI', ['NSE:SBIN', 'NSE:SBICARD']],
    ['order place SBIN NS', ['NSE', 'NSE_INDEX']],
    ['order place SBIN NSE ', ['BUY', 'SELL']],
    ['order place NSE:SBIN ', ['BUY', 'SELL']],
    ['order place NSE:SBIN BUY ', []],
    ['order place --symbol NSE:SBIN', ['NSE:SBIN']],
    ['order place --symbol=NSE:SBIN', ['--symbol=NSE:SBIN']],
    ['order place SBIN NSE BUY 10 --type S', ['SL', 'SL-M']],
    ['order place SBIN NSE BUY 10 --product ', ['MIS', 'NRML', 'CNC']],
    ['order options NIFTY NSE_INDEX BUY 65 --option-type ', ['CE', 'PE']],
    ['order options NIFTY NSE_INDEX BUY 65 --expiry ', ['23NOV26']],
    ['order options --underlying NSE:SBIN', ['NSE:SBIN']],
    ['order gtt place NSE:SBIN S', ['SELL']],
    ['order gtt modify GTT-1 NSE:SBIN S', ['SELL']],
    ['order gtt modify GTT', ['GTT-1']],
    ['order gtt cancel ', ['GTT-1']],
    ['order gtt place --trigger-type ', ['SINGLE', 'OCO']],
    ['order gtt place --type ', ['LIMIT', 'MARKET']],
    ['order list --symbol NSE:SBIC', ['NSE:SBICARD']],
    ['position close NSE:SBIN --product N', ['NRML']],
    ['search sbin --exchange mc', ['MCX', 'MCX_INDEX']],
    ['chain NSE:SBI', ['NSE:SBIN', 'NSE:SBICARD']],
    ['chain NIFTY --expiry ', ['23NOV26']],
    ['expiry NIFTY N', ['NFO']],
    ['history SBIN NSE --interval 1', ['1m', '10m', '15m', '1h']],
    ['flow indicators rs', ['rsi']],
    ['flow logs first --execution ', ['42']],
    ['flow import flow.json --replace ', ['first']],
    ['strategy loc', ['lock']],
    ['strategy lock ', ['straddle']],
    ['strategy live straddle ', ['on', 'off']],
    ['strategy orders straddle --run ', ['7']],
    ['strategy checkpoints straddle --run ', ['7']],
    ['strategy rollback straddle ', ['3', '2', '1']],
    ['strategy diff straddle 1 ', ['3', '2', '1']],
    ['strategy events straddle --kind leg', ['leg_sl_hit']],
    ['api P', ['POST', 'PUT', 'PATCH']],
  ]
  it.each(cases)('%s', async (line, expected) => {
    expect((await complete(line)).values).toEqual(expected)
  })

  it('an option that was given is not suggested again', async () => {
    expect((await complete('order list --sort symbol --so')).values).toEqual([])
  })

  it('every noun with its summary completes an empty word', async () => {
    const found = await candidatesFor([''], NOUNS, async () => [])
    expect(found).toContainEqual({ value: 'order', summary: 'place, change, cancel and follow orders' })
    expect(found.map(({ value }) => value)).not.toContain('__complete')
  })

  it('the reader learns the words and options before the word', async () => {
    const { asked } = await complete('--url http://127.0.0.1:5001 order cancel 26')
    const [[kind, place] = []] = asked
    expect(kind).toBe('orders')
    expect(place?.options.get('url')).toBe('http://127.0.0.1:5001')
    expect(place?.partial).toBe('26')
  })
})

/** Placeholders whose values are known, so a shell can complete them. */
const KNOWN_VALUES =
  /[<[](symbols?|underlying|exchange|action|product|type|status|state|severity|workflow|strategy|order-id|gtt-id|approval-id|broker-id|token-id|session-id|version|scopes?|order|rule=value|key=value)(\.\.\.)?[>\]]/

describe('every value that is known', () => {
  it('has candidates in every command', async () => {
    const bare = (
      await Promise.all(NOUNS.map(async (noun) => bareValues(await noun.load(), noun.name)))
    ).flat()
    expect(bare).toEqual([])
  })
})

/** Returns the arguments and options of a command that should have candidates and have none. */
function bareValues(spec: CommandSpec, path: string): string[] {
  const bare = [
    ...(spec.arguments ?? []).map((one) => ({ ...one, text: one.syntax, words: one.words })),
    ...(spec.options ?? []).map((one) => ({ ...one, text: one.flags, words: undefined })),
  ].filter(({ text, choices, complete, words }) => KNOWN_VALUES.test(text) && !choices && !complete && !words)
  return [
    ...bare.map(({ text }) => `${path} ${text}`),
    ...(spec.verbs ?? []).flatMap((verb) => bareValues(verb, `${path} ${verb.name}`)),
  ]
}

it('the types of svc log latency have every type of an order', () => {
  expect(TYPES).toEqual(expect.arrayContaining([...ORDER_TYPES]))
  expect(new Set(TYPES).size).toBe(TYPES.length)
})
