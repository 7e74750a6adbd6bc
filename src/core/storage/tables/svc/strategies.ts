import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ActCredential } from '../../../audit/schema.js'
import type { Action } from '../../../orders/schema.js'
import type {
  EventKind,
  ExitOwner,
  LegExchange,
  RunMode,
  RunTrigger,
  Severity,
  StopReason,
  StrategyOrderKind,
  StrategyOrderStatus,
  StrategyProduct,
  StrategyStatus,
  StrategyVersionOrigin,
  WebhookResult,
} from '../../../strategies/schema.js'

export { strategyCursor, strategyLegs } from '../strategies.js'

// Times are UTC milliseconds. Money is in ten-thousandths of a rupee, and quantities are whole numbers.

/** Strategies: their configuration and state. */
export const strategies = sqliteTable(
  'strategies',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text('user_id').notNull(),
    name: text().notNull(),
    /** The canonical configuration as JSON: what a request or a file says, with every default. */
    config: text().notNull(),
    liveEnabled: integer('live_enabled', { mode: 'boolean' }).notNull().default(false),
    webhookTokenHash: text('webhook_token_hash').notNull(),
    webhookLocked: integer('webhook_locked', { mode: 'boolean' }).notNull().default(false),
    status: text().$type<StrategyStatus>().notNull().default('stopped'),
    currentRunId: integer('current_run_id'),
    /** The key of the file the strategy is kept in; null if it was made by hand. */
    fileKey: text('file_key'),
    /** The hash of the configuration last applied from the file. */
    appliedHash: text('applied_hash'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('strategies_name').on(table.userId, table.name),
    uniqueIndex('strategies_token').on(table.webhookTokenHash),
    uniqueIndex('strategies_file').on(table.userId, table.fileKey),
  ],
)

/** All versions of a strategy's configuration, with author, time, file and commit. Rows are added, never changed. */
export const strategyVersions = sqliteTable(
  'strategy_versions',
  {
    strategyId: integer('strategy_id').notNull(),
    version: integer().notNull(),
    at: integer().notNull(),
    by: text().notNull(),
    /** The credential of the author; `unknown` for what was stored before versions were. */
    credential: text().$type<ActCredential>().notNull(),
    credentialId: text('credential_id'),
    origin: text().$type<StrategyVersionOrigin>().notNull(),
    /** The earlier version whose configuration a rollback restored. */
    rolledBackTo: integer('rolled_back_to'),
    /** The file that the strategy was last applied from; a change by hand keeps it. */
    file: text(),
    commit: text(),
    name: text().notNull(),
    /** The canonical configuration as JSON, as the strategy has it. */
    config: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.strategyId, table.version] })],
)

/** Runs of strategies. A run without `stopped_at` is unfinished; a strategy has at most one. */
export const strategyRuns = sqliteTable(
  'strategy_runs',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    strategyId: integer('strategy_id').notNull(),
    mode: text().$type<RunMode>().notNull(),
    /** The broker of a live run; `sandbox` otherwise. */
    broker: text().notNull(),
    startedAt: integer('started_at').notNull(),
    stoppedAt: integer('stopped_at'),
    stopReason: text('stop_reason').$type<StopReason>(),
    /** Since when a person must look at the run. The service manages neither its orders nor their late fills. */
    reservedAt: integer('reserved_at'),
    reservedReason: text('reserved_reason'),
    /** The time of a fill that came after the end, until it is squared off. */
    reopenedAt: integer('reopened_at'),
    stopRequestedAt: integer('stop_requested_at'),
    stopRequestedReason: text('stop_requested_reason').$type<StopReason>(),
    pnlRealized: integer('pnl_realized').notNull().default(0),
    /** The part of it that the run realised since the last 03:00 IST before its end. */
    pnlSession: integer('pnl_session').notNull().default(0),
    pnlPeak: integer('pnl_peak').notNull().default(0),
    pnlTrough: integer('pnl_trough').notNull().default(0),
    triggerSource: text('trigger_source').$type<RunTrigger>().notNull(),
    webhookEventId: integer('webhook_event_id'),
    /** A JSON object: the expiry that each leg resolved to. */
    resolvedExpiries: text('resolved_expiries').notNull().default('{}'),
    /** The configuration and the contracts the run began with, as JSON; recovery reads them. */
    definition: text().notNull().default('{}'),
  },
  (table) => [
    index('strategy_runs_strategy').on(table.strategyId, table.id),
    // The last finished run of a strategy, and the finished runs of a session.
    index('strategy_runs_stopped').on(table.strategyId, table.stoppedAt),
    uniqueIndex('strategy_runs_unfinished').on(table.strategyId).where(sql`stopped_at is null`),
    index('strategy_runs_reopened').on(table.id).where(sql`reopened_at is not null`),
    index('strategy_runs_signal').on(table.webhookEventId).where(sql`webhook_event_id is not null`),
  ],
)

/** Orders of runs. A row is stored before its order is sent. */
export const strategyOrders = sqliteTable(
  'strategy_orders',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    strategyId: integer('strategy_id').notNull(),
    runId: integer('run_id').notNull(),
    legId: integer('leg_id').notNull(),
    kind: text().$type<StrategyOrderKind>().notNull(),
    /** The position the order belongs to: 32 hex characters, new for each position of a leg. */
    positionRef: text('position_ref').notNull(),
    exitOwner: text('exit_owner').$type<ExitOwner>().notNull(),
    /** Our reference, made before dispatch. The journal or the sandbox knows the order by it. */
    orderRef: text('order_ref').notNull(),
    /** The row of the approval queue that waits with this order. */
    pendingOrderId: integer('pending_order_id'),
    brokerOrderId: text('broker_order_id'),
    symbol: text().notNull(),
    exchange: text().$type<LegExchange>().notNull(),
    action: text().$type<Action>().notNull(),
    quantity: integer().notNull(),
    product: text().$type<StrategyProduct>().notNull(),
    pricetype: text().notNull().default('MARKET'),
    price: integer().notNull().default(0),
    triggerPrice: integer('trigger_price').notNull().default(0),
    status: text().$type<StrategyOrderStatus>().notNull().default('pending'),
    placedAt: integer('placed_at').notNull(),
    filledAt: integer('filled_at'),
    averagePrice: integer('avg_fill_price'),
    filledQuantity: integer('filled_qty').notNull().default(0),
    rejectReason: text('reject_reason'),
    /** Of an entry: the units of its position that somebody else has closed. */
    closedElsewhere: integer('closed_elsewhere').notNull().default(0),
  },
  (table) => [
    index('strategy_orders_run').on(table.runId, table.id),
    index('strategy_orders_strategy').on(table.strategyId, table.id),
    uniqueIndex('strategy_orders_ref').on(table.orderRef),
    index('strategy_orders_broker').on(table.brokerOrderId).where(sql`broker_order_id is not null`),
    index('strategy_orders_approval').on(table.pendingOrderId).where(sql`pending_order_id is not null`),
    index('strategy_orders_working').on(table.id).where(sql`status in ('pending', 'open')`),
  ],
)

/** Snapshots of running strategies: trailing levels, peaks and floors, which no order row holds. */
export const strategyCheckpoints = sqliteTable(
  'strategy_checkpoints',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    strategyId: integer('strategy_id').notNull(),
    runId: integer('run_id').notNull(),
    ts: integer().notNull(),
    pnlRealized: integer('pnl_realized').notNull(),
    pnlUnrealized: integer('pnl_unrealized').notNull(),
    pnlTotal: integer('pnl_total').notNull(),
    pnlPeak: integer('pnl_peak').notNull(),
    pnlTrough: integer('pnl_trough').notNull(),
    lockFloor: integer('lock_floor'),
    trailToEntryActive: integer('trail_to_entry_active', { mode: 'boolean' }).notNull().default(false),
    /** The levels of each leg as JSON. */
    legState: text('leg_state').notNull(),
  },
  (table) => [
    index('strategy_checkpoints_run').on(table.runId, table.id),
    index('strategy_checkpoints_strategy').on(table.strategyId),
  ],
)

/** Events of strategies and runs. Rows are only added; they go with their strategy. */
export const strategyEvents = sqliteTable(
  'strategy_events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    strategyId: integer('strategy_id').notNull(),
    /** Null for a change of the configuration. */
    runId: integer('run_id'),
    userId: text('user_id').notNull(),
    ts: integer().notNull(),
    kind: text().$type<EventKind>().notNull(),
    severity: text().$type<Severity>().notNull(),
    legId: integer('leg_id'),
    message: text().notNull(),
    /** A JSON object whose fields depend on the kind. */
    payload: text(),
  },
  (table) => [
    // One index for each filter, so that a rare kind of a busy strategy is found without reading the others.
    index('strategy_events_strategy').on(table.strategyId, table.ts, table.id),
    index('strategy_events_kind').on(table.strategyId, table.kind, table.ts, table.id),
    index('strategy_events_severity').on(table.strategyId, table.severity, table.ts, table.id),
    index('strategy_events_run').on(table.runId, table.ts, table.id).where(sql`run_id is not null`),
  ],
)

/** Calls of strategy webhooks, accepted or refused. */
export const strategyWebhookEvents = sqliteTable(
  'strategy_webhook_events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    /** Null if the token belongs to no strategy. */
    strategyId: integer('strategy_id'),
    action: text(),
    mode: text(),
    /** The body as JSON, without credentials. */
    payload: text(),
    ip: text().notNull(),
    userAgent: text('user_agent').notNull().default(''),
    receivedAt: integer('received_at').notNull(),
    result: text().$type<WebhookResult>().notNull(),
    error: text(),
  },
  (table) => [index('strategy_webhook_events_strategy').on(table.strategyId, table.id)],
)

/** The last accepted delivery of each action and mode to a batch strategy. For a minute the next one is a duplicate. */
export const strategyWebhookClaims = sqliteTable(
  'strategy_webhook_claims',
  {
    strategyId: integer('strategy_id').notNull(),
    action: text().notNull(),
    /** Empty for a stop. */
    mode: text().notNull(),
    /** The row of the delivery in the audit. The run that it started names it, too. */
    eventId: integer('event_id').notNull(),
    claimedAt: integer('claimed_at').notNull(),
    /** True once the engine has acted. After a crash, a claim without it may belong to a delivery without effect. */
    isSettled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.strategyId, table.action, table.mode] })],
)
