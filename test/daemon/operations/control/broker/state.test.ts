import { expect, it } from 'vitest'
import { bearer, HttpDesk } from '../../../../support/desk/http-desk.js'
import { KiteDesk } from '../../../../support/desk/kite-desk.js'

it("GET /broker/status says what is left of the broker's call limits", async () => {
  const kite = await KiteDesk.start()
  const { api, ticker } = kite.fake.endpoints
  const http = await HttpDesk.open({
    env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.ticker=${ticker}` },
  })
  const { desk } = http
  await desk.service.brokers.use('zerodha')
  await kite.signIn(desk)
  const headers = bearer(await http.tokenOf('read'))
  const ofOrders = async () => {
    const { budgets } = (await http.request('GET', '/broker/status', { headers })).body.data as {
      budgets: { call_class: string; windows: unknown }[]
    }
    return budgets.find(({ call_class: callClass }) => callClass === 'order')
  }
  const perDay = (left: number) => ({ limit: 5000, per_ms: 86_400_000, left })
  expect(await ofOrders()).toMatchObject({ waiting: 0, refused: 0, windows: [{}, {}, perDay(5000)] })
  const order = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' } as const
  await desk.settled(desk.place({ ...order, pricetype: 'LIMIT', price: 800 }))
  expect(await ofOrders()).toMatchObject({ windows: [{}, {}, perDay(4999)] })
})
