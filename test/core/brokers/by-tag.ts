import type { BrokerClient, BrokerOrder } from '../../../src/core/brokers/broker.js'

/** Returns the order with a tag. */
export async function byTag(
  { orders }: Pick<BrokerClient, 'orders'>,
  tag: string,
): Promise<BrokerOrder | undefined> {
  return (await orders.findByTags([tag])).get(tag)
}
