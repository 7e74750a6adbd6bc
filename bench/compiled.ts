export const FOLDER = new URL('../dist/bench/', import.meta.url)

/**
 * Modules of the service, built like the daemon (compile.ts). The loader that runs these benchmarks from
 * source adds code to every closure, which would slow down the measured code in this process.
 */
export const MODULES = [
  'core/approvals/index',
  'core/brokers/simulated/index',
  'core/config/index',
  'core/events/index',
  'core/flows/engine/walk',
  'core/flows/index',
  'core/flows/triggers/index',
  'core/identity/index',
  'core/instruments/index',
  'core/instruments/table/instrument-table',
  'core/instruments/search/search-index',
  'core/instruments/search/store',
  'core/instruments/table/encoder',
  'core/market/index',
  'core/orders/index',
  'core/pnl/index',
  'core/sandbox/index',
  'core/secrets/index',
  'core/security/ban-list',
  'core/storage/index',
  'core/strategies/engine/index',
  'core/strategies/replay/index',
  'core/telemetry/latency/latency-store',
  'core/telemetry/latency/statistics',
  'core/telemetry/traffic/traffic-log',
  'core/time/index',
  'daemon/broker/instrument-loading',
  'daemon/service',
  'daemon/stream/event-audiences',
  'daemon/stream/market/fanout',
  'daemon/stream/market/frames',
  'daemon/stream/market/socket',
  'daemon/stream/market/subscriptions',
] as const

/**
 * Returns the name of the module's file in {@link FOLDER}. All modules lie in one folder, like the daemon's,
 * so that they find the files they read beside them.
 */
export const nameOf = (path: string): string => path.replaceAll('/', '.')

const load = (path: (typeof MODULES)[number]) => import(new URL(`${nameOf(path)}.js`, FOLDER).href)

export const loadStorage = (): Promise<typeof import('../src/core/storage/index.js')> =>
  load('core/storage/index')

export const loadOrders = (): Promise<typeof import('../src/core/orders/index.js')> =>
  load('core/orders/index')

export const loadApprovals = (): Promise<typeof import('../src/core/approvals/index.js')> =>
  load('core/approvals/index')

export const loadPnl = (): Promise<typeof import('../src/core/pnl/index.js')> => load('core/pnl/index')

export const loadSandbox = (): Promise<typeof import('../src/core/sandbox/index.js')> =>
  load('core/sandbox/index')

export const loadMarket = (): Promise<typeof import('../src/core/market/index.js')> =>
  load('core/market/index')

export const loadTime = (): Promise<typeof import('../src/core/time/index.js')> => load('core/time/index')

export const loadInstruments = (): Promise<typeof import('../src/core/instruments/index.js')> =>
  load('core/instruments/index')

export const loadSimulated = (): Promise<typeof import('../src/core/brokers/simulated/index.js')> =>
  load('core/brokers/simulated/index')

/** Inner modules of symbol search: the index, its parts, and the same queries as SQL. */
export async function loadSearch() {
  const [table, encoder, index, store]: [
    typeof import('../src/core/instruments/table/instrument-table.js'),
    typeof import('../src/core/instruments/table/encoder.js'),
    typeof import('../src/core/instruments/search/search-index.js'),
    typeof import('../src/core/instruments/search/store.js'),
  ] = await Promise.all([
    load('core/instruments/table/instrument-table'),
    load('core/instruments/table/encoder'),
    load('core/instruments/search/search-index'),
    load('core/instruments/search/store'),
  ])
  return { ...table, ...encoder, ...index, ...store }
}

export const loadEvents = (): Promise<typeof import('../src/core/events/index.js')> =>
  load('core/events/index')

export const loadIdentity = (): Promise<typeof import('../src/core/identity/index.js')> =>
  load('core/identity/index')

export const loadSecurity = (): Promise<typeof import('../src/core/security/ban-list.js')> =>
  load('core/security/ban-list')

/** The latency log and its statistics. */
export async function loadTelemetry() {
  const [store, statistics, traffic]: [
    typeof import('../src/core/telemetry/latency/latency-store.js'),
    typeof import('../src/core/telemetry/latency/statistics.js'),
    typeof import('../src/core/telemetry/traffic/traffic-log.js'),
  ] = await Promise.all([
    load('core/telemetry/latency/latency-store'),
    load('core/telemetry/latency/statistics'),
    load('core/telemetry/traffic/traffic-log'),
  ])
  return { ...store, ...statistics, ...traffic }
}

export const loadSecrets = (): Promise<typeof import('../src/core/secrets/index.js')> =>
  load('core/secrets/index')

/** Flows, with the engine's walk and the trigger monitor. */
export async function loadFlows() {
  const [area, walk, triggers]: [
    typeof import('../src/core/flows/index.js'),
    typeof import('../src/core/flows/engine/walk.js'),
    typeof import('../src/core/flows/triggers/index.js'),
  ] = await Promise.all([
    load('core/flows/index'),
    load('core/flows/engine/walk'),
    load('core/flows/triggers/index'),
  ])
  return { ...area, ...walk, ...triggers }
}

/** The market stream without the daemon around it. */
export async function loadStream() {
  const [fanOut, frames, sockets, subscriptions]: [
    typeof import('../src/daemon/stream/market/fanout.js'),
    typeof import('../src/daemon/stream/market/frames.js'),
    typeof import('../src/daemon/stream/market/socket.js'),
    typeof import('../src/daemon/stream/market/subscriptions.js'),
  ] = await Promise.all([
    load('daemon/stream/market/fanout'),
    load('daemon/stream/market/frames'),
    load('daemon/stream/market/socket'),
    load('daemon/stream/market/subscriptions'),
  ])
  return { ...fanOut, ...frames, ...sockets, ...subscriptions }
}

export const loadEventAudiences = (): Promise<typeof import('../src/daemon/stream/event-audiences.js')> =>
  load('daemon/stream/event-audiences')

/** The engine of strategies, and the replay that feeds it. */
export async function loadStrategies() {
  const [engine, replay]: [
    typeof import('../src/core/strategies/engine/index.js'),
    typeof import('../src/core/strategies/replay/index.js'),
  ] = await Promise.all([load('core/strategies/engine/index'), load('core/strategies/replay/index')])
  return { ...engine, ...replay }
}

export const loadConfiguration = (): Promise<typeof import('../src/core/config/index.js')> =>
  load('core/config/index')

/** The whole service without a server around it. */
export async function loadService() {
  const [service, instruments]: [
    typeof import('../src/daemon/service.js'),
    typeof import('../src/daemon/broker/instrument-loading.js'),
  ] = await Promise.all([load('daemon/service'), load('daemon/broker/instrument-loading')])
  return { ...service, ...instruments }
}
