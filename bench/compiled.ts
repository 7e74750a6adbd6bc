/**
 * The compiled modules, as the daemon runs them: the loader that runs these benchmarks from source adds to every
 * closure, which would slow down whatever is measured in this process.
 */
const folder = new URL('../dist/core/', import.meta.url)

export const loadStorage = (): Promise<typeof import('../src/core/storage/index.js')> =>
  import(new URL('storage/index.js', folder).href)

export const loadSandbox = (): Promise<typeof import('../src/core/sandbox/index.js')> =>
  import(new URL('sandbox/index.js', folder).href)

export const loadMarket = (): Promise<typeof import('../src/core/market/index.js')> =>
  import(new URL('market/index.js', folder).href)

export const loadTime = (): Promise<typeof import('../src/core/time/index.js')> =>
  import(new URL('time/index.js', folder).href)
