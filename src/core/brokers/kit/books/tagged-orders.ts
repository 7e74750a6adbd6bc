import type { BrokerContext, BrokerOrder } from '../../broker.js'

/**
 * Returns orders by our tags, which name one order each: of several an accepted one counts, and they are logged.
 * @param withTag returns the orders that the broker has with a tag
 */
export async function ordersByTag(
  { log }: Pick<BrokerContext, 'log'>,
  tags: readonly string[],
  withTag: (tag: string) => readonly BrokerOrder[] | Promise<readonly BrokerOrder[]>,
): Promise<Map<string, BrokerOrder>> {
  const found = new Map<string, BrokerOrder>()
  for (const tag of tags) {
    const orders = await withTag(tag)
    if (orders.length > 1) log.error('broker.tag_not_unique', { tag, orders: orders.length })
    const order = orders.find(({ status }) => status !== 'rejected') ?? orders[0]
    if (order) found.set(tag, order)
  }
  return found
}
