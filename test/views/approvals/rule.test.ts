import { describe, expect, it, test } from 'vitest'
import type { Approval } from '../../../src/views/approvals/approval.js'
import type { PlannedOrder } from '../../../src/views/approvals/plan.js'
import {
  type ApprovalRule,
  beyondRule,
  isNamedBy,
  moneyAtStake,
  orderAtStake,
  parseRule,
  RULE_EXAMPLE,
} from '../../../src/views/approvals/rule.js'

describe('a line', () => {
  it.each<[string, ApprovalRule]>([
    ['', {}],
    ['  ', {}],
    ['strategy:momentum', { strategy: 'momentum' }],
    ['strategy:"mean reversion" value<50k', { strategy: 'mean reversion', maxValue: 50_000 }],
    ['symbol:sbin', { symbol: 'SBIN' }],
    ['symbol:nse:sbin', { symbol: 'SBIN', exchange: 'NSE' }],
    ['value<1,20,000', { maxValue: 120_000 }],
    ['value<=2.5l', { maxValue: 250_000 }],
    ['value<1lakh', { maxValue: 100_000 }],
    ['VALUE<1cr', { maxValue: 10_000_000 }],
    ['strategy:=odd', { strategy: '=odd' }],
    ['drift<0.1%', { maxDrift: 0.1 }],
    ['drift<0', { maxDrift: 0 }],
    [
      RULE_EXAMPLE,
      { strategy: 'momentum', symbol: 'SBIN', exchange: 'NSE', maxValue: 50_000, maxDrift: 0.5 },
    ],
  ])('%j is a rule', (line, rule) => {
    expect(parseRule(line)).toEqual(rule)
  })

  it.each([
    ['momentum', '"momentum" is no part of a rule.'],
    ['value:50k', '"value:50k" is no part of a rule.'],
    ['strategy<a', '"strategy<a" is no part of a rule.'],
    ['quantity<5', '"quantity<5" is no part of a rule.'],
    ['value<', '"value<" says nothing.'],
    ['value<-5', '"value<-5" says nothing.'],
    ['value<5x', '"value<5x" says nothing.'],
    ['value<1e3', '"value<1e3" says nothing.'],
    ['strategy:', '"strategy:" says nothing.'],
    ['symbol::sbin', '"symbol::sbin" says nothing.'],
    ['symbol:a:b:c', '"symbol:a:b:c" says nothing.'],
    ['strategy:"a', 'A quotation mark is missing.'],
    ['"', 'A quotation mark is missing.'],
    ['value<1 value<2', 'value stands there twice.'],
  ])('%j is none, and says why', (line, why) => {
    expect(parseRule(line)).toEqual({ refusal: expect.stringContaining(why) })
  })
})

test('a rule names orders by strategy, symbol and exchange together', () => {
  const row = { strategy: 'a', symbol: 'SBIN', exchange: 'NSE' } as Approval
  expect(isNamedBy({}, row)).toBe(true)
  expect(isNamedBy({ strategy: 'a', symbol: 'SBIN', exchange: 'NSE' }, row)).toBe(true)
  expect(isNamedBy({ strategy: 'a', symbol: 'SBIN', exchange: 'BSE' }, row)).toBe(false)
  expect(isNamedBy({ strategy: 'b' }, row)).toBe(false)
})

describe('the money at stake', () => {
  const leg = { exchange: 'NSE' }
  const option = { exchange: 'NFO' }
  it.each([
    ['the value', { value: 100, margin: null, legs: [leg] }, 100],
    ['the margin where it is more: a sold option', { value: 3250, margin: 180_000, legs: [option] }, 180_000],
    ['the value where the margin is less', { value: 100, margin: 20, legs: [leg] }, 100],
    ['not known without the margin of a contract', { value: 3250, margin: null, legs: [option] }, null],
    ['not known without a value', { value: null, margin: 20, legs: [leg] }, null],
    [
      'not known while a part cannot be sent',
      { value: 0, margin: 0, legs: [{ ...leg, problem: 'not listed' }] },
      null,
    ],
  ])('is %s', (_name, order, money) => {
    expect(orderAtStake(order as unknown as PlannedOrder)).toBe(money)
  })

  it('with several orders is the sum, and not known while that of one is not', () => {
    const [known, unknown] = [planned(700, 0), planned(null, 0)].map((order) => ({ ...order, margin: 1000 }))
    if (known === undefined || unknown === undefined) throw new Error('No orders')
    expect(moneyAtStake([known, known])).toBe(2000)
    expect(moneyAtStake([known, unknown])).toBe(null)
  })
})

const planned = (value: number | null, ...drifts: (number | null)[]) =>
  ({ value, legs: drifts.map((drift_percent) => ({ drift_percent })) }) as PlannedOrder

describe('a limit', () => {
  it.each<[PlannedOrder, ApprovalRule, string | undefined]>([
    [planned(50_000), { maxValue: 50_000 }, undefined],
    [planned(50_001), { maxValue: 50_000 }, 'its value is ₹50,001.00, and the limit is ₹50,000.00'],
    [planned(null), { maxValue: 50_000 }, 'its value is not known, and the limit is ₹50,000.00'],
    [planned(1, 0.1, -0.1), { maxDrift: 0.1 }, undefined],
    [planned(1, 0.1, -0.2), { maxDrift: 0.1 }, 'its price has moved by 0.2 %, and the limit is 0.1 %'],
    [planned(1, 0.1, null), { maxDrift: 0.1 }, 'the drift of its price is not known'],
    [planned(1), { maxDrift: 0.1 }, 'the drift of its price is not known'],
    [planned(null, null), {}, undefined],
  ])('%#', (order, rule, why) => {
    expect(beyondRule(order, rule)).toBe(why)
  })
})
