import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { SystemClock } from '../../../../src/core/time/index.js'

/** A market order for one share of INFY, with changes. */
export function orderOf(changes: Partial<OrderRequest> = {}): OrderRequest {
  return {
    strategy: 'test',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
    ...changes,
  }
}

const REAL = new SystemClock()
const PATIENCE_MS = 5000

/** Waits for an effect of real sockets, independently of the client's clock. */
export async function until<T>(probe: () => T | undefined | false): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited++) {
    const found = probe()
    if (found !== undefined && found !== false) return found
    await REAL.sleep(1)
  }
  throw new Error('it did not come about')
}
