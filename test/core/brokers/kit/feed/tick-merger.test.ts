import { expect, it } from 'vitest'
import { TickMerger } from '../../../../../src/core/brokers/kit/feed/tick-merger.js'

it('puts parts together, and keeps open interest and previous close while prices change', () => {
  const merger = new TickMerger<number>()
  expect(merger.merge(7, { prevClose: 99 })).toBeUndefined()
  expect(merger.merge(7, { ltp: 100, volume: 5 })).toEqual({ prevClose: 99, ltp: 100, volume: 5 })
  expect(merger.merge(7, { oi: 40 })).toMatchObject({ ltp: 100, oi: 40 })
  expect(merger.merge(7, { ltp: 101, oi: undefined, prevClose: undefined })).toEqual({
    ltp: 101,
    oi: 40,
    prevClose: 99,
    volume: 5,
  })
})

it('keeps instruments apart, and forgets what ended', () => {
  const merger = new TickMerger<number>()
  merger.merge(1, { ltp: 10, oi: 1 })
  expect(merger.merge(2, { ltp: 20 })).toEqual({ ltp: 20 })
  merger.forget(1)
  expect(merger.merge(1, { ltp: 11 })).toEqual({ ltp: 11 })
  merger.clear()
  expect(merger.merge(2, { oi: 5 })).toBeUndefined()
})
