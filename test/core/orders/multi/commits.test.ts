import { expect, test } from 'vitest'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { commitsIn } from '../../../support/files/wal.js'

const {
  underlying_ltp: _ltp,
  strategy,
  ...LINE
} = payloadOf({ pricetype: 'LIMIT', price: 600, product: 'CNC' })

test('a live basket of 20 claims its orders in one commit, and each wave of ten records its results in one', async () => {
  const desk = await TestDesk.open()
  const { file } = desk.service.databases.svc
  const before = commitsIn(file)
  const orders = Array.from({ length: 20 }, () => LINE)
  const { body } = await desk.settled(
    desk.orders.multi.submit(BASKET_ORDER, { strategy, orders }, { userId: USER, source: 'api' }),
  )
  expect(body.results).toHaveLength(20)
  // Claims of all; then for each of the two waves: on their way, and the results.
  expect(commitsIn(file) - before).toBe(1 + 2 * 2)
})
