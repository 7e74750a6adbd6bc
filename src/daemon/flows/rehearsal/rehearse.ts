import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Replay } from '../../../core/brokers/simulated/index.js'
import { loadConfig } from '../../../core/config/index.js'
import {
  type FlowGraph,
  instantOf,
  type Outcome,
  type RunOutcome,
  type RunTrigger,
  type Scenario,
  spanMs,
  type Workflow,
} from '../../../core/flows/index.js'
import { silentLogger } from '../../../core/logging/index.js'
import type { SymbolRef } from '../../../core/market/index.js'
import { codeOf, messageOfResult, placeOrderPayload } from '../../../core/orders/index.js'
import { randomHex, SecretBox } from '../../../core/secrets/index.js'
import { isStorageBusy, storageIdle } from '../../../core/storage/index.js'
import { VirtualClock } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { prepareInstruments } from '../../broker/instrument-loading.js'
import { closeService, openService, recover, type Service } from '../../service.js'
import { rehearsalFolder } from './folder.js'
import { masterOf, namedSymbols, scriptOf, seededAt } from './market.js'
import { ScenarioWorld } from './scenario-world.js'

/** A flow, as its file contains it. */
export interface RehearsedWorkflow {
  name: string
  description: string | null
  graph: FlowGraph
}

export interface RehearsalOptions {
  /** Recorded bars, which replace the prices written in the case. */
  replays?: readonly Replay[]
  /** Is called for every minute of virtual time that passes after the first run. */
  onProgress?: (progress: RehearsalProgress) => void
}

/** How far a case is. */
export interface RehearsalProgress {
  /** The virtual time, and that at which the case ends, in epoch milliseconds. */
  now: number
  endsAt: number
  /** The number of orders that its workflow has placed. */
  orders: number
}

const OWNER = { username: 'rehearsal', email: 'rehearsal@example.org', password: 'Rehearsal!1' }
const STEP_MS = 1000
/** The runs of a case go with its folder, so there is no need to remove the oldest after each. */
const KEEPS_EVERY_RUN = { FLOW_EXECUTION_RETENTION_COUNT: '0', FLOW_EXECUTION_RETENTION_DAYS: '0' }
/** The virtual time between two reports of progress. */
const REPORT_MS = 60_000
/** The longest virtual time a run may take. */
const LONGEST_RUN_MS = 86_400_000
/** The most turns of the event loop that work outside the databases, such as a read of a file, is waited for. */
const QUIET_TURNS = 8
/** What the process waits for, in the words of Node, while work goes on in a later turn of the event loop. */
const LATER_TURN = ['Immediate', 'FSReqCallback', 'FSReqPromise']

type Position = NonNullable<NonNullable<Scenario['account']>['positions']>[number]

/** The default run trigger for each kind of trigger node. A case can set another one. */
const STARTED_BY: Readonly<Record<string, RunTrigger>> = {
  start: 'manual',
  webhookTrigger: 'webhook',
  priceAlert: 'price_alert',
  orderUpdateTrigger: 'order_update',
}

/**
 * Runs one case on a whole service with its own folder and clock, and with the prices, account and HTTP
 * answers of the case. It touches neither the user's home nor the network.
 */
export async function rehearse(
  workflow: RehearsedWorkflow,
  scenario: Scenario,
  options: RehearsalOptions = {},
): Promise<Outcome> {
  const home = await mkdtemp(join(rehearsalFolder(), 'svc-rehearsal-'))
  try {
    return await rehearseIn(home, workflow, scenario, options)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function rehearseIn(
  home: string,
  workflow: RehearsedWorkflow,
  scenario: Scenario,
  options: RehearsalOptions,
): Promise<Outcome> {
  const startsAt = instantOf(scenario.at)
  const replays = options.replays ?? []
  // Virtual time stops while a database works, so that a case runs the same way on a slow disk.
  const clock = new VirtualClock(seededAt(scenario, 0), quiet)
  const stage = new ScenarioWorld(scenario.http ?? [])
  const { values: config } = loadConfig({ home, env: KEEPS_EVERY_RUN })
  const named = namedSymbols(scenario, replays)
  const service = await openService({
    home,
    config,
    clock,
    log: silentLogger,
    secrets: await ownSecrets(),
    rehearsal: stage,
    simulated: {
      master: (now) => [masterOf(named, now)],
      // Bars begin and end with the trading session; orders are accepted at any hour.
      sessions: 'market',
      alwaysOpen: true,
      holdings: [],
      replays,
      scripts: scriptOf(scenario),
      ...(scenario.account?.cash !== undefined && { startingCash: scenario.account.cash }),
    },
  })
  const play = new Play(service, clock, stage, options.onProgress)
  try {
    await play.prepare(scenario, named)
    const stored = await play.store(workflow)
    await clock.advanceTo(startsAt)
    await play.start(stored, scenario)
    if (scenario.advance !== undefined) await play.passTime(spanMs(scenario.advance))
    return await play.outcome(workflow.graph)
  } finally {
    await play.settled(closeService(service))
  }
}

let secrets: Promise<SecretBox> | undefined

/** Returns one secret box for all cases: deriving one is slow, and each case's secrets go with its folder. */
function ownSecrets(): Promise<SecretBox> {
  secrets ??= SecretBox.derive({ appKey: randomHex(32), salt: randomHex(16) })
  return secrets
}

class Play {
  #apiKey = ''
  #seeded = new Set<string>()

  constructor(
    private readonly service: Service,
    private readonly clock: VirtualClock,
    private readonly stage: ScenarioWorld,
    private readonly onProgress: RehearsalOptions['onProgress'],
  ) {}

  /** Sets up the owner, trading mode, capital and starting positions. */
  async prepare(scenario: Scenario, named: readonly SymbolRef[]): Promise<void> {
    const { account = {}, mode } = scenario
    const { identity, instruments, sandbox, settings } = this.service
    await prepareInstruments(this.service)
    const missing = named.find(({ symbol, exchange }) => !instruments.directory.find(symbol, exchange))
    if (missing) throw new Error(`${missing.exchange}:${missing.symbol} is not listed on the day of the case`)
    this.#apiKey = (await identity.users.setup(OWNER)).apiKey
    // From here on the key is cached: hashing it would take real time.
    await identity.apiKeys.verify(this.#apiKey)
    identity.stopHousekeeping()
    if (mode === 'analyze') await settings.setAnalyzeMode(true)
    await this.settled(recover(this.service))
    const { username: userId } = OWNER
    if (account.cash !== undefined && mode === 'analyze')
      await this.settled(sandbox.endow(userId, account.cash))
    for (const [index, position] of (account.positions ?? []).entries()) {
      await this.clock.advanceTo(seededAt(scenario, index))
      await this.#seed(position, mode)
    }
  }

  /**
   * Buys or sells a starting position at exactly its price; in live mode, as near as the order book allows.
   */
  async #seed({ symbol, exchange, product, quantity }: Position, mode: Scenario['mode']): Promise<void> {
    const { market, orders } = this.service
    const { username: userId } = OWNER
    const { ltp } = await this.settled(market.quote({ symbol, exchange }))
    const order = parseWith(placeOrderPayload, {
      strategy: 'account',
      symbol,
      exchange,
      product,
      action: quantity > 0 ? 'BUY' : 'SELL',
      quantity: Math.abs(quantity),
      // The sandbox fills an order that is marketable on arrival at the last price.
      ...(mode === 'analyze' && { pricetype: 'LIMIT', price: ltp }),
    })
    const result = await this.settled(orders.single.place(order, { userId, source: 'api' }))
    if (codeOf(result) !== 'ok')
      throw new Error(`The starting position in ${symbol} cannot be opened: ${messageOfResult(result)}`)
  }

  /** Checks that the starting positions are filled, and keeps their orders apart from those of the flow. */
  async #seedsFilled(): Promise<void> {
    for (const { orderid, order_status, symbol } of await this.#orders()) {
      if (order_status !== 'complete')
        throw new Error(
          `The starting position in ${String(symbol)} cannot be opened: the market is too small`,
        )
      this.#seeded.add(String(orderid))
    }
  }

  async store(workflow: RehearsedWorkflow): Promise<Workflow> {
    const { flows } = this.service
    const { name, description, graph } = workflow
    const { id } = await flows.create(
      { name, description, nodes: graph.nodes, edges: graph.edges },
      OWNER.username,
    )
    return flows.workflows.get(id)
  }

  /** Activates the flow, and starts its first run by the trigger of the case. */
  async start(workflow: Workflow, { trigger = {}, variables }: Scenario): Promise<void> {
    const { flows } = this.service
    const { id, graph } = workflow
    await this.#seedsFilled()
    const type = graph.nodes.find((node) => node.type in STARTED_BY)?.type ?? 'start'
    const kind = trigger.kind ?? STARTED_BY[type] ?? 'manual'
    await flows.activate(id, { username: OWNER.username, apiKey: this.#apiKey })
    // The price watcher starts the run when its condition is met.
    if (kind === 'price_alert' && trigger.payload === undefined) return this.passTime(STEP_MS)
    if (kind === 'schedule' && !flows.isOpenFor(workflow)) return
    const payload = {
      ...(kind === 'webhook' || kind === 'manual' ? {} : { trigger_type: kind }),
      ...trigger.payload,
    }
    const run = flows.executor.run(flows.workflows.get(id), {
      trigger: kind,
      apiKey: () => this.#apiKey,
      ...(Object.keys(trigger.payload ?? {}).length > 0 && { payload }),
      ...(variables && { variables }),
    })
    const reply = await this.settled(run)
    if (reply.kind === 'invalid') throw new Error(reply.problems[0]?.message ?? 'The workflow cannot run')
  }

  /** Advances the virtual time. The clock stops at everything that is due in between. */
  async passTime(ms: number): Promise<void> {
    const endsAt = this.clock.now() + ms
    for (let left = ms; left > 0; left -= REPORT_MS) {
      await this.clock.advance(Math.min(REPORT_MS, left))
      this.onProgress?.({ now: this.clock.now(), endsAt, orders: this.stage.orders.size })
    }
  }

  /** Returns the result of `work`. Advances the virtual time while nothing else can happen. */
  async settled<T>(work: Promise<T>): Promise<T> {
    let done = false
    const finish = () => {
      done = true
    }
    work.then(finish, finish)
    await this.clock.advance(0)
    for (let waited = 0; !done; waited += STEP_MS) {
      if (waited > LONGEST_RUN_MS) throw new Error('A run has not ended within a day')
      await this.clock.advance(STEP_MS)
    }
    return work
  }

  async outcome({ nodes }: FlowGraph): Promise<Outcome> {
    const { alerts, outcomes, requests } = this.stage
    const labels = new Map(nodes.map(({ id, data }) => [id, data.label]))
    const orders = await this.#orders()
    const failed = outcomes.find(({ status }) => status === 'failed')
    return {
      status: failed?.status ?? outcomes.at(-1)?.status ?? 'not started',
      orders: orders.filter(
        ({ orderid, order_status }) => !this.#seeded.has(String(orderid)) && order_status !== 'rejected',
      ),
      logs: outcomes.flatMap(({ logs }) => logs.map(({ message }) => message)),
      variables: new Map(Object.entries(outcomes.at(-1)?.variables ?? {})),
      alerts,
      http: requests,
      visited: new Set(outcomes.flatMap(({ visited }) => visited)),
      failures: outcomes.flatMap((outcome) => failuresOf(outcome, labels)),
    }
  }

  /** Returns every order of the account, oldest first. */
  async #orders(): Promise<Record<string, unknown>[]> {
    const { data } = await this.settled(this.service.account.orderbook(OWNER.username))
    const book: unknown = data
    const orders = typeof book === 'object' && book !== null && 'orders' in book ? book.orders : []
    const rows: Record<string, unknown>[] = Array.isArray(orders) ? orders : []
    return rows.sort((a, b) => (String(a.orderid) < String(b.orderid) ? -1 : 1))
  }
}

function failuresOf(
  { failures, aborted, error }: RunOutcome,
  labels: ReadonlyMap<string, unknown>,
): Outcome['failures'] {
  const failed = failures.map(({ node, message }) => {
    const label = labels.get(node)
    return { node, message, ...(typeof label === 'string' && { label }) }
  })
  return aborted && error !== undefined ? [...failed, { message: error }] : failed
}

/**
 * Waits until no database works and nothing is due in a later turn of the event loop, so that a case runs the same way in
 * memory and on a disk. Most seconds of a case begin no work, and end after one turn.
 */
async function quiet(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await nextTurn()
    if (isStorageBusy()) {
      await storageIdle()
      turns = 0
    } else if (!isDueLater()) return
  }
}

function isDueLater(): boolean {
  return process.getActiveResourcesInfo().some((kind) => LATER_TURN.includes(kind))
}

/** Waits for the next turn of the event loop. It costs a third of the one in `node:timers/promises`. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
