import { expect, test } from 'vitest'
import { CliDesk } from '../../support/desk/cli-desk.js'

test.each(['max_order_value=', 'max_order_quantity=', 'allowed_exchanges='])(
  'an empty value removes no limit: %s',
  async (word) => {
    const desk = await CliDesk.open()
    const rules = async () => JSON.parse((await desk.svc('risk show --json')).stdout).rules
    await desk.svc('risk set max_order_value=5000 max_order_quantity=5 allowed_exchanges=NSE --yes')
    const before = await rules()
    const { exit, stderr } = await desk.svc(`risk set ${word} --yes`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`${word.split('=')[0]} has no value`)])
    expect(await rules()).toEqual(before)
    expect((await desk.svc('risk set max_order_value=off --yes')).exit).toBe(0)
    expect((await rules()).max_order_value).toBeNull()
  },
)
