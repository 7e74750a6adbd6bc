import { expect, test } from 'vitest'
import { changeOf } from '../../../src/views/market/change.js'

test.each([
  [812.5, 808, { change: 4.5, change_percent: 0.56 }],
  [88.5125, 88.5, { change: 0.0125, change_percent: 0.01 }],
  [790, 800, { change: -10, change_percent: -1.25 }],
  [800, 0, {}],
  [0, 800, {}],
  [undefined, 800, {}],
  [800, undefined, {}],
])('a price of %s after a close of %s', (last, close, change) => {
  expect(changeOf(last, close)).toEqual(change)
})
