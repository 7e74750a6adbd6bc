import { expect, test } from 'vitest'
import { placeText } from '../../../src/tui/question/review.js'

const account = (analyze_mode: boolean, order_mode: 'auto' | 'semi_auto') => ({
  username: 'asha',
  broker: 'simulated',
  analyze_mode,
  order_mode,
})

test.each([
  ['order', false, 'waits for approval'],
  ['order', true, 'waits for approval'],
  ['reduction', false, 'sent at once, without approval'],
  ['reduction', true, 'sent at once, without approval'],
  ['change', false, 'sent only if it makes the order smaller or less likely to fill'],
  ['change', true, 'sent at once, without approval'],
] as const)(
  'in semi-auto mode a %s (Analyzer mode: %s) says that it is %s',
  (reviewed, isSimulated, text) => {
    expect(placeText(account(isSimulated, 'semi_auto'), reviewed)).toContain(text)
    expect(placeText(account(isSimulated, 'auto'), reviewed)).toMatch(/broker simulated$/)
  },
)
