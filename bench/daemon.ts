import { DaemonProcess, type Env } from '../test/support/process/daemon-process.js'
import type { Load } from './load/load.js'

const SYMBOLS = ['SBIN', 'INFY', 'TCS', 'RELIANCE', 'ITC', 'WIPRO', 'HDFCBANK', 'ICICIBANK']

/** A daemon with its own home and a user, in analyze mode. */
export async function startDaemon(home: string, env: Env = {}): Promise<DaemonProcess> {
  const daemon = new DaemonProcess({ home, env })
  await daemon.start()
  await daemon.signUp()
  await daemon.analyze(true)
  return daemon
}

/** The URL at which a daemon accepts orders. */
export function orderTarget(daemon: DaemonProcess): Pick<Load, 'port' | 'path' | 'bodies'> {
  return {
    port: Number(new URL(daemon.url).port),
    path: '/api/v1/placeorder',
    bodies: orders(daemon.apikey),
  }
}

/**
 * Market orders over a few symbols. Buys and sells cancel out over one pass, so that the account never runs
 * out of funds.
 */
export function orders(apikey: string): Record<string, unknown>[] {
  return ['BUY', 'BUY', 'SELL', 'SELL'].flatMap((action) =>
    SYMBOLS.map((symbol) => ({
      apikey,
      strategy: 'benchmark',
      symbol,
      exchange: 'NSE',
      action,
      quantity: 10,
      pricetype: 'MARKET',
      product: 'MIS',
    })),
  )
}
