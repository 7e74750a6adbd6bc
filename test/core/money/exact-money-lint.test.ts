import { describe, expect, it } from 'vitest'
import { lintPlanted } from '../../support/planted-lint.js'

const FORBIDDEN = {
  'a product': 'price * quantity',
  'a quotient': 'total / quantity',
  'a power': '10 ** quantity',
  'a product of calls': 'Number(price) * Math.abs(quantity)',
  'a product assigned': 'price *= 1.5',
  'a quotient assigned': 'price /= quantity',
  'a rounding': 'Math.round(price)',
  'a rounding down': 'Math.floor(price)',
  'a rounding up': 'Math.ceil(price)',
  'a cutting off': 'Math.trunc(price)',
  'a function that rounds': '[price].map(Math.round)',
  'a decimal text': 'price.toFixed(2)',
  'a parsed float': "parseFloat('1.5')",
  'a float parsed by Number': "Number.parseFloat('1.5')",
  'a sum of rupees': 'fromMoney(1n) + fromMoney(2n)',
  'a difference of rupees': 'price - toRupees(2n)',
}

const ALLOWED = {
  'a product of bigints': 'amount * 10n',
  'a quotient of bigints': 'amount / BigInt(quantity)',
  'a bigint that grows': 'amount *= 10n',
  'a product of literals': '15 * 60_000',
  time: 'quantity * SECOND_MS',
  'a sum': 'price + quantity',
  'a function of the money module': 'timesQuantity(amount, quantity)',
}

const NOT_LEDGERS = [
  'options/pricing/black76.ts',
  'flows/indicators/trend.ts',
  'money/quantity.ts',
  'sandbox/engine/order-ids.ts',
  'brokers/simulated/market/pricer.ts',
]
const LEDGERS = [
  'sandbox/ledger.ts',
  'sandbox/deeper/one.ts',
  'orders/account/account-views.ts',
  'risk/day-counts.ts',
  'approvals/drift.ts',
  'brokers/simulated/exchange/account.ts',
]

describe('the rule against floats', () => {
  it('reports them in money code and nowhere else', () => {
    const forms = (cases: Record<string, string>) =>
      Object.entries(cases).map(([name, expression]) => ({
        file: `core/sandbox/${name.replaceAll(' ', '-')}.ts`,
        expression,
      }))
    const products = (files: readonly string[]) =>
      files.map((file) => ({ file: `core/${file}`, expression: 'price * quantity' }))
    const forbidden = [...forms(FORBIDDEN), ...products(LEDGERS)]
    const allowed = [...forms(ALLOWED), ...products(NOT_LEDGERS)]
    expect(lintPlanted('exact-money', [...forbidden, ...allowed])).toEqual({
      found: forbidden.map(({ file }) => file).sort(),
      broken: [],
    })
  })
})
