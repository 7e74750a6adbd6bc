import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { exchangeLedger, type LedgerEntry } from '../../../src/core/brokers/simulated/index.js'
import { loadConfig } from '../../../src/core/config/index.js'
import type { EventTopics, Topic } from '../../../src/core/events/index.js'
import { type Logger, silentLogger } from '../../../src/core/logging/index.js'
import type { OrderPath, PlaceContext, PlaceOrderPayload } from '../../../src/core/orders/index.js'
import type { SecretBox } from '../../../src/core/secrets/index.js'
import { Database, type SchemaName } from '../../../src/core/storage/index.js'
import type { VirtualClock } from '../../../src/core/time/index.js'
import { prepareInstruments } from '../../../src/daemon/broker/instrument-loading.js'
import type { Stores } from '../../../src/daemon/service/stores.js'
import { closeService, openService, recover, type Service } from '../../../src/daemon/service.js'
import { INSTRUMENTS, underlyingOf } from '../../core/brokers/simulated/support.js'
import { tempDir } from '../files/temp.js'
import { PreparedFolder } from '../process/prepared-folder.js'
import { settled } from '../settled.js'
import { answering } from './answering.js'
import { deskClock } from './desk-clock.js'
import { boxFor } from './secret-boxes.js'

export const USER = 'asha'
/** A Friday, eleven o'clock in India. */
export const FRIDAY_11 = '2026-11-20T11:00:00+05:30'

export interface DeskOptions {
  home?: string
  env?: Record<string, string>
  clock?: VirtualClock
  /** True if the start waits for the clock: a broker with call limits answers nothing in the first second after it. */
  startWaits?: boolean
  /**
   * True for the full instrument list of the embedded market on that day, as in a new installation; by
   * default a dozen samples.
   */
  embeddedMarket?: boolean
  /** The URL of a server that replaces Telegram's. */
  telegramApi?: string
  /** The URL of a server that replaces the WhatsApp Cloud API. */
  whatsappApi?: string
  /** A certificate that the mail server may have. */
  mailCa?: string
  /** Where the service logs; by default nowhere. */
  log?: Logger
}

type HomeOptions = DeskOptions & Required<Pick<DeskOptions, 'home' | 'clock'>> & { isPrepared?: boolean }

/** Opens the databases of a prepared home. They are sound: the checks of a start took a tenth of each opening. */
async function soundStores(home: string, secrets: SecretBox): Promise<Stores> {
  const opened = (schema: SchemaName) => Database.open({ file: join(home, `${schema}.db`), schema })
  const [svc, sandbox, logs] = await Promise.all([opened('svc'), opened('sandbox'), opened('logs')])
  return { databases: { svc, sandbox, logs }, secrets }
}

async function openHome({
  home,
  clock,
  env = {},
  telegramApi,
  whatsappApi,
  mailCa,
  embeddedMarket,
  isPrepared = false,
  log = silentLogger,
}: HomeOptions): Promise<Service> {
  const { values: config } = loadConfig({
    home,
    env: { ...env, ...(telegramApi !== undefined && { TELEGRAM_API_URL: telegramApi }) },
  })
  const secrets = await boxFor(config.APP_KEY, config.FERNET_SALT)
  return openService({
    home,
    config,
    clock,
    log,
    secrets,
    ...(isPrepared && { stores: await soundStores(home, secrets) }),
    ...(!embeddedMarket && { simulated: { master: () => [[...INSTRUMENTS]], underlyingOf } }),
    ...(whatsappApi !== undefined && { whatsappApi }),
    ...(mailCa !== undefined && { mailCa }),
  })
}

async function start(service: Service): Promise<void> {
  await prepareInstruments(service)
  await recover(service)
  if (service.identity.users.needsSetup) {
    await service.identity.users.setup({ username: USER, email: 'asha@example.org', password: 'Passw0rd!' })
  }
}

/** A home after its first start, on {@link FRIDAY_11}, without any setting that the home remembers. */
const usualHome = new PreparedFolder(async (home) => {
  const service = await openHome({ home, clock: deskClock(FRIDAY_11) })
  await start(service)
  await closeService(service)
})

/** A home with its keys and with databases that have their tables, and nothing in them. */
const emptyHome = new PreparedFolder(async (home) => {
  const { APP_KEY, FERNET_SALT } = loadConfig({ home, env: {} }).values
  const { databases } = await soundStores(home, await boxFor(APP_KEY, FERNET_SALT))
  await Promise.all(Object.values(databases).map((database) => database.close()))
})

const KEYS = /^(APP_KEY|API_KEY_PEPPER|FERNET_SALT)$/
/** Settings that the first start stores, or that change the start of the simulated market. */
const LEAVES_TRACES = /^(SIM_|BROKER_(?!ENDPOINTS$))/

/** Returns the home that a first start with some options may go on from; undefined if it makes keys of its own. */
function preparedFor({ embeddedMarket, env = {} }: DeskOptions, clock: VirtualClock) {
  const names = Object.keys(env)
  if (names.some((name) => KEYS.test(name))) return undefined
  const isUsual = clock.now() === Date.parse(FRIDAY_11) && !names.some((name) => LEAVES_TRACES.test(name))
  return isUsual && !embeddedMarket ? usualHome : emptyHome
}

/** The order path as its clients see it. */
export type Answers = TestDesk['orders']

/** The whole service on real files with a virtual clock, without HTTP. */
export class TestDesk {
  readonly events: { topic: Topic; payload: EventTopics[Topic] }[] = []

  private constructor(
    readonly service: Service,
    readonly home: string,
    readonly clock: VirtualClock,
  ) {
    service.bus.subscribe('*', 'test', (payload, topic) => {
      this.events.push({ topic, payload })
    })
  }

  /** Opens a home with a user: a new one, or the given one. */
  static async open(options: DeskOptions = {}): Promise<TestDesk> {
    const home = options.home ?? tempDir()
    const clock = options.clock ?? deskClock(FRIDAY_11)
    const prepared = options.home === undefined ? preparedFor(options, clock) : undefined
    await prepared?.writeTo(home)
    const isPrepared = prepared !== undefined
    const desk = new TestDesk(await openHome({ ...options, home, clock, isPrepared }), home, clock)
    onTestFinished(() => desk.close())
    const started = start(desk.service)
    await (options.startWaits ? settled(clock, started) : started)
    return desk
  }

  #closed: Promise<void> | undefined

  close(): Promise<void> {
    this.#closed ??= closeService(this.service)
    return this.#closed
  }

  /** The order path; each call returns the answer that a client would receive. */
  get orders() {
    const { changes, gtts, multi, single } = this.service.orders
    return {
      changes: answering<OrderPath['changes']>(changes),
      gtts: answering<OrderPath['gtts']>(gtts),
      multi: answering<OrderPath['multi']>(multi),
      single: answering<OrderPath['single']>(single),
    }
  }

  place(fields: Partial<PlaceOrderPayload> = {}, context: Partial<PlaceContext> = {}) {
    return this.orders.single.place(payloadOf(fields), { userId: USER, source: 'api', ...context })
  }

  /** Returns the result of the promise; moves the clock on while it waits. */
  settled<T>(promise: Promise<T>): Promise<T> {
    return settled(this.clock, promise)
  }

  /** Returns the published events of a topic, after all pending work has ended. */
  async published<T extends Topic>(topic: T): Promise<EventTopics[T][]> {
    await this.service.bus.idle()
    return this.events
      .filter((event) => event.topic === topic)
      .map((event) => event.payload as EventTopics[T])
  }

  /** Returns the exchange's own record of the orders that reached it. */
  ledger(): Promise<LedgerEntry[]> {
    return exchangeLedger(join(this.home, 'brokers', 'simulated'))
  }
}

/** Returns an order for ten shares of SBIN at the market; `fields` may override it. */
export function payloadOf(fields: Partial<PlaceOrderPayload> = {}): PlaceOrderPayload {
  return {
    strategy: 'test',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    pricetype: 'MARKET',
    product: 'MIS',
    price: 0,
    trigger_price: 0,
    disclosed_quantity: 0,
    underlying_ltp: null,
    ...fields,
  }
}
