import { angel } from '../../core/brokers/angel/index.js'
import { dhan } from '../../core/brokers/dhan/index.js'
import type { BrokerPlugin } from '../../core/brokers/index.js'
import { upstox } from '../../core/brokers/upstox/index.js'
import { zerodha } from '../../core/brokers/zerodha/index.js'

/** The plugins of all brokers but the simulated one, which is made from its settings. */
export const BROKER_PLUGINS: readonly BrokerPlugin[] = [zerodha, upstox, angel, dhan]
