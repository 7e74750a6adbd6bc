import { strategyOf } from '../catalog/strategy.js'
import type { StrategyHistory } from '../store/history-store.js'
import type { StrategyStore } from '../store/strategy-store.js'
import type { WebhookStrategies } from './ports.js'

interface StrategyParts {
  store: Pick<StrategyStore, 'byTokenHash'>
  history: Pick<StrategyHistory, 'lastStoppedAt'>
}

/** Returns the stored strategies as the webhook sees them. */
export function webhookStrategies({ history, store }: StrategyParts): WebhookStrategies {
  return {
    lastStoppedAt: (strategyId) => history.lastStoppedAt(strategyId),
    byTokenHash: async (hash) => {
      const row = await store.byTokenHash(hash)
      if (!row) return undefined
      const { config, id, liveEnabled, webhookLocked } = strategyOf(row)
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
