import { expect, it } from 'vitest'
import { closeQuestion } from '../../../../src/core/notifications/chat/views.js'

const SOLD = { symbol: 'INFY', product: 'CNC', quantity: -7 }

it('the question of a close names what it closes: no delivery shares that were sold', () => {
  const data = [{ symbol: 'SBIN', product: 'MIS', quantity: -10 }, SOLD, { ...SOLD, quantity: 3 }]
  expect(closeQuestion({ data }, 'live')).toBe(
    'Close all open positions at market, in live mode?\n\nSBIN MIS: -10\nINFY CNC: 3',
  )
  expect(() => closeQuestion({ data: [SOLD] }, 'live')).toThrow('There is no open position.')
})
