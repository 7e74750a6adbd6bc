import { describe, expect, test } from 'vitest'
import { DEFAULT_RULES } from '../../../src/core/risk/index.js'
import { RiskStore } from '../../../src/core/risk/store.js'
import { TestDesk } from '../../support/desk/desk.js'

describe('stored limits', () => {
  test('are read back as they were set, over the defaults', async () => {
    const { service } = await TestDesk.open()
    const store = new RiskStore(service.databases.svc)
    const change = { max_day_loss: 5000, allowed_exchanges: ['NSE', 'NFO'], max_order_value: null }
    await store.saveRules(change, 'asha', 1)
    expect(await store.rules()).toEqual({ ...DEFAULT_RULES, ...change })
  })

  test.each([
    ['max_day_loss', '"5000"'],
    ['max_order_quantity', '-1'],
    ['allowed_exchanges', '["NSE","MOON"]'],
    ['no_such_rule', '1'],
  ])('that cannot be read are not passed over: %s %s', async (rule, value) => {
    const { service } = await TestDesk.open()
    await service.databases.svc.write((tx) =>
      tx.exec('insert into risk_rules (rule, value, updated_at, updated_by) values (?, ?, 1, ?)', [
        rule,
        value,
        'x',
      ]),
    )
    await expect(new RiskStore(service.databases.svc).rules()).rejects.toThrow(
      `a stored risk rule cannot be read`,
    )
  })
})
