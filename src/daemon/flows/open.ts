import type { BrokerService } from '../../core/brokers/index.js'
import type { Config } from '../../core/config/index.js'
import type { EventBus } from '../../core/events/index.js'
import { BarCache, type FlowPorts, Flows, type RunOutcome } from '../../core/flows/index.js'
import type { Identity } from '../../core/identity/index.js'
import type { TickHub } from '../../core/market/index.js'
import { type SymbolRef, symbolKey } from '../../core/market/schema.js'
import type { Messages } from '../../core/notifications/index.js'
import type { OrderPath } from '../../core/orders/index.js'
import type { SecretBox } from '../../core/secrets/index.js'
import type { Database } from '../../core/storage/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { flowHttp } from './http-port.js'
import { flowLots } from './lots-port.js'
import { flowNotifier } from './notifier-port.js'
import { atOneAccount, pinnedTo } from './one-account.js'
import { flowOrders } from './order-port.js'
import { previewOrders } from './order-preview.js'
import { type FlowReadsParts, flowReads } from './read-port.js'
import { flowStream } from './stream-port.js'

interface FlowServiceParts extends FlowReadsParts {
  db: Database
  box: SecretBox
  brokers: Pick<BrokerService, 'brokerId' | 'session'>
  bus: EventBus
  config: Config
  hub: TickHub
  identity: Identity
  log: FlowReadsParts['log'] & Parameters<typeof Flows.open>[0]['log']
  mode(): TradingMode
  orders: OrderPath
  messages: Messages
  env: Readonly<Record<string, string | undefined>>
  /** The hooks of a rehearsal. */
  rehearsal?: FlowRehearsal | undefined
}

/** The hooks of a rehearsal: it replaces ports of the flows, and gets the outcome of each run. */
export interface FlowRehearsal {
  ports(real: FlowPorts): FlowPorts
  onRun(outcome: RunOutcome): void
}

/** Opens the flows on the parts of the service. Each port uses the same part as the API. */
export async function openFlows(parts: FlowServiceParts): Promise<Flows> {
  const { bus, clock, config, hub, identity, instruments, listed, log, orders } = parts
  const real: FlowPorts = {
    clock,
    calendar: parts.calendar,
    orders: atOneAccount(flowOrders({ orders, log }), parts),
    reads: new BarCache(clock, flowReads(parts), () => parts.brokers.brokerId),
    stream: flowStream({ hub, listed, clock }),
    http: flowHttp({ clock, allowed: config.FLOW_HTTP_ALLOW ?? [] }),
    notifier: flowNotifier(parts.messages),
    lots: flowLots({ catalog: instruments.directory, calendar: parts.calendar }, clock),
  }
  const { rehearsal } = parts
  const ports = rehearsal ? rehearsal.ports(real) : real
  const flows = await Flows.open({
    ...(rehearsal && { onRun: (outcome: RunOutcome) => rehearsal.onRun(outcome) }),
    db: parts.db,
    box: parts.box,
    clock,
    log,
    ports,
    env: parts.env,
    mode: parts.mode,
    planner: () => previewOrders({ orders, mode: parts.mode, log }),
    prices: {
      broker: () => parts.brokers.brokerId,
      lastTick: (ref) => lastTick(parts, ref),
      quote: (refs) => quotedPrices(parts, refs),
    },
    pin: () => pinnedTo(parts),
    verifyKey: async (apiKey) => (await identity.apiKeys.verify(apiKey))?.username,
    keepRuns: config.FLOW_EXECUTION_RETENTION_COUNT,
    keepDays: config.FLOW_EXECUTION_RETENTION_DAYS,
    publish: ({ userId, workflowId, workflowName, executionId, trigger, status, error }) =>
      bus.publish('flow_execution', {
        ...(userId !== undefined && { user_id: userId }),
        workflow_id: workflowId,
        workflow_name: workflowName,
        execution_id: executionId,
        trigger,
        status,
        error: error ?? null,
      }),
  })
  identity.apiKeys.keepCopies((apiKey, store) => flows.rekey(apiKey, store))
  bus.subscribe('order.update', 'flows', (event) => {
    const { owner } = identity.users
    const isOwners = event.user_id === undefined && owner !== undefined
    flows.onOrderUpdate(isOwners ? { ...event, user_id: owner } : event)
  })
  return flows
}

function lastTick({ hub, clock }: Pick<FlowServiceParts, 'hub' | 'clock'>, ref: SymbolRef) {
  const [tick, age] = [hub.last(ref), hub.ageMs(ref)]
  return tick && age !== undefined ? { ltp: tick.ltp, at: clock.ago(age) } : undefined
}

/** Returns the prices of several symbols with one request. Leaves out symbols without a price. */
async function quotedPrices(
  { listed }: Pick<FlowServiceParts, 'listed'>,
  refs: readonly SymbolRef[],
): Promise<ReadonlyMap<string, number>> {
  const answers = await listed.quotes(refs)
  const prices = new Map<string, number>()
  for (const [place, ref] of refs.entries()) {
    const answer = answers[place]
    if (answer && !('error' in answer)) prices.set(symbolKey(ref), answer.ltp)
  }
  return prices
}
