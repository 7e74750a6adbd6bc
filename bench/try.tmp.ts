import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { LoadClient } from '/work/main/bench/load/load.ts'
import { DaemonProcess, makeTemplate, TEMPLATE_VARIABLE } from '/work/main/test/support/daemon-process.ts'
const root = process.env.ROOT ?? '/work/main'
const f = mkdtempSync('/tmp/bench-')
const floor = fork(root + '/bench/floor/server.ts', [f], { execArgv: ['--import', 'tsx'] })
const [port] = await once(floor, 'message') as [number]
const d = new DaemonProcess()
await d.start(); await d.signUp()
await d.analyze(true)
const dport = Number(new URL(d.url).port)
const body = (i: number) => ({ apikey: d.apikey, strategy: 'bench', symbol: ['SBIN','INFY','TCS','RELIANCE'][i % 4], exchange: 'NSE', action: i & 4 ? 'SELL' : 'BUY', quantity: 10, pricetype: 'MARKET', product: 'MIS' })
const bodies = Array.from({ length: 8 }, (_, i) => body(i))
const client = new LoadClient()
const seconds = Number(process.env.S ?? 3)
const rounds = Number(process.env.R ?? 3)
const show = (n: string, m: any, base?: any) => console.log(n.padEnd(10), Math.round(m.perSecond), 'p50', m.latencies.p50.toFixed(1), 'p99', m.latencies.p99.toFixed(1), base ? (m.perSecond / base.perSecond).toFixed(3) : '')
await client.run({ port, path: '/order', bodies, connections: 64, seconds: 1 })
for (let r = 0; r < rounds; r++) {
  const base = await client.run({ port, path: '/order', bodies, connections: 64, seconds })
  show('floor', base)
  await d.orderMode('auto')
  show('analyze', await client.run({ port: dport, path: '/api/v1/placeorder', bodies, connections: 64, seconds }), base)
  await d.orderMode('semi_auto')
  show('semi', await client.run({ port: dport, path: '/api/v1/placeorder', bodies, connections: 64, seconds }), base)
}
await d.signal('SIGTERM'); await d.dispose(); client.close(); floor.kill()
