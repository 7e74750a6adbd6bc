import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type DaemonProcess, SVC } from '../../test/support/process/daemon-process.js'
import { ROOT } from './documents.js'

const FILLED = [
  { symbol: 'SBIN', action: 'BUY', quantity: 50 },
  { symbol: 'INFY', action: 'SELL', quantity: 20 },
  { symbol: 'RELIANCE', action: 'BUY', quantity: 10 },
]
const QUEUED = [
  { symbol: 'SBIN', action: 'BUY', quantity: 10, strategy: 'momentum' },
  { symbol: 'TCS', action: 'SELL', quantity: 5, strategy: 'mean-reversion' },
  { symbol: 'HDFCBANK', action: 'BUY', quantity: 25, strategy: 'momentum' },
]
const EXAMPLES = ['kill-switch.yaml', 'end-of-day-report.yaml', 'webhook-order.yaml']
const WATCHED = ['NSE:SBIN', 'NSE:INFY', 'NSE:RELIANCE', 'NSE:TCS', 'NSE_INDEX:NIFTY']
const STRATEGY = {
  name: 'SBIN by signals',
  strategy_kind: 'signal',
  strategy_type: 'intraday',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  entry_time: '00:00',
  exit_time: '23:59',
  legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', side: 'both', qty: 10 }],
}
/** Makes a day of trading at the simulated broker: filled orders, positions, a queue, a watch list and more. */
export async function tradingDay(daemon: DaemonProcess): Promise<void> {
  await daemon.analyze(false)
  for (const order of FILLED) await daemon.place({ ...order, product: 'MIS', strategy: 'momentum' })
  await daemon.request('POST', '/strategy/api/strategies', STRATEGY)
  const files = EXAMPLES.map((name) => join(ROOT, 'flows', name))
  const env = { PATH: process.env.PATH, SVC_HOME: daemon.home, SVC_URL: daemon.url, SVC_TOKEN: daemon.token }
  execFileSync(process.execPath, [SVC, 'flow', 'apply', ...files, '--yes'], { env })
  await daemon.request('POST', '/security/ban', {
    ip_address: '203.0.113.7',
    reason: 'scanned for passwords',
  })
  await daemon.api('chart', { 'svc.watchlist': JSON.stringify(WATCHED) })
  await daemon.orderMode('semi_auto')
  for (const order of QUEUED) await daemon.place({ ...order, product: 'MIS' })
}
