import { readFileSync } from 'node:fs'
import { Chalk } from 'chalk'
import { describe, expect, it } from 'vitest'
import { EVENT_NAMES, eventLine } from '../../../../src/cli/output/text/event-words.js'
import { humanLine, logLine } from '../../../../src/cli/output/text/log-line.js'

const STYLE = { human: true, utc: false, now: Date.parse('2026-11-20T09:15:00+05:30') }
const plain = new Chalk({ level: 0 })

describe('an event in words', () => {
  const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10, orderid: '26112000000001' }
  it.each([
    [
      'order_update',
      {
        ...SBIN,
        pricetype: 'LIMIT',
        product: 'CNC',
        order_status: 'rejected',
        filled_quantity: 0,
        average_price: 0,
        rejection_reason: 'no margin',
      },
      'NSE:SBIN',
      'rejected: BUY 10 LIMIT CNC, order 26112000000001, filled 0 at 0: no margin',
      'red',
    ],
    [
      'order_event',
      { ...SBIN, quantity: undefined, orderid: '2/3 orders', price_type: 'MARKET', batch_order: true },
      'NSE:SBIN',
      'accepted: BUY MARKET, 2/3 orders',
      'green',
    ],
    [
      'order_in_doubt',
      { ...SBIN, orderid: undefined, state: 'unknown', message: 'No answer.' },
      'NSE:SBIN',
      'IN DOUBT: BUY 10. No answer.',
      'red',
    ],
    [
      'analyzer_update',
      { request: {}, response: { ...SBIN, event: 'sandbox.order_filled', price: 812.5, product: 'MIS' } },
      'NSE:SBIN',
      'simulated, order filled: BUY 10 MIS, order 26112000000001 at 812.5',
      'green',
    ],
    [
      'analyzer_update',
      { request: { ...SBIN, orderid: undefined }, response: { status: 'error', message: 'Kill switch' } },
      'NSE:SBIN',
      'simulated, refused: BUY 10: Kill switch',
      'red',
    ],
    [
      'pending_order_created',
      { pending_order_id: 7, api_type: 'placeorder', user_id: 'asha' },
      '',
      'waits for approval: 7 (placeorder)',
      'yellow',
    ],
    [
      'backup_failed',
      { origin: 'scheduled', message: 'No room.', since: '2026-11-20T11:00:00.000Z' },
      '',
      'backup failed: No room.',
      'red',
    ],
    [
      'broker_session',
      { broker: 'zerodha', state: 'refused', reason: 'Zerodha refuses it.' },
      '',
      'zerodha session lost, live orders are refused: Zerodha refuses it.',
      'red',
    ],
    [
      'broker_session',
      { broker: 'zerodha', state: 'expires_soon', reason: 'It ends at 06:00.' },
      '',
      'zerodha session ends soon: It ends at 06:00.',
      'yellow',
    ],
    [
      'broker_session',
      { broker: 'zerodha', state: 'ip_not_allowed', reason: 'No IPs.' },
      '',
      'zerodha orders from this address are refused: No IPs.',
      'red',
    ],
    ['broker_session', { broker: 'zerodha', state: 'signed_in' }, '', 'signed in at zerodha', undefined],
    [
      'broker_drift',
      { broker: 'zerodha', message: 'Not from this service, at zerodha: SBIN CNC -10' },
      '',
      'Not from this service, at zerodha: SBIN CNC -10',
      undefined,
    ],
    ['app_mode_changed', { analyze_mode: false }, '', 'LIVE: orders reach the broker', 'red'],
    [
      'new_event',
      { user_id: 'asha', message: 'Done', list: [{ a: 1 }, { a: 2 }] },
      '',
      'Done, list (a 1), (a 2)',
      undefined,
    ],
  ])('%s', (event, data, symbol, words, tone) => {
    expect(eventLine(event, data)).toEqual({ topic: event, symbol, words, tone })
  })

  it('is one line that fits the terminal, without control characters', () => {
    const line = {
      time: STYLE.now,
      topic: 'order_event',
      symbol: 'NSE:SBIN',
      words: 'a\n\u001b[2Jb'.repeat(20),
    }
    const text = humanLine(line, STYLE, 80)
    expect(text).toMatch(/^09:15:00 {2}order_event {14}NSE:SBIN {7}a\\u000a\\u001b/)
    expect([text.length, text.at(-1)]).toEqual([80, '…'])
  })
})

describe('a line of the log in words', () => {
  it('has the level when it is not information', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: '2026-11-20T03:45:00.000Z',
      event: 'feed.lost',
      symbol: 'SBIN',
      error: 'reset',
      attempts: 2,
    })
    expect(logLine(`${line}\n`, STYLE, 120, plain)).toBe(
      '09:15:00  feed.lost                SBIN           warn: reset, attempts 2\n',
    )
    expect(logLine('not JSON\n', STYLE, 120, plain)).toBe('not JSON\n')
  })
})

it('knows every event of the documentation', () => {
  const [, table = ''] =
    /\n\| Event \| `data` \| When \|\n([\s\S]*?)\n### /.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect([...EVENT_NAMES].sort()).toEqual(documented.toSorted())
})
