/**
 * The compiled modules, as the daemon runs them: the loader that runs these benchmarks from source adds to every
 * closure, which would slow down whatever is measured in this process.
 */
const folder = new URL('../dist/core/', import.meta.url)
const daemonFolder = new URL('../dist/daemon/', import.meta.url)

export const loadStorage = (): Promise<typeof import('../src/core/storage/index.js')> =>
  import(new URL('storage/index.js', folder).href)

export const loadSandbox = (): Promise<typeof import('../src/core/sandbox/index.js')> =>
  import(new URL('sandbox/index.js', folder).href)

export const loadMarket = (): Promise<typeof import('../src/core/market/index.js')> =>
  import(new URL('market/index.js', folder).href)

export const loadTime = (): Promise<typeof import('../src/core/time/index.js')> =>
  import(new URL('time/index.js', folder).href)

export const loadInstruments = (): Promise<typeof import('../src/core/instruments/index.js')> =>
  import(new URL('instruments/index.js', folder).href)

/** Inner modules of symbol search: the index, what it is made of, and the same queries as SQL. */
export async function loadSearch() {
  const inner = (file: string) => import(new URL(`instruments/${file}`, folder).href)
  const [table, encoder, index, store]: [
    typeof import('../src/core/instruments/instrument-table.js'),
    typeof import('../src/core/instruments/table-encoder.js'),
    typeof import('../src/core/instruments/search/search-index.js'),
    typeof import('../src/core/instruments/search/store.js'),
  ] = await Promise.all([
    inner('instrument-table.js'),
    inner('table-encoder.js'),
    inner('search/search-index.js'),
    inner('search/store.js'),
  ])
  return { ...table, ...encoder, ...index, ...store }
}

export const loadEvents = (): Promise<typeof import('../src/core/events/index.js')> =>
  import(new URL('events/index.js', folder).href)

export const loadSecrets = (): Promise<typeof import('../src/core/secrets/index.js')> =>
  import(new URL('secrets/index.js', folder).href)

/** Flows, and the walk and the monitor inside them. */
export async function loadFlows() {
  const inner = (file: string) => import(new URL(`flows/${file}`, folder).href)
  const [area, walk, triggers]: [
    typeof import('../src/core/flows/index.js'),
    typeof import('../src/core/flows/engine/walk.js'),
    typeof import('../src/core/flows/triggers/index.js'),
  ] = await Promise.all([inner('index.js'), inner('engine/walk.js'), inner('triggers/index.js')])
  return { ...area, ...walk, ...triggers }
}

/** The market stream without the daemon around it. */
export async function loadStream() {
  const inner = (file: string) => import(new URL(`stream/${file}`, daemonFolder).href)
  const [fanOut, frames, sockets, subscriptions]: [
    typeof import('../src/daemon/stream/market-fanout.js'),
    typeof import('../src/daemon/stream/market-frames.js'),
    typeof import('../src/daemon/stream/market-socket.js'),
    typeof import('../src/daemon/stream/market-subscriptions.js'),
  ] = await Promise.all([
    inner('market-fanout.js'),
    inner('market-frames.js'),
    inner('market-socket.js'),
    inner('market-subscriptions.js'),
  ])
  return { ...fanOut, ...frames, ...sockets, ...subscriptions }
}
