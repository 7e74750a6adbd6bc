import { join } from 'node:path'
import { BrokerService } from '../../core/brokers/index.js'
import { type SimulatedOptions, simulatedPlugin } from '../../core/brokers/simulated/index.js'
import type { Config } from '../../core/config/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import {
  FeedWatch,
  ListedMarket,
  MarketData,
  type QuoteNeeds,
  type SymbolRef,
  TickHub,
} from '../../core/market/index.js'
import {
  ChainMemory,
  type OptionChain,
  OptionResolver,
  type OptionSources,
} from '../../core/options/index.js'
import type { Clock } from '../../core/time/index.js'
import { callingMachine } from '../broker/calling-machine.js'
import { BROKER_PLUGINS } from '../broker/plugins.js'
import { simulatedOptions } from '../broker/simulated-options.js'
import { BarAnswers } from '../operations/market/bars/bar-answers.js'
import { QuoteAnswers } from '../operations/market/quote-answers.js'
import type { Foundation } from './foundation.js'
import type { Stores } from './stores.js'

/** The longest time since a tick whose price is a current one. */
const RECENT_MS = 60_000

interface MarketParts {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** Overrides the settings of the embedded broker. */
  simulated: Partial<SimulatedOptions> | undefined
  stores: Stores
  foundation: Pick<Foundation, 'calendar' | 'instruments'>
}

export type Market = Awaited<ReturnType<typeof openMarket>>

/** Opens the brokers, without connecting them, and the market data of the active broker. */
export async function openMarket({ home, config, clock, log, stores, foundation, ...parts }: MarketParts) {
  const { calendar, instruments } = foundation
  const hub = new TickHub({
    clock,
    onListenerError: (error, tick) =>
      log.error('tick.listener_failed', { symbol: tick.symbol, error: messageOf(error) }),
    onFeedRefusal: (error, { symbol, exchange }) =>
      log.warn('feed.symbol_refused', { symbol, exchange, error: messageOf(error) }),
  })
  const simulated = simulatedPlugin({
    ...simulatedOptions(config, calendar, clock.now()),
    ...parts.simulated,
  })
  const brokers = await BrokerService.open({
    db: stores.databases.svc,
    clock,
    secrets: stores.secrets,
    plugins: [simulated, ...BROKER_PLUGINS],
    stateDir: join(home, 'brokers'),
    endpoints: endpointsByBroker(config.BROKER_ENDPOINTS ?? {}),
    marketProtection: config.MARKET_PROTECTION,
    machine: callingMachine(config.BROKER_PUBLIC_IP),
    credentials: configuredCredentials(config),
    redirect: config.REDIRECT_URL,
    takesPostbacks: config.BROKER_POSTBACKS,
    // The simulated exchange knows contracts by their symbols, so it trades with every master.
    instruments: (broker) =>
      broker === simulated.manifest.id ? instruments.directory : instruments.ofBroker(broker),
    log,
  })
  const alwaysOpen = (broker = brokers.brokerId) => brokers.plugins.find(broker)?.manifest.alwaysOpen === true
  const feedWatch = new FeedWatch({
    clock,
    hub,
    log,
    connected: () => brokers.connected(),
    trades: (exchange) => alwaysOpen() || calendar.isOpen(exchange),
    connectionSilentMs: () => brokers.feedSilentMs(),
    refused: () => brokers.feedRefused(),
    reopen: () => brokers.reopenTicks(),
  })
  const market = new MarketData({
    hub,
    broker: () => ({ client: brokers.client(), manifest: brokers.manifest() }),
  })
  const listed = new ListedMarket(market, instruments.directory)
  const optionSources: OptionSources = { catalog: instruments.directory, calendar, market: listed, clock }
  const prices = {
    /** Returns the last price that the feed sent. */
    last: (ref: SymbolRef) => hub.last(ref)?.ltp,
    /** Returns the last price that the feed sent, if it is young: a silent feed keeps its last tick for days. */
    recent: (ref: SymbolRef) => ((hub.ageMs(ref) ?? Infinity) <= RECENT_MS ? hub.last(ref)?.ltp : undefined),
    /** Returns the current price. Requests a quote when the feed does not tell all that is needed. */
    quoted: async (ref: SymbolRef, needs?: QuoteNeeds) =>
      (await market.quote(ref, needs).catch(() => undefined))?.ltp,
  }
  return {
    brokers,
    hub,
    feedWatch,
    market,
    listed,
    optionSources,
    optionResolver: new OptionResolver(optionSources),
    prices,
    alwaysOpen,
    barAnswers: new BarAnswers(),
    quoteAnswers: new QuoteAnswers(listed),
    chains: new ChainMemory<OptionChain>(),
  }
}

/** Returns the credentials at a broker that the configuration has, by the names of log-in forms. */
function configuredCredentials(config: Config) {
  return {
    broker: config.REDIRECT_URL?.broker,
    fields: {
      api_key: config.BROKER_API_KEY,
      api_secret: config.BROKER_API_SECRET,
      api_key_market: config.BROKER_API_KEY_MARKET,
      api_secret_market: config.BROKER_API_SECRET_MARKET,
    },
  }
}

/** Groups entries such as `zerodha.api=http://…` by broker, as the base URLs of each plugin. */
function endpointsByBroker(flat: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
  const nested: Record<string, Record<string, string>> = {}
  for (const [name, url] of Object.entries(flat)) {
    const [broker = '', endpoint = ''] = name.split('.')
    nested[broker] = { ...nested[broker], [endpoint]: url }
  }
  return nested
}
