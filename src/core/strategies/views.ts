import { fromColumn, fromMoney, toRupees } from '../money/index.js'
import { utcIso } from '../time/index.js'
import { objectIn } from '../validation/index.js'
import { configOfVersion } from './catalog/change-source.js'
import { isDrifted, type Strategy } from './catalog/strategy.js'
import type { UnfinishedRun } from './runs/schema.js'
import type { StrategyEventRow } from './store/event-store.js'
import type { CheckpointRow, StrategyOrderRow, StrategyRunRow } from './store/history-store.js'
import type { FinalizedRun } from './store/strategy-store.js'
import type { ListedVersion, VersionRow } from './store/version-store.js'
import type { WebhookEventRow } from './store/webhook-event-store.js'

/** Rows as answers show them: times in UTC, money in rupees. */

/** Returns a strategy without its owner and the hash of its token. */
export function strategyView(strategy: Strategy, run: UnfinishedRun | undefined) {
  const { legs, ...config } = strategy.config
  return { ...headView(strategy, run, config), legs }
}

/** Returns a strategy for a list: without its legs, with the result of its last finished run. */
export function strategyListView(
  strategy: Strategy,
  run: UnfinishedRun | undefined,
  last: FinalizedRun | undefined,
) {
  const { legs, ...config } = strategy.config
  return {
    ...headView(strategy, run, config),
    last_finalized_run: last
      ? { id: last.id, pnl_realized: rupees(last.pnlRealized), stopped_at: utcIso(last.stoppedAt) }
      : null,
  }
}

function headView<C>(strategy: Strategy, run: UnfinishedRun | undefined, config: C) {
  return {
    id: strategy.id,
    ...config,
    live_enabled: strategy.liveEnabled,
    webhook_locked: strategy.webhookLocked,
    status: strategy.status,
    current_run_id: strategy.currentRunId,
    run_state: run?.state ?? null,
    file_key: strategy.fileKey,
    drifted: isDrifted(strategy),
    created_at: utcIso(strategy.createdAt),
    updated_at: utcIso(strategy.updatedAt),
  }
}

/** Returns a version for a list: without its configuration. */
export function versionView(row: ListedVersion, current: number | undefined) {
  return {
    version: row.version,
    at: utcIso(row.at),
    by: row.by,
    credential: row.credential,
    credential_id: row.credentialId,
    origin: row.origin,
    rolled_back_to: row.rolledBackTo,
    file: row.file,
    commit: row.commit,
    name: row.name,
    current: row.version === current,
  }
}

/** Returns a version with its configuration. @throws ServiceError `validation` for one that this version of svc refuses */
export function wholeVersionView(row: VersionRow, current: number | undefined) {
  return { ...versionView(row, current), config: configOfVersion(row) }
}

export function runView(row: StrategyRunRow) {
  return {
    id: row.id,
    strategy_id: row.strategyId,
    mode: row.mode,
    broker: row.broker,
    started_at: utcIso(row.startedAt),
    stopped_at: isoOrNull(row.stoppedAt),
    stop_reason: row.stopReason,
    stop_requested_at: isoOrNull(row.stopRequestedAt),
    stop_requested_reason: row.stopRequestedReason,
    reserved_at: isoOrNull(row.reservedAt),
    reserved_reason: row.reservedReason,
    pnl_realized: rupees(row.pnlRealized),
    pnl_peak: rupees(row.pnlPeak),
    pnl_trough: rupees(row.pnlTrough),
    trigger_source: row.triggerSource,
    webhook_event_id: row.webhookEventId,
    resolved_expiries: storedObject(row.resolvedExpiries) ?? {},
  }
}

export function orderView(row: StrategyOrderRow) {
  return {
    id: row.id,
    run_id: row.runId,
    leg_id: row.legId,
    kind: row.kind,
    position_ref: row.positionRef,
    exit_owner: row.exitOwner,
    order_ref: row.orderRef,
    pending_order_id: row.pendingOrderId,
    broker_order_id: row.brokerOrderId,
    symbol: row.symbol,
    exchange: row.exchange,
    action: row.action,
    qty: row.quantity,
    product: row.product,
    pricetype: row.pricetype,
    price: fromMoney(fromColumn(row.price)),
    trigger_price: fromMoney(fromColumn(row.triggerPrice)),
    status: row.status,
    placed_at: utcIso(row.placedAt),
    filled_at: isoOrNull(row.filledAt),
    avg_fill_price: row.averagePrice === null ? null : fromMoney(fromColumn(row.averagePrice)),
    filled_qty: row.filledQuantity,
    reject_reason: row.rejectReason,
  }
}

export function eventView(row: StrategyEventRow) {
  return {
    id: row.id,
    run_id: row.runId,
    strategy_id: row.strategyId,
    ts: utcIso(row.ts),
    kind: row.kind,
    severity: row.severity,
    leg_id: row.legId,
    message: row.message,
    payload: storedObject(row.payload),
  }
}

export function webhookEventView(row: WebhookEventRow) {
  return {
    id: row.id,
    strategy_id: row.strategyId,
    action: row.action,
    mode: row.mode,
    payload: row.payload === null ? null : valueIn(row.payload),
    ip: row.ip,
    user_agent: row.userAgent,
    received_at: utcIso(row.receivedAt),
    result: row.result,
    error: row.error,
  }
}

export function checkpointView(row: CheckpointRow) {
  return {
    id: row.id,
    run_id: row.runId,
    ts: utcIso(row.ts),
    pnl_realized: rupees(row.pnlRealized),
    pnl_unrealized: rupees(row.pnlUnrealized),
    pnl_total: rupees(row.pnlTotal),
    pnl_peak: rupees(row.pnlPeak),
    pnl_trough: rupees(row.pnlTrough),
    lock_floor: row.lockFloor === null ? null : rupees(row.lockFloor),
    trail_to_entry_active: row.trailToEntryActive,
    leg_state: valueIn(row.legState),
  }
}

const rupees = (units: number) => toRupees(fromColumn(units))
const isoOrNull = (ms: number | null) => (ms === null ? null : utcIso(ms))
const valueIn = (text: string): unknown => JSON.parse(text)

function storedObject(text: string | null): Record<string, unknown> | null {
  return text === null ? null : (objectIn(JSON.parse(text)) ?? null)
}
