import { readConfig } from '../catalog/strategy.js'
import type { StrategyConfig } from '../config/index.js'
import type { StrategyHistory } from '../store/history-store.js'
import type { StrategyRow, StrategyStore } from '../store/strategy-store.js'
import type { WebhookStrategies } from './ports.js'

interface StrategyParts {
  store: Pick<StrategyStore, 'byTokenHash'>
  history: Pick<StrategyHistory, 'lastStoppedAt'>
}

/** Returns the stored strategies as the webhook sees them. A configuration is read once, until it changes. */
export function webhookStrategies({ history, store }: StrategyParts): WebhookStrategies {
  const configOf = remembered()
  return {
    lastStoppedAt: (strategyId) => history.lastStoppedAt(strategyId),
    byTokenHash: async (hash) => {
      const row = await store.byTokenHash(hash)
      if (!row) return undefined
      const { id, liveEnabled, webhookLocked } = row
      const config = configOf(row)
      const isSignal = config.strategy_kind === 'signal'
      return {
        id,
        kind: config.strategy_kind,
        direction: config.direction,
        strategyType: config.strategy_type,
        product: config.product,
        entryTime: config.entry_time,
        exitTime: config.exit_time,
        liveEnabled,
        webhookTokenHash: row.webhookTokenHash,
        webhookLocked,
        webhookIpAllowlist: config.webhook_ip_allowlist,
        legs: isSignal ? config.legs.map(({ qty_mode: qtyMode, ...leg }) => ({ ...leg, qtyMode })) : [],
      }
    },
  }
}

/** Returns a reader of configurations that remembers the last one of each strategy with its text. */
function remembered(): (row: StrategyRow) => StrategyConfig {
  const known = new Map<number, { text: string; config: StrategyConfig }>()
  return (row) => {
    const last = known.get(row.id)
    if (last?.text === row.config) return last.config
    const config = readConfig(row)
    known.set(row.id, { text: row.config, config })
    return config
  }
}
