import { canonicalJson, withoutNulls } from '../../documents/index.js'
import { sha256Hex } from '../../secrets/index.js'
import type { StrategyConfig } from '../config/index.js'
import { readStrategy } from '../config/index.js'
import type { StrategyRow } from '../store/strategy-store.js'

/** A strategy as it is stored. Instants are epoch milliseconds. */
export interface Strategy extends Omit<StrategyRow, 'config' | 'webhookTokenHash'> {
  readonly config: StrategyConfig
  /** Equal for two strategies exactly when their configurations are. */
  readonly contentHash: string
  /** Tells two webhook tokens apart and reveals neither. */
  readonly webhookFingerprint: string
}

const FINGERPRINT_LENGTH = 12

/** Reads a stored row. Fields that a newer version added get their defaults. */
export function strategyOf({ config: text, webhookTokenHash: hash, ...row }: StrategyRow): Strategy {
  const config = readConfig({ id: row.id, config: text })
  const webhookFingerprint = hash.slice(0, FINGERPRINT_LENGTH)
  return { ...row, config, contentHash: contentHash(config), webhookFingerprint }
}

/** Reads the configuration of a stored row. Fields that a newer version added get their defaults. */
export function readConfig({ config: text, id }: Pick<StrategyRow, 'config' | 'id'>): StrategyConfig {
  const { config, problems } = readStrategy(JSON.parse(text))
  if (!config) throw new Error(`strategy ${id} cannot be read: ${problems[0]?.message}`)
  return config
}

/**
 * Returns the hash of a configuration. Members that are null do not count, so a field that a later version adds does not
 * change the hash of a strategy that does not use it.
 */
export function contentHash(config: StrategyConfig): string {
  return sha256Hex(canonicalJson(withoutNulls(config)))
}

/** Returns whether a strategy that is kept in a file was changed by hand since it was applied. */
export function isDrifted({ fileKey, appliedHash, contentHash: hash }: Strategy): boolean {
  return fileKey !== null && appliedHash !== hash
}

/** Returns whether a run holds the strategy: its configuration and its mode must not change now. */
export function isRunning({ status, currentRunId }: Pick<Strategy, 'status' | 'currentRunId'>): boolean {
  return status === 'running' || status === 'paused' || currentRunId !== null
}
