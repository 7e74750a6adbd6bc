import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import initSqlJs, { type SqlValue as SqlJsValue } from 'sql.js'
import { afterEach, expect, test, vi } from 'vitest'
import { ApprovalStore } from '../../../src/core/approvals/store.js'
import { LiveOrderStore } from '../../../src/core/audit/order-store.js'
import { SimulatedOrderStore } from '../../../src/core/audit/sandbox-store.js'
import { AuditStore, hasTrail } from '../../../src/core/audit/store.js'
import { AlgoStore } from '../../../src/core/brokers/algos/store.js'
import { BrokerStore } from '../../../src/core/brokers/session/store.js'
import { ExchangeStore } from '../../../src/core/brokers/simulated/exchange/exchange-store.js'
import { CalendarStore } from '../../../src/core/calendar/store.js'
import { ChartStore } from '../../../src/core/chart/store.js'
import { EventNumberStore } from '../../../src/core/events/index.js'
import { FlowStore } from '../../../src/core/flows/store.js'
import { WebhookKeyStore } from '../../../src/core/flows/webhook/key-store.js'
import { HealthStore } from '../../../src/core/health/store.js'
import { accountOf, revokedTokens } from '../../../src/core/identity/credentials/ended-access-store.js'
import { RecoveryStore } from '../../../src/core/identity/recovery/store.js'
import { IdentityStore } from '../../../src/core/identity/store.js'
import { replaceLostSecret } from '../../../src/core/identity/totp/lost-secret-store.js'
import { FreezeStore } from '../../../src/core/instruments/freeze/store.js'
import { SearchStore } from '../../../src/core/instruments/search/store.js'
import { InstrumentStore } from '../../../src/core/instruments/store.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { McpAuditStore } from '../../../src/core/mcp/audit/store.js'
import { OAuthStore } from '../../../src/core/mcp/oauth/store.js'
import { ContactStore, linkedAddresses } from '../../../src/core/notifications/contacts/store.js'
import { QueueStore } from '../../../src/core/notifications/queue/store.js'
import { MessageSettingsStore } from '../../../src/core/notifications/settings/store.js'
import { DriftStore } from '../../../src/core/orders/drift/drift-store.js'
import { countUnsettled, countWorking, LIVE_FILLS, StrategyTotals } from '../../../src/core/orders/index.js'
import { OrderHistory } from '../../../src/core/orders/journal/history-store.js'
import { Idempotency } from '../../../src/core/orders/journal/idempotency.js'
import { OrderJournal } from '../../../src/core/orders/journal/journal.js'
import { DoubtStore } from '../../../src/core/orders/journal/reconciliation/doubt-store.js'
import { OrderTrace } from '../../../src/core/orders/journal/trace-store.js'
import { TypeStore } from '../../../src/core/orders/journal/type-store.js'
import { BatchStore } from '../../../src/core/orders/multi/plans/batch-store.js'
import { StrategyOrderStore } from '../../../src/core/orders/strategy/order-store.js'
import { RiskStore } from '../../../src/core/risk/store.js'
import { SandboxHistory } from '../../../src/core/sandbox/storage/history-store.js'
import { SandboxStore } from '../../../src/core/sandbox/storage/store.js'
import { SecretBox } from '../../../src/core/secrets/index.js'
import { BanStore } from '../../../src/core/security/ban-store.js'
import { TRACKER_TABLES, TrackerStore } from '../../../src/core/security/tracker-store.js'
import { SettingsStore } from '../../../src/core/settings/store.js'
import { Database, type SqlValue } from '../../../src/core/storage/index.js'
import { SqliteConnection } from '../../../src/core/storage/sqlite.js'
import { countRunning, RunStore } from '../../../src/core/strategies/index.js'
import { StrategyEventStore } from '../../../src/core/strategies/store/event-store.js'
import { StrategyHistory } from '../../../src/core/strategies/store/history-store.js'
import { StrategyStore } from '../../../src/core/strategies/store/strategy-store.js'
import { StrategyVersionStore } from '../../../src/core/strategies/store/version-store.js'
import { WebhookEventStore } from '../../../src/core/strategies/store/webhook-event-store.js'
import { ClaimStore } from '../../../src/core/strategies/webhook/claim-store.js'
import { LatencyStore } from '../../../src/core/telemetry/latency/latency-store.js'
import { OrderLogStore } from '../../../src/core/telemetry/order-log-store.js'
import { TrailStore } from '../../../src/core/telemetry/requests/trail-store.js'
import { TrafficStore } from '../../../src/core/telemetry/traffic/traffic-store.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { type Chance, seeded } from '../../support/chance/chance.js'
import { tempDir } from '../../support/files/temp.js'
import { storeQueries } from './store-queries.js'

/* Promise 2b: what every query of the service returns is what another SQLite, read by position, returns. */
const FILES = ['svc', 'sandbox', 'logs', 'exchange'] as const
type File = (typeof FILES)[number]
const ROWS = 40
const USER = 'asha'

/** Parts of texts: those that queries search for, and those that are hard to store. */
const TEXTS = [
  ...[USER, 'ravi', 'pending', 'approved', 'rejected', 'executing', 'in_doubt', 'open', 'complete', 'live'],
  ...['claimed', 'sending', 'partial', 'filled', 'accepted', 'active', 'triggering', 'trigger pending'],
  ...[
    'analyze',
    'placeorder',
    'PLACE',
    'BUY',
    'SBIN',
    'NSE',
    'a',
    "it's",
    '₹ नमस्ते',
    '',
    '{}',
    '{"strategy":"a"}',
  ],
]
const WORKFLOW = 3
const claim = { id: 2, userId: USER, by: 'x', at: 1 }
const NEW_RUN = {
  ...({ strategyId: 2, config: '{}', mode: 'live', broker: 'simulated', trigger: 'manual' } as const),
  webhookEventId: undefined,
  expiries: {},
  at: 1,
}
const NO_DEFINITION = {
  ...({
    runId: 1,
    strategyId: 2,
    strategyName: 'x',
    kind: 'batch',
    mode: 'live',
    trigger: 'manual',
  } as const),
  legs: [],
  earlierRealized: 0,
  exitAt: null,
  date: '2026-11-20',
  risk: {
    overallStop: null,
    overallTarget: null,
    dailyLossLimit: null,
    lockProfit: null,
    trailToEntry: false,
  },
}
const CLAIM = { strategyId: 3, action: 'start', mode: 'live' }
const DELIVERY = {
  ...CLAIM,
  payload: null,
  ip: '',
  userAgent: '',
  receivedAt: 1,
  result: 'ok',
  error: null,
} as const
const batch = { batchRef: 'a', userId: USER, operation: 'a', source: 'api', mode: 'live' } as const

/** The stores, on files with random rows. */
async function openStores(directory: string, db: Record<File, Database>) {
  const clock = new VirtualClock(50)
  const journal = new OrderJournal(db.svc, clock)
  const secrets = await SecretBox.derive({ appKey: 'a'.repeat(64), salt: 'b'.repeat(32) })
  return {
    db,
    journal,
    approvals: await ApprovalStore.open(db.svc),
    audit: new AuditStore(db.svc),
    brokers: new BrokerStore(db.svc, secrets),
    calendar: new CalendarStore(db.svc),
    chart: new ChartStore(db.svc),
    contacts: new ContactStore(db.svc),
    messageQueue: new QueueStore(db.svc),
    messageSettings: new MessageSettingsStore(db.svc),
    flows: await FlowStore.open(db.svc),
    strategies: new StrategyStore(db.svc),
    strategyEvents: new StrategyEventStore(db.svc),
    strategyHistory: new StrategyHistory(db.svc),
    strategyVersions: new StrategyVersionStore(db.svc),
    strategyCalls: await WebhookEventStore.open(db.svc),
    eventNumbers: new EventNumberStore(db.svc),
    webhookKeys: new WebhookKeyStore(db.svc),
    identity: new IdentityStore(db.svc),
    recovery: new RecoveryStore(db.svc),
    search: new SearchStore(db.svc),
    instruments: new InstrumentStore(db.svc),
    freeze: new FreezeStore(db.svc),
    batches: new BatchStore(db.svc, clock),
    keys: new Idempotency(db.svc, clock),
    totals: new StrategyTotals(
      db.svc,
      LIVE_FILLS,
      { sessionOf: String, hasEnded: () => false },
      silentLogger,
    ),
    risk: new RiskStore(db.svc),
    settings: new SettingsStore(db.svc),
    sandbox: new SandboxStore(db.sandbox),
    orderLog: new OrderLogStore(db.logs, 'live'),
    latency: new LatencyStore(db.logs),
    bans: new BanStore(db.svc),
    trackers: Object.values(TRACKER_TABLES).map((table) => new TrackerStore(db.logs, table)),
    mcpAudit: new McpAuditStore(db.logs),
    oauth: new OAuthStore(db.svc),
    traffic: new TrafficStore(db.logs),
    trail: new TrailStore(db.logs),
    trace: new OrderTrace(db.svc),
    health: new HealthStore(db.logs),
    algos: new AlgoStore(db.svc),
    exchange: await ExchangeStore.open(directory),
  }
}
type Stores = Awaited<ReturnType<typeof openStores>>

const refuse = async () => Promise.reject(new Error('only the look-up is wanted'))

/** A call of each query; private queries are called through their callers. */
const CASES: Readonly<Record<string, (stores: Stores) => unknown>> = {
  'health/store.ts newest': ({ health }) => health.newest(),
  'health/store.ts history': ({ health }) => health.history(1, 3),
  'health/store.ts page': ({ health }) => health.page(1, 3, 7),
  'health/store.ts statistics': ({ health }) => health.statistics(1),
  'health/store.ts purge': ({ health }) => health.purge(1),
  'health/store.ts openAlerts': ({ health }) => health.openAlerts(),
  'mcp/audit/store.ts list': ({ mcpAudit }) => mcpAudit.list({ tool: 'a', clientId: 'open' }, 7),
  'mcp/audit/store.ts count': ({ mcpAudit }) => mcpAudit.count({ outcome: 'open', scope: 'a' }),
  'mcp/audit/store.ts purge': ({ mcpAudit }) => mcpAudit.purge(20),
  'mcp/oauth/store.ts clients': ({ oauth }) => oauth.clients(),
  'mcp/oauth/store.ts openGrants': ({ oauth }) => oauth.openGrants(),
  'mcp/oauth/store.ts familyOf': ({ oauth }) => oauth.familyOf('a'),
  'mcp/oauth/store.ts keys': ({ oauth }) => oauth.keys(),
  'notifications/contacts/store.ts load': ({ contacts }) => contacts.load(),
  'notifications/contacts/store.ts commandsSince': ({ contacts }) => contacts.commandsSince(0),
  'notifications/queue/store.ts due': ({ messageQueue }) => messageQueue.due('telegram', 1e15, 10),
  'notifications/queue/store.ts waiting': ({ messageQueue }) => messageQueue.waiting('telegram'),
  'notifications/queue/store.ts list': ({ messageQueue }) => messageQueue.list({ before: 1e9, limit: 10 }),
  'notifications/queue/store.ts tallies': ({ messageQueue }) => messageQueue.tallies(),
  'notifications/settings/store.ts load': ({ messageSettings }) => messageSettings.load(1),
  'approvals/store.ts find': ({ approvals }) => approvals.find(USER, 2),
  'approvals/store.ts findAny': ({ approvals }) => approvals.findAny(2),
  'approvals/store.ts page': ({ approvals }) =>
    approvals.page(USER, { status: 'all', since: 1, until: 1e15, strategy: 'a' }, 7, 30),
  'approvals/store.ts pendingIds': ({ approvals }) => approvals.pendingIds(USER),
  'approvals/store.ts tallies': ({ approvals }) => approvals.tallies(),
  'approvals/store.ts remove': ({ approvals }) => approvals.remove(claim.userId, claim.id),
  'approvals/store.ts expiring': ({ approvals }) => approvals.expiring(),
  'approvals/store.ts interrupted': ({ approvals }) => approvals.interrupted(),
  'brokers/simulated/exchange/exchange-store.ts missingColumns': ({ exchange }) => exchange.missingColumns(),
  'brokers/algos/store.ts all': ({ algos }) => algos.all(),
  'brokers/simulated/exchange/exchange-store.ts gtts': ({ exchange }) => exchange.gtts(),
  'brokers/simulated/exchange/exchange-store.ts gttByTag': ({ exchange }) => exchange.gttByTag('a'),
  'brokers/simulated/exchange/exchange-store.ts ordersSince': ({ exchange }) => exchange.ordersSince(20),
  'brokers/simulated/exchange/exchange-store.ts order': ({ exchange }) => exchange.order('a'),
  'brokers/simulated/exchange/exchange-store.ts ordersByTag': ({ exchange }) => exchange.ordersByTag('a'),
  'brokers/simulated/exchange/exchange-store.ts trades': ({ exchange }) => exchange.trades(),
  'brokers/simulated/exchange/exchange-store.ts entries': ({ exchange }) => exchange.entries(),
  'brokers/simulated/exchange/exchange-store.ts lastIds': ({ exchange }) => exchange.lastIds(),
  'audit/store.ts readSeal': ({ audit }) => audit.seal(),
  'audit/store.ts readPage': async ({ audit }) => {
    await audit.list({ limit: 9, before: 30, since: 0, until: 1e15, actor: 'a', act: 'a', search: 'A' })
    await audit.list({ limit: 9, after: 2 })
  },
  'audit/store.ts about': ({ audit }) => audit.about(['a', USER], 'a', 9),
  'audit/store.ts ofRequest': ({ audit }) => audit.ofRequest('a', 9),
  'audit/store.ts hasTrail': ({ db }) => hasTrail(db.svc),
  'audit/store.ts lastIn': ({ audit }) => audit.last(),
  'audit/store.ts pending': ({ audit }) => audit.pending(),
  'audit/store.ts lastBefore': ({ audit }) => audit.lastBefore(20, 30),
  'audit/store.ts endOfChunk': ({ audit }) => audit.endOfChunk(20),
  'orders/strategy/order-store.ts statesOf': ({ db }) =>
    new StrategyOrderStore(db.svc).statesOf([`S${'A'.repeat(19)}`]),
  'orders/strategy/order-store.ts sentBy': ({ db }) =>
    new StrategyOrderStore(db.svc).sentBy({
      userId: 'u1',
      strategy: 'a',
      mode: 'live',
      broker: 'simulated',
      since: 0,
    }),
  'orders/strategy/order-store.ts queued': ({ db }) => new StrategyOrderStore(db.svc).queued('a'),
  'orders/strategy/order-store.ts waiting': ({ db }) => new StrategyOrderStore(db.svc).waiting(),
  'orders/strategy/order-store.ts refsOf': ({ db }) => new StrategyOrderStore(db.svc).refsOf([1, 2, 3]),
  'sandbox/storage/store.ts ordersWith': ({ sandbox }) => sandbox.ordersWith(['a', 'b']),
  'strategies/runs/store/run-store.ts strategy': ({ db }) => new RunStore(db.svc).strategy(2),
  'strategies/runs/store/run-store.ts removeDeleted': ({ db }) => new RunStore(db.svc).removeDeleted(9),
  'strategies/runs/store/run-store.ts unfinished': ({ db }) => new RunStore(db.svc).unfinished(),
  'strategies/runs/store/run-store.ts unfinishedOf': ({ db }) => new RunStore(db.svc).unfinishedOf(2),
  'strategies/runs/store/run-store.ts ended': ({ db }) => new RunStore(db.svc).ended(0, 1000),
  'sandbox/storage/store.ts ordersOf': ({ sandbox }) => sandbox.ordersOf('u1', 'a', 0),
  'strategies/runs/store/run-store.ts knownOf': ({ db }) => new RunStore(db.svc).knownOf(['a', 'b']),
  'strategies/runs/store/run-store.ts ordersOfAll': ({ db }) => new RunStore(db.svc).ordersOfAll([2, 3]),
  'strategies/runs/store/run-store.ts realizedSince': ({ db }) =>
    new RunStore(db.svc).realizedSince(2, 'live', 0),
  'strategies/runs/store/run-store.ts wasStartedByScheduler': ({ db }) =>
    new RunStore(db.svc).wasStartedByScheduler(2, 0, 50),
  'strategies/runs/store/run-store.ts claim': ({ db }) =>
    new RunStore(db.svc).claim(NEW_RUN, () => NO_DEFINITION),
  'strategies/runs/store/checkpoint-store.ts pruneAll': ({ db }) =>
    new RunStore(db.svc).checkpoints.pruneAll(),
  'strategies/runs/store/run-store.ts scheduled': ({ db }) => new RunStore(db.svc).scheduled(),
  'strategies/runs/store/checkpoint-store.ts last': ({ db }) => new RunStore(db.svc).checkpoints.last(2),
  'audit/order-store.ts last': ({ db }) => new LiveOrderStore(db.svc).last(),
  'audit/sandbox-store.ts last': ({ db }) => new SimulatedOrderStore(db.sandbox).last(),
  'audit/order-store.ts changes': ({ db }) => new LiveOrderStore(db.svc).changes(2, 9),
  'audit/sandbox-store.ts orders': ({ db }) => new SimulatedOrderStore(db.sandbox).orders('a', 1e15, 9),
  'brokers/session/store.ts active': ({ brokers }) => brokers.active(),
  'brokers/session/store.ts #stored': ({ brokers }) => brokers.session('a'),
  'brokers/session/store.ts withSession': ({ brokers }) => brokers.withSession(),
  'calendar/store.ts seed': ({ calendar }) => calendar.seed({ years: [], holidays: [], timings: [] }),
  'calendar/store.ts completeYears': ({ calendar }) => calendar.completeYears(),
  'calendar/store.ts holidays': ({ calendar }) => calendar.holidays(),
  'calendar/store.ts timings': ({ calendar }) => calendar.timings(),
  'chart/store.ts read': ({ chart }) => chart.read(USER),
  'strategies/store/version-store.ts currentOf': ({ strategyVersions }) =>
    strategyVersions.currentOf([1, 2, 3]),
  'strategies/store/version-store.ts list': ({ strategyVersions }) =>
    strategyVersions.list(2, { limit: 9, before: 30 }),
  'strategies/store/version-store.ts find': ({ strategyVersions }) => strategyVersions.find(2, 2),
  'strategies/store/event-store.ts find': ({ strategyEvents }) => strategyEvents.find(3),
  'strategies/store/event-store.ts list': ({ strategyEvents }) =>
    strategyEvents.list(3, { runId: 2, kind: 'run_stopped', severity: 'info', limit: 9 }),
  'strategies/store/history-store.ts runs': ({ strategyHistory }) => strategyHistory.runs(3, 9),
  'strategies/store/history-store.ts run': ({ strategyHistory }) => strategyHistory.run(2),
  'strategies/store/history-store.ts runsOfSignal': ({ strategyHistory }) => strategyHistory.runsOfSignal(3),
  'strategies/store/history-store.ts order': async ({ strategyHistory }) => [
    await strategyHistory.order({ orderRef: 'a' }),
    await strategyHistory.order({ approvalId: 3 }),
  ],
  'strategies/store/history-store.ts unfinished': ({ strategyHistory }) => strategyHistory.unfinished(USER),
  'strategies/store/history-store.ts orders': ({ strategyHistory }) => strategyHistory.orders(3, 2),
  'strategies/store/history-store.ts checkpoints': ({ strategyHistory }) => strategyHistory.checkpoints(3, 2),
  'strategies/store/history-store.ts isRunning': ({ strategyHistory }) => strategyHistory.isRunning(3),
  'strategies/store/history-store.ts lastStoppedAt': ({ strategyHistory }) =>
    strategyHistory.lastStoppedAt(3),
  'strategies/webhook/claim-store.ts isDuplicate': async ({ db, strategyCalls }) =>
    (await ClaimStore.open(db.svc, strategyCalls, new VirtualClock(50))).isDuplicate(CLAIM),
  'strategies/webhook/claim-store.ts admit': async ({ db, strategyCalls }) =>
    (await ClaimStore.open(db.svc, strategyCalls, new VirtualClock(50))).admit(CLAIM, DELIVERY),
  'strategies/store/strategy-store.ts list': ({ strategies }) => strategies.list(USER),
  'strategies/store/strategy-store.ts find': ({ strategies }) => strategies.find(USER, 2),
  'strategies/store/strategy-store.ts byTokenHash': ({ strategies }) => strategies.byTokenHash('a'),
  'strategies/store/strategy-store.ts unrecordedLocks': ({ strategies }) => strategies.unrecordedLocks(),
  'strategies/store/strategy-store.ts lastFinalized': ({ strategies }) => strategies.lastFinalized(USER),
  'strategies/store/strategy-store.ts countIn': ({ strategies }) =>
    strategies.write((tx) => strategies.countIn(tx, USER)),
  'strategies/store/strategy-store.ts idOfNameIn': ({ strategies }) =>
    strategies.write((tx) => strategies.idOfNameIn(tx, USER, 'a')),
  'strategies/store/strategy-store.ts listIn': ({ strategies }) =>
    strategies.write((tx) => strategies.listIn(tx, USER)),
  'strategies/store/strategy-store.ts findIn': ({ strategies }) =>
    strategies.write((tx) => strategies.findIn(tx, USER, 2)),
  'strategies/store/strategy-store.ts isReopenedIn': ({ strategies }) =>
    strategies.write((tx) => strategies.isReopenedIn(tx, 2)),
  'strategies/store/strategy-store.ts noteOwnerIn': ({ strategies }) =>
    strategies.write((tx) => strategies.noteOwnerIn(tx, { id: 2, userId: USER }, 0)),
  'strategies/store/webhook-event-store.ts find': ({ strategyCalls }) => strategyCalls.find(3),
  'strategies/store/webhook-event-store.ts newest': ({ strategyCalls }) => strategyCalls.newest(3, 9),
  'flows/store.ts workflows': ({ flows }) => flows.workflows(),
  'flows/store.ts executions': ({ flows }) => flows.executions(WORKFLOW, 5),
  'flows/store.ts execution': ({ flows }) => flows.execution(2),
  'flows/store.ts hasRunSince': ({ flows }) => flows.hasRunSince(WORKFLOW, 'a', 0),
  'flows/store.ts lastRuns': ({ flows }) => flows.lastRuns(),
  'flows/store.ts versions': ({ flows }) => flows.versions(WORKFLOW),
  'flows/store.ts currentVersions': ({ flows }) => flows.currentVersions(),
  'flows/store.ts version': ({ flows }) => flows.version(WORKFLOW, 2),
  'flows/store.ts secrets': ({ flows }) => flows.secrets(),
  'events/store.ts reserved': ({ eventNumbers }) => eventNumbers.reserved(),
  'flows/webhook/key-store.ts find': ({ webhookKeys }) => webhookKeys.find(WORKFLOW, 'a'),
  'flows/webhook/key-store.ts timeOfNewest': ({ webhookKeys }) => webhookKeys.timeOfNewest(1),
  'flows/webhook/key-store.ts open': ({ webhookKeys }) => webhookKeys.open(),
  'identity/store.ts anyUser': ({ identity }) => identity.anyUser(),
  'identity/store.ts user': ({ identity }) => identity.user(USER),
  'identity/store.ts createFirstUser': ({ identity }) =>
    identity.createFirstUser(
      { username: 'x', email: 'x', passwordHash: 'x', totpSecret: 'x', createdAt: 1 },
      { userId: 'x', apiKeyHash: 'x', apiKeyEncrypted: 'x', createdAt: 1 },
    ),
  'identity/store.ts sessions': ({ identity }) => identity.sessions(20),
  'identity/store.ts addSession': ({ identity }) =>
    identity.addSession(
      {
        sessionId: 'x',
        username: USER,
        loginTime: 1,
        lastSeen: 1,
        expiresAt: 99,
        broker: 'x',
        deviceInfo: 'x',
        ipAddress: 'x',
        totpVerifiedAt: null,
        authenticatedAt: 1,
      },
      99,
    ),
  'identity/store.ts apiKeys': ({ identity }) => identity.apiKeys(),
  'identity/store.ts accessTokens': ({ identity }) => identity.accessTokens(),
  'identity/store.ts attempts': ({ identity }) => identity.attempts({ limit: 7, status: 'a', since: 1 }),
  'identity/store.ts failedSignIns': ({ identity }) => identity.failedSignIns(0, 9, 'sign-ins'),
  'identity/credentials/ended-access-store.ts revokedTokens': ({ db }) => revokedTokens(db.svc),
  'identity/credentials/ended-access-store.ts accountOf': ({ db }) => accountOf(db.svc),
  'notifications/contacts/store.ts linkedAddresses': ({ db }) => linkedAddresses(db.svc),
  'identity/totp/lost-secret-store.ts replaceLostSecret': ({ db }) =>
    db.svc.write((tx) => replaceLostSecret(tx, { open: (text) => text, seal: (text) => text })),
  'identity/recovery/store.ts userByEmail': ({ recovery }) => recovery.userByEmail('A'),
  'identity/recovery/store.ts hasExpired': ({ recovery }) => recovery.hasExpired(Date.now()),
  'identity/recovery/store.ts find': ({ recovery }) => recovery.find('a', 5),
  'identity/store.ts signedInFrom': ({ identity }) => identity.signedInFrom(USER, 'a', 0),
  'instruments/search/store.ts find': ({ search }) =>
    search.find({ text: 'sbi 100', exchanges: ['NSE'], strikeMin: 1, limit: 9 }),
  'instruments/store.ts record': ({ instruments }) => instruments.record(),
  'instruments/store.ts rows': ({ instruments }) => instruments.rows(9),
  'instruments/store.ts replaceAll': ({ instruments }) =>
    instruments.replaceAll(
      [],
      {
        brokerId: 'a',
        source: 'broker',
        count: 0,
        loadedAt: 0,
        generatedFor: 'a',
        durationMs: 0,
        checksum: 0,
        lastError: null,
        failedAt: null,
      },
      () => undefined,
    ),
  'instruments/freeze/store.ts entries': ({ freeze }) => freeze.entries(),
  'orders/drift/drift-store.ts last': ({ db }) => new DriftStore(db.svc).last({ broker: 'a', account: 'a' }),
  'orders/drift/drift-store.ts #foreignOrders': async ({ db }) => {
    const store = new DriftStore(db.svc)
    const [name, rows] = [{ broker: 'a', account: 'a' }, []]
    await store.store(name, { session: 'a', at: 1, through: 1, rows, foreignOrders: ['a', 'b'] })
    await store.last(name)
  },
  'orders/drift/drift-store.ts recorded': ({ db }) =>
    new DriftStore(db.svc).recorded({ broker: 'a', account: 'a' }, 0, 1e15),
  'orders/drift/drift-store.ts own': ({ db }) =>
    new DriftStore(db.svc).own('a', { ids: TEXTS, tags: TEXTS }, 1e15),
  'orders/journal/unsettled-store.ts countUnsettled': ({ db }) => countUnsettled(db.svc),
  'strategies/store/running-store.ts countRunning': ({ db }) => countRunning(db.svc),
  'orders/journal/reconciliation/doubt-store.ts absence': ({ db }) => new DoubtStore(db.svc).absence('a'),
  'orders/journal/reconciliation/doubt-store.ts candidates': ({ db }) =>
    new DoubtStore(db.svc).candidates('a'),
  'orders/journal/reconciliation/doubt-store.ts sendTimes': ({ db }) => new DoubtStore(db.svc).sendTimes('a'),
  'orders/journal/reconciliation/doubt-store.ts owned': ({ db }) =>
    new DoubtStore(db.svc).owned('a', 'order', TEXTS),
  'orders/journal/reconciliation/doubt-store.ts #live': async ({ db }) => {
    await new DoubtStore(db.svc).rivals('a', 'order', 0)
    return new DoubtStore(db.svc).rivals('a', 'gtt', 0)
  },
  'orders/journal/reconciliation/doubt-store.ts acknowledged': ({ db }) =>
    new DoubtStore(db.svc).acknowledged({ account: null, broker: 'a', userId: USER }, 0, 1e15),
  'orders/journal/idempotency.ts #find': ({ keys }) =>
    keys.run({ userId: USER, key: 'a', requestHash: 'x' }, refuse, refuse),
  'orders/journal/move-store.ts recordedOf': ({ journal }) => journal.move('a', 'accepted'),
  'orders/journal/journal.ts find': ({ journal }) => journal.find('a'),
  'orders/journal/journal.ts findByOrderId': ({ journal }) => journal.findByOrderId('a', 'a'),
  'orders/journal/journal.ts inBatch': ({ journal }) => journal.inBatch('a'),
  'orders/journal/journal.ts findByTriggerId': ({ journal }) => journal.findByTriggerId('a', 'a'),
  'orders/journal/journal.ts openAt': ({ journal }) => journal.openAt('a'),
  'orders/journal/journal.ts unpricedAt': ({ journal }) => journal.unpricedAt('a', 0),
  'orders/journal/journal.ts #gttsAt': async ({ journal }) => {
    await journal.openGttsAt('a')
    await journal.gttsInDoubtAt('a')
  },
  'orders/journal/type-store.ts of': ({ db }) => new TypeStore(db.svc).of(['a']),
  'orders/journal/type-store.ts begin': ({ db }) => new TypeStore(db.svc).begin('a', 'SL'),
  'orders/journal/journal.ts inDoubtAt': ({ journal }) => journal.inDoubtAt('a', 0),
  'orders/journal/journal.ts inState': ({ journal }) => journal.inState('sending'),
  'orders/journal/history-store.ts #placed': ({ db, journal }) =>
    new OrderHistory(db.svc, journal).orders(USER, { limit: 9, before: '99-a', status: 'complete' }),
  'orders/journal/history-store.ts #fired': ({ db, journal }) =>
    new OrderHistory(db.svc, journal).orders(USER, { limit: 9, since: 1, until: 1e15 }),
  'orders/journal/history-store.ts unsent': ({ db, journal }) =>
    new OrderHistory(db.svc, journal).unsent(USER, { limit: 9, since: 1, until: 1e15 }),
  'orders/journal/history-store.ts trades': ({ db, journal }) =>
    new OrderHistory(db.svc, journal).trades(USER, { limit: 9, since: 1, until: 1e15, before: '99-9' }),
  'orders/journal/journal.ts list': ({ journal }) => journal.list(USER, 9, { since: 0, strategy: 'a' }),
  'orders/journal/journal.ts unfinishedOf': async ({ db, journal }) => {
    await db.svc.write((tx) =>
      tx.exec(`update order_journal set user_id = ?, mode = 'live', strategy = 'a'`, [USER]),
    )
    await journal.unfinishedOf(USER, 'a', 0)
  },
  'orders/journal/journal.ts waitingOf': async ({ db, journal }) => {
    await db.svc.write((tx) =>
      tx.exec(
        `update order_journal set user_id = ?, mode = 'live', strategy = 'a', api_type = 'placeorder', state = 'accepted',
          request = '{"amo":true}'`,
        [USER],
      ),
    )
    await journal.waitingOf(USER, 'a', { since: 0, before: 1e15 })
  },
  'orders/journal/journal.ts filledThrough': ({ journal }) => journal.filledThrough(TEXTS, 30),
  'orders/journal/journal.ts events': ({ journal }) => journal.events('a'),
  'orders/journal/journal.ts countSince': ({ journal }) => journal.countSince(USER, 0),
  'orders/journal/journal.ts reopen': ({ journal }) => journal.reopen(['a']),
  'orders/multi/plans/batch-store.ts find': ({ batches }) => batches.find(batch.batchRef),
  'orders/strategy/totals.ts #storeChunk': ({ totals }) => totals.catchUp(),
  'orders/strategy/totals.ts #current': async ({ totals }) => {
    await totals.of(USER, 'a')
    await totals.ofSession(USER, '2026-11-20')
  },
  'orders/strategy/totals.ts #ends': ({ totals }) => totals.catchUp(),
  'orders/strategy/working-orders.ts countWorking': async ({ db }) => {
    await db.svc.write((tx) => tx.exec(`update pending_orders set order_data = '{"strategy":"a"}'`))
    await countWorking(db.svc, { userId: USER, strategy: 'a', since: 0 })
  },
  'risk/store.ts rules': ({ risk }) => risk.rules(),
  'risk/store.ts killSwitch': ({ risk }) => risk.killSwitch(),
  'sandbox/storage/history-store.ts orders': ({ db }) =>
    new SandboxHistory(db.sandbox, async () => undefined).orders(USER, { limit: 9, since: 1 }),
  'sandbox/storage/history-store.ts #requireRow': ({ db }) =>
    new SandboxHistory(db.sandbox, async () => undefined).orders(USER, { limit: 9, before: 'a' }),
  'sandbox/storage/history-store.ts trades': ({ db }) =>
    new SandboxHistory(db.sandbox, async () => undefined).trades(USER, { limit: 9, since: 1, before: 'a' }),
  'sandbox/storage/store.ts load': ({ sandbox }) => sandbox.load(),
  'sandbox/storage/store.ts order': ({ sandbox }) => sandbox.order('a'),
  'sandbox/storage/store.ts orders': ({ sandbox }) => sandbox.orders(USER, 0),
  'sandbox/storage/store.ts countPlaced': ({ sandbox }) => sandbox.countPlaced(USER, 0),
  'sandbox/storage/store.ts trades': ({ sandbox }) => sandbox.trades(USER, 0),
  'sandbox/storage/store.ts dailyPnl': ({ sandbox }) => sandbox.dailyPnl(USER, 9),
  'sandbox/storage/store.ts #gtts': ({ sandbox }) => sandbox.gtt('a'),
  'sandbox/storage/store.ts highestOrderId': ({ sandbox }) => sandbox.highestOrderId(),
  'sandbox/storage/store.ts settings': ({ sandbox }) => sandbox.settings(),
  'security/ban-store.ts load': ({ bans }) => bans.load(),
  'security/tracker-store.ts load': ({ trackers }) => Promise.all(trackers.map((it) => it.load(0, 9))),
  'settings/store.ts load': ({ settings }) => settings.load(),
  'settings/store.ts #row': ({ settings }) => settings.load(),
  'telemetry/latency/latency-store.ts list': ({ latency }) =>
    latency.list({
      limit: 9,
      since: 1,
      until: 1e15,
      before: { id: 7, timestamp: 7 },
      broker: 'a',
      orderType: 'a',
      status: 'FAILED',
    }),
  'telemetry/latency/latency-store.ts place': ({ latency }) => latency.place(7),
  'telemetry/latency/latency-store.ts totals': ({ latency }) => latency.totals(),
  'telemetry/latency/latency-store.ts groups': ({ latency }) => latency.groups(0),
  'telemetry/latency/latency-store.ts percentiles': ({ latency }) =>
    latency.percentiles(0, 'broker', new Map([['a', 3]])),
  'telemetry/latency/latency-store.ts histogram': ({ latency }) =>
    latency.histogram(0, 'a', { bins: 30, lowest: 0, width: 2 }),
  'telemetry/requests/trail-store.ts ofRequest': ({ trail }) => trail.ofRequest('a'),
  'telemetry/requests/trail-store.ts ofSubject': ({ trail }) => trail.ofSubject('a'),
  'telemetry/requests/trail-store.ts ofApproval': ({ trail }) => trail.ofApproval(3),
  'telemetry/requests/trail-store.ts refused': ({ trail }) =>
    trail.refused(USER, { since: 0, until: 1e15, mode: 'live', limit: 9 }),
  'telemetry/requests/trail-store.ts ofKey': ({ trail }) => trail.ofKey(USER, 'a'),
  'orders/journal/trace-store.ts withBrokerId': ({ trace }) => trace.withBrokerId('a', ['a', 'simulated']),
  'orders/journal/trace-store.ts ofApproval': ({ trace }) => trace.ofApproval(3),
  'orders/journal/trace-store.ts fills': ({ trace }) => trace.fills('a'),
  'orders/journal/trace-store.ts refOfKey': ({ trace }) => trace.refOfKey(USER, 'a'),
  'telemetry/traffic/traffic-store.ts knownClients': ({ traffic }) => traffic.knownClients(0),
  'telemetry/traffic/traffic-store.ts clientsOf': ({ traffic }) => traffic.clientsOf('a', 1, 9),
  'telemetry/order-log-store.ts list': ({ orderLog }) =>
    orderLog.list({
      limit: 9,
      search: 'a',
      errors: true,
      from: 0,
      to: 1e15,
      before: { createdAt: 20, id: 30 },
    }),
  'telemetry/order-log-store.ts added': ({ orderLog }) => orderLog.added(3, { limit: 9, search: 'a' }),
  'telemetry/order-log-store.ts newestId': ({ orderLog }) => orderLog.newestId(),
  'telemetry/order-log-store.ts tallies': ({ orderLog }) => orderLog.tallies(0),
  'telemetry/order-log-store.ts count': ({ orderLog }) => orderLog.count({ search: 'a' }),
  'telemetry/order-log-store.ts total': ({ orderLog }) => orderLog.total(),
  'telemetry/traffic/traffic-store.ts list': ({ traffic }) =>
    traffic.list({ limit: 9, since: 1, after: 2, errors: true, search: 'a', method: 'a', userId: 'a' }),
  'telemetry/traffic/traffic-store.ts place': ({ traffic }) => traffic.place(7),
  'telemetry/traffic/traffic-store.ts totals': ({ traffic }) => traffic.totals(),
}

/** These return the rows of a change. */
const RETURNS_WHAT_IT_CHANGES: ReadonlySet<string> = new Set([
  'mcp/audit/store.ts purge',
  'health/store.ts purge',
  'approvals/store.ts remove',
  'orders/journal/journal.ts reopen',
  'strategies/runs/store/run-store.ts removeDeleted',
  'strategies/store/strategy-store.ts noteOwnerIn',
])

const quoted = (name: unknown) => `"${String(name)}"`

/** Rows with any values for every table of a file, without those that break a constraint. */
async function fill(db: Database, dice: Chance): Promise<void> {
  const pick = <T>(from: readonly T[]) => from[dice.between(0, from.length - 1)]
  const tables = await db.queryRaw(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '\\_\\_%' escape '\\'`,
  )
  for (const { name } of tables) {
    const columns = await db.queryRaw(
      `select name, type, "notnull" as needed, pk from pragma_table_info(?)`,
      [String(name)],
    )
    const cellOf = ({ type, needed, pk }: (typeof columns)[number], row: number): SqlValue => {
      if (needed === 0 && pk === 0 && dice.next() < 0.2) return null
      const isText = /text/i.test(String(type))
      if (pk !== 0) return isText ? (pick(TEXTS) ?? '') : row + 1
      return isText ? (pick(TEXTS) ?? '') : dice.between(0, 50)
    }
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const text = `insert or ignore into ${quoted(name)} (${names}) values (${columns.map(() => '?').join(', ')})`
    await db.write(async (tx) => {
      for (let row = 0; row < ROWS; row++) {
        await tx.exec(
          text,
          columns.map((column) => cellOf(column, row)),
        )
      }
    })
  }
}

async function openAll(directory: string): Promise<Record<File, Database>> {
  const open = (name: File) =>
    Database.open({
      file: join(directory, `${name}.db`),
      schema: name === 'exchange' ? undefined : name,
    })
  return {
    svc: await open('svc'),
    sandbox: await open('sandbox'),
    logs: await open('logs'),
    exchange: await open('exchange'),
  }
}

const fileOf = (name: string): File =>
  /^(audit\/)?sandbox/.test(name)
    ? 'sandbox'
    : /^(telemetry|health|mcp\/audit|security\/tracker)/.test(name)
      ? 'logs'
      : name.startsWith('brokers/simulated')
        ? 'exchange'
        : 'svc'

interface Asked {
  name: string
  sql: string
  params: readonly SqlValue[]
}

/** All queries of a case, as the driver received them. A change that returns rows cannot be repeated. */
async function askedBy(stores: Stores): Promise<Asked[]> {
  const all = vi.spyOn(SqliteConnection.prototype, 'all')
  const asked: Asked[] = []
  for (const [name, ask] of Object.entries(CASES)) {
    all.mockClear()
    // Rows with any values may be meaningless to their readers; only the queries matter here.
    await Promise.resolve(ask(stores)).catch(() => undefined)
    const queries = all.mock.calls.filter(([sql]) => /^\s*(select|with)\b/i.test(sql))
    if (!RETURNS_WHAT_IT_CHANGES.has(name))
      expect(queries.length, `${name} asks something`).toBeGreaterThan(0)
    asked.push(...queries.map(([sql, params = []]) => ({ name, sql, params })))
  }
  all.mockRestore()
  return asked
}

/** Returns the query inside the subquery that keeps columns of the same name apart. */
const inner = (sql: string) => /^select \* from \((select[\s\S]*|with[\s\S]*)\)$/i.exec(sql)?.[1] ?? sql

afterEach(() => vi.restoreAllMocks())

test('every function that queries a database has its case', () => {
  expect(Object.keys(CASES).sort()).toEqual(storeQueries())
})

test.each([1, 2026])(
  'every query of the service gives the same rows on both drivers (rows %i)',
  async (seed) => {
    const directory = tempDir()
    await (await ExchangeStore.open(directory)).close()
    const filled = await openAll(directory)
    for (const file of FILES) await fill(filled[file], seeded(seed))
    const stores = await openStores(directory, filled)
    const asked = await askedBy(stores)
    await stores.exchange.close()
    for (const file of FILES) await filled[file].close()

    const SQL = await initSqlJs()
    const ours = await openAll(directory)
    let rows = 0
    try {
      for (const file of FILES) {
        const image = readFileSync(join(directory, `${file}.db`))
        // An in-memory database has no WAL file, so the header must say that there is none.
        image.fill(1, 18, 20)
        const theirs = new SQL.Database(image)
        for (const { name, sql, params } of asked.filter((one) => fileOf(one.name) === file)) {
          const [result] = theirs.exec(inner(sql), [...params] as SqlJsValue[])
          const found = await ours[file].queryRaw(sql, params)
          expect(found.map(Object.values), `${name}: ${sql}`).toEqual(result?.values ?? [])
          rows += found.length
        }
        theirs.close()
      }
    } finally {
      for (const file of FILES) await ours[file].close()
    }
    expect(rows).toBeGreaterThan(500)
  },
)
