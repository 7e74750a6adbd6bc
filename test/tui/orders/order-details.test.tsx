import { expect, it, vi } from 'vitest'
import { OrderDetails, OrderDetailsFeed } from '../../../src/tui/orders/OrderDetails.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

let isDrawing = false
/** React draws siblings one after the other. */
function Drawing({ is }: { is: boolean }) {
  isDrawing = is
  return null
}

it('the read of an order starts after the drawing', async () => {
  const drawn: boolean[] = []
  vi.spyOn(OrderDetailsFeed.prototype, 'choose').mockImplementation(() => {
    drawn.push(isDrawing)
  })
  const { access } = await liveDesk()
  const { shows } = await shown(
    access,
    <>
      <Drawing is />
      <OrderDetails id="7" width={80} height={20} />
      <Drawing is={false} />
    </>,
  )
  await shows('Reading order 7 …')
  expect(drawn).toEqual([false])
})
