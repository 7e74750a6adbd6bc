import { expect, test } from 'vitest'
import { startQuestion } from '../../../src/tui/strategies/questions.js'

const TARGET = { id: 3, name: 'Straddle', updated_at: '2026-11-20T04:45:00+00:00' }

test('a start before the entry time says that it does not wait', () => {
  const account = { username: 'asha', analyze_mode: true, order_mode: 'auto' as const, broker: 'simulated' }
  const facts = { account, legs: [] }
  expect(startQuestion(TARGET, 'sandbox', { ...facts, early: '09:20' }).title).toContain(
    'Start 3 Straddle in the sandbox? It enters now, before its entry time 09:20. The service is in',
  )
  expect(startQuestion(TARGET, 'sandbox', { ...facts, early: undefined }).title).not.toContain('enters now')
})
