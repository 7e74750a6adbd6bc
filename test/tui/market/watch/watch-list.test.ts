import { describe, expect, test } from 'vitest'
import {
  adding,
  edited,
  listIn,
  MOST_WATCHED,
  placing,
  preferenceOf,
  removing,
} from '../../../../src/tui/market/watch/watch-list.js'

const LIST = ['NSE:A', 'NSE:B', 'NSE:C']

describe('the stored list', () => {
  test('is read as it was stored', () => {
    expect(listIn(preferenceOf(LIST))).toEqual(LIST)
  })

  test.each([
    ['no preference', {}],
    ['no text', { 'svc.watchlist': 5 }],
    ['no JSON', { 'svc.watchlist': '[' }],
    ['no list', { 'svc.watchlist': '{"a":1}' }],
  ])('is empty for %s', (_what, preferences) => {
    expect(listIn(preferences)).toEqual([])
  })

  test('has each symbol once, and nothing that is no symbol', () => {
    const stored = JSON.stringify(['NSE:A', 7, 'XYZ:A', 'NSE:A', 'NSE:A B', 'BSE:A'])
    expect(listIn({ 'svc.watchlist': stored })).toEqual(['NSE:A', 'BSE:A'])
  })
})

describe('a change', () => {
  test.each([
    ['adds at the end', adding('NSE:D'), [...LIST, 'NSE:D']],
    ['adds no symbol twice', adding('NSE:A'), LIST],
    ['removes', removing('NSE:B'), ['NSE:A', 'NSE:C']],
    ['moves up', placing('NSE:C', 'before', 'NSE:B'), ['NSE:A', 'NSE:C', 'NSE:B']],
    ['moves down', placing('NSE:A', 'after', 'NSE:B'), ['NSE:B', 'NSE:A', 'NSE:C']],
    ['moves beside nothing that is gone', placing('NSE:A', 'after', 'NSE:X'), LIST],
    ['moves nothing that is gone', placing('NSE:X', 'after', 'NSE:A'), LIST],
  ])('%s, also when it is repeated', (_what, edit, expected) => {
    expect(edit(LIST)).toEqual(expected)
    expect(edited(LIST, [edit, edit])).toEqual(expected)
  })

  test('adds nothing to a full list', () => {
    const full = Array.from({ length: MOST_WATCHED }, (_, index) => `NSE:S${index}`)
    expect(adding('NSE:A')(full)).toBe(full)
  })
})
