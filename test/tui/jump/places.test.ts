import { describe, expect, it } from 'vitest'
import { matching, type Place } from '../../../src/tui/jump/places.js'

const order = (id: string, text: string, isPast: boolean): Place => ({
  kind: 'order',
  name: id,
  summary: text,
  go: { target: { kind: 'order', id } },
  isPast,
})
const symbol = (name: string, summary = ''): Place => ({
  kind: 'symbol',
  name,
  summary,
  go: { target: { kind: 'symbol', id: name } },
})
const strategy = (name: string): Place => ({
  kind: 'strategy',
  name,
  summary: '3, running',
  go: { target: { kind: 'strategy', id: '3' } },
})
const position: Place = {
  kind: 'position',
  name: 'NSE:SBIN',
  summary: 'MIS 10',
  go: { target: { kind: 'position', id: 'NSE:SBIN MIS' } },
}

const PLACES = [
  order('9', 'BUY 10 NSE:SBIN complete', true),
  order('8', 'BUY 10 NSE:SBIN rejected', true),
  order('7', 'BUY 10 NSE:SBIN open', false),
  position,
  strategy('Sbin pair'),
  strategy('Straddle by index'),
]
const SYMBOLS = [symbol('NFO:SBIN29DEC26FUT'), symbol('NSE:SBIN', 'STATE BANK OF INDIA'), symbol('BSE:SBIN')]

const found = (text: string) => matching(PLACES, SYMBOLS, text).map(({ kind, name }) => `${kind} ${name}`)

describe('a jump', () => {
  it('finds the symbol of the name first, then what can be acted on, and orders that are over last', () => {
    expect(found('sbin')).toEqual([
      'symbol NSE:SBIN',
      'symbol BSE:SBIN',
      'strategy Sbin pair',
      'order 7',
      'position NSE:SBIN',
      'symbol NFO:SBIN29DEC26FUT',
      'order 9',
      'order 8',
      'strategy Straddle by index',
    ])
  })

  it('takes the exchange of a symbol too', () => {
    expect(found('bse:sbin')[0]).toBe('symbol BSE:SBIN')
  })

  it('leaves the order of everything alone before a text is typed, but for orders that are over', () => {
    expect(matching(PLACES, [], '').map(({ name }) => name)).toEqual([
      '7',
      'NSE:SBIN',
      'Sbin pair',
      'Straddle by index',
      '9',
      '8',
    ])
  })

  it('puts what has only the letters of a text behind everything', () => {
    const far = strategy('straddle bin')
    expect(matching([far], [symbol('NSE:SDBL')], 'sdb').map(({ kind }) => kind)).toEqual([
      'symbol',
      'strategy',
    ])
  })
})
