import { expect, it } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

it('an OCO at the market needs its two triggers alone', async () => {
  const desk = await CliDesk.open()
  const oco = 'order gtt place SBIN NSE SELL 1 --product CNC --trigger-type OCO --type MARKET'
  expect(await desk.svc(`${oco} --trigger-sl 500 --trigger-tg 5000`)).toMatchObject({ exit: 0 })
  const [gtt] = JSON.parse((await desk.svc('order gtt list --json')).stdout)
  const leg = { action: 'SELL', quantity: 1, pricetype: 'MARKET', price: 0 }
  expect(gtt).toMatchObject({ trigger_type: 'two-leg', trigger_prices: [500, 5000], legs: [leg, leg] })
})
