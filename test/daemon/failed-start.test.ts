import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type RunningDaemon, startDaemon } from '../../src/daemon/main.js'
import { execute, query } from '../support/files/files.js'
import { tempDir } from '../support/files/temp.js'
import { freeUrl } from '../support/traffic/gateway.js'

/* A start that fails after the ports are bound leaves nothing behind that looks like a daemon, or is half of one. */

const SENDING = `insert into order_journal (order_ref, user_id, api_type, source, mode, broker, state, symbol, exchange, action,
  quantity, product, request, created_at, updated_at)
  values ('r1', 'asha', 'placeorder', 'api', 'live', 'simulated', 'sending', 'SBIN', 'NSE', 'BUY', '1', 'CNC', '{}', 1, 1)`
const FULL = `create trigger full before update on order_journal begin select raise(abort, 'the journal is full'); end`

const freePort = async () => Number(new URL(await freeUrl()).port)

/** Makes a home of a daemon that was stopped, with an order that is being sent. Starts it at the same ports each time. */
async function homeWithOrder() {
  const home = tempDir()
  const ports = { port: await freePort(), wsPort: await freePort() }
  const events: string[] = []
  const readable = (line: string) => {
    events.push(JSON.parse(line).event)
    return ''
  }
  const start = (): Promise<RunningDaemon> => startDaemon({ home, ...ports, readable })
  await (await start()).stop()
  await execute(join(home, 'svc.db'), SENDING)
  events.length = 0
  return { home, events, start, url: `http://127.0.0.1:${ports.port}/health/ready` }
}

const FAILURES = [
  {
    what: 'recover its orders',
    says: 'the journal is full',
    breaks: (home: string) => execute(join(home, 'svc.db'), FULL),
    mends: (home: string) => execute(join(home, 'svc.db'), 'drop trigger full'),
  },
  {
    what: 'write where it is',
    says: 'daemon.json.new',
    breaks: async (home: string) => void mkdirSync(join(home, 'daemon.json.new')),
    mends: async (home: string) => rmSync(join(home, 'daemon.json.new'), { recursive: true }),
  },
]

test.each(FAILURES)(
  'a daemon that cannot $what was never ready, and leaves the home and both ports to the next one',
  async ({ breaks, mends, says }) => {
    const { events, home, start, url } = await homeWithOrder()
    await breaks(home)
    await expect(start()).rejects.toThrow(says)
    expect(events).toContain('daemon.start_failed')
    expect(events).not.toContain('daemon.ready')
    expect(existsSync(join(home, 'daemon.json'))).toBe(false)
    await expect(fetch(url)).rejects.toThrow('fetch failed')

    await mends(home)
    const next = await start()
    expect((await fetch(url)).status).toBe(200)
    await next.stop()
    const [order] = await query(join(home, 'svc.db'), 'select state from order_journal')
    expect(order).not.toEqual({ state: 'sending' })
  },
)
