import type { BrokerContext, BrokerPlugin, BrokerSession } from '../../../../src/core/brokers/broker.js'

interface Connected<Fake, Context> {
  plugin: BrokerPlugin
  session: BrokerSession
  fake: Fake
  context: Context
}

/** A client connected to a fake broker; the end of the rig ends both. */
export function connectedTo<Fake extends { stop(): Promise<void> }, Context extends BrokerContext>({
  context,
  fake,
  plugin,
  session,
}: Connected<Fake, Context>) {
  const client = plugin.connect(session, context)
  return {
    fake,
    context,
    client,
    async close() {
      await client.close()
      await fake.stop()
    },
  }
}
