import { appendFileSync, existsSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ErrorLog } from '../../../src/core/diagnostics/index.js'
import { createLogger, ERROR_LOG, ERROR_LOG_BYTES } from '../../../src/core/logging/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'
import { slowness, watched } from '../../support/turns.js'

const NOW = '2026-11-20T11:00:00+05:30'
const SECRET = 'k3yOfThisInstallation-9f8e7d'

/** A folder with an error log that the tests write to. */
class Folder {
  readonly dir = tempDir()
  readonly clock = new VirtualClock(NOW)
  readonly errors = new ErrorLog({ dir: this.dir, clock: this.clock, secrets: [SECRET] })
  readonly path = join(this.dir, ERROR_LOG)

  add(...lines: (object | string)[]): void {
    const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
    appendFileSync(this.path, text)
  }

  recent(wanted: Partial<Parameters<ErrorLog['recent']>[0]> = {}) {
    return this.errors.recent({ limit: 100, ...wanted })
  }
}

const line = (event: string, facts: object = {}, time = NOW) => ({
  level: 'error',
  time: new Date(time).toISOString(),
  ...facts,
  event,
})

describe('an entry', () => {
  it('has the fields of the API, from the line that the logger wrote', async () => {
    const folder = new Folder()
    const { close, log } = createLogger(
      { level: 'INFO', dir: folder.dir, home: '/', toFile: false, retention: 1, console: false },
      folder.clock,
    )
    const fault = new TypeError('x is not a function')
    log.error('request.failed', {
      request_id: 'ab-1',
      method: 'POST',
      route: '/orders/:id',
      path: '/orders/7',
      client_ip: '192.0.2.1',
      error: fault.message,
      stack: fault.stack,
      broker: 'zerodha',
    })
    await close()
    const { entries } = await folder.recent()
    expect(entries).toHaveLength(1)
    const [entry] = entries
    expect(entry).toMatchObject({
      at: Date.parse(NOW),
      level: 'ERROR',
      logger: 'request.failed',
      module: 'request',
      message: 'x is not a function',
      request: { method: 'POST', path: '/orders/7', ip: '192.0.2.1', id: 'ab-1' },
      details: { broker: 'zerodha' },
    })
    expect(entry?.file).toMatch(/error-log\.test\.ts:\d+$/)
    expect(entry?.exception?.[0]).toBe('TypeError: x is not a function')
    expect(entry?.exception?.[1]).toMatch(/^\s*at /)
  })

  it('takes its sentence from the field that has one, or from the event', async () => {
    const folder = new Folder()
    folder.add(
      line('broker.missing', { message: 'no plugin', broker: 'x' }),
      line('identity.listener_failed', { reason: 'closed' }),
      line('flow.no_key', { workflow_id: 3 }),
    )
    const { entries } = await folder.recent()
    expect(entries.map(({ message, module, details }) => [module, message, details])).toEqual([
      ['broker', 'no plugin', { broker: 'x' }],
      ['identity', 'closed', {}],
      ['flow', 'flow no key', { workflow_id: 3 }],
    ])
  })

  it('masks secrets and control characters of a line that another program wrote, and cuts long texts', async () => {
    const folder = new Folder()
    folder.add(
      line('a.b', {
        error: `\u001b[2Jkey ${SECRET} password=hunter2222`,
        stack: `Error: token=abcdef123456\n    at f (/x/${SECRET}.js:1:2)`,
        api_secret: 'canary-field',
        note: 'x'.repeat(30_000),
      }),
      line('a.c', { error: 'y'.repeat(30_000) }),
    )
    const { entries } = await folder.recent()
    const text = JSON.stringify(entries)
    expect(text).not.toMatch(/k3yOf|hunter|abcdef123456|canary-field/)
    expect(entries[0]?.message).toContain('\\u001b[2J')
    expect(entries[1]?.message).toHaveLength(20_000 + '...[truncated]'.length)
    expect(entries[1]?.message.endsWith('y...[truncated]')).toBe(true)
  })

  it('of a page has all that the page reported in its message', async () => {
    const folder = new Folder()
    folder.add(
      line('client.browser', {
        message: 'boom',
        url: 'https://x/logs',
        user_agent: 'UA/1',
        user_id: 'asha',
        component_stack: ['in A', 'in B'],
        stack: ['Error: boom', 'f@x:1:2'],
      }),
    )
    const [entry] = (await folder.recent()).entries
    expect(entry).toMatchObject({ logger: 'client.browser', file: null, details: { user_id: 'asha' } })
    expect(entry?.exception).toBeUndefined()
    expect(entry?.message).toBe(
      '[CLIENT] boom\nURL: https://x/logs\nUA: UA/1\nComponent stack:\nin A\nin B\nStack:\nError: boom\nf@x:1:2',
    )
  })
})

describe('the newest entries', () => {
  it('come oldest first, and can be chosen by level and text', async () => {
    const folder = new Folder()
    for (let n = 1; n <= 250; n++) folder.add(line(`e.${n}`, { error: n % 2 ? 'Odd one' : 'even', n }))
    folder.add({ ...line('process.end', { order_ref: 'R-17' }), level: 'fatal' })
    const names = async (wanted = {}) => (await folder.recent(wanted)).entries.map(({ logger }) => logger)
    expect(await names({ limit: 3 })).toEqual(['e.249', 'e.250', 'process.end'])
    expect(await names({ limit: 1, text: 'ODD ONE' })).toEqual(['e.249'])
    expect(await names({ level: 'CRITICAL' })).toEqual(['process.end'])
    expect(await names({ level: 'WARNING' })).toEqual([])
    expect(await names({ text: 'r-17' })).toEqual(['process.end'])
    expect(await folder.recent({ limit: 2 })).toMatchObject({ scanned: 251, total: 251 })
  })

  it('leave out lines that are no entries, which count as scanned', async () => {
    const folder = new Folder()
    folder.add('no json', '[]', 'null', '5', '{"level":"error"}', '{"__proto__":{"level":"error"}}')
    folder.add(
      { ...line('x'), level: 'loud' },
      { ...line('x'), time: 'yesterday' },
      { ...line('x'), event: 7 },
    )
    folder.add(line('good'), '\u0000\u0001', `{"level":"error","event":"${'x'.repeat(2_000_000)}"}`)
    appendFileSync(folder.path, JSON.stringify(line('unfinished')))
    const { entries, scanned, total } = await folder.recent()
    expect([entries.map(({ logger }) => logger), scanned, total]).toEqual([['good'], 12, 1])
  })

  it('are none without a file', async () => {
    const folder = new Folder()
    expect(await folder.recent()).toEqual({ entries: [], scanned: 0, total: 0 })
    expect(await folder.errors.counts()).toEqual({ total: 0, byLevel: {}, lastDay: 0, lastHour: 0 })
    expect(await folder.errors.groups(50)).toEqual({ groups: [], entries: 0, total: 0 })
    expect(existsSync(folder.path)).toBe(false)
  })

  it('come from the last 10 MB, with every character of a line that two chunks share', async () => {
    const folder = new Folder()
    const long = line('long', { error: 'é'.repeat(9_000) })
    writeFileSync(folder.path, `${JSON.stringify(line('lost'))}\n`)
    const bytes = Buffer.byteLength(`${JSON.stringify(long)}\n`)
    const many = Math.ceil(ERROR_LOG_BYTES / bytes)
    for (let n = 0; n < many; n++) folder.add(long)
    expect(statSync(folder.path).size).toBeGreaterThan(ERROR_LOG_BYTES)
    const { entries, total } = await folder.recent({ limit: 200 })
    expect(new Set(entries.map(({ message }) => message))).toEqual(new Set(['é'.repeat(9_000)]))
    expect(total).toBe(Math.floor(ERROR_LOG_BYTES / bytes))
    expect((await folder.recent({ text: 'lost' })).entries).toEqual([])
  })
})

describe('while it is read', () => {
  const filled = () => {
    const folder = new Folder()
    const part = `${JSON.stringify(line('old', { error: 'x'.repeat(200) }))}\n`
    writeFileSync(folder.path, part.repeat(20_000))
    return folder
  }

  it('a log may be cut', async () => {
    const folder = filled()
    const reading = folder.recent({ limit: 10 })
    truncateSync(folder.path, 100_000)
    const { entries, total } = await reading
    expect(total).toBeLessThanOrEqual(20_000)
    expect(entries.every(({ logger }) => logger === 'old')).toBe(true)
    expect((await folder.recent()).total).toBeLessThan(500)
  })

  it('a log may be replaced; the next read sees the new one', async () => {
    const folder = filled()
    const reading = folder.recent({ limit: 1 })
    writeFileSync(`${folder.path}.tmp`, `${JSON.stringify(line('new'))}\n`)
    renameSync(`${folder.path}.tmp`, folder.path)
    await reading
    expect((await folder.recent()).entries.map(({ logger }) => logger)).toEqual(['new'])
  })

  it('other work goes on: no chunk holds the thread for long', async () => {
    const folder = filled()
    let turns = 0
    const beat = setInterval(() => (turns += 1), 0)
    const { errors } = folder
    const { longestMs } = await watched(() =>
      Promise.all([errors.groups(50), errors.counts(), folder.recent()]),
    )
    clearInterval(beat)
    expect(turns).toBeGreaterThan(50)
    expect(longestMs / slowness()).toBeLessThan(500)
  })
})

describe('counts and groups', () => {
  it('count by level, day and hour', async () => {
    const folder = new Folder()
    folder.add(
      line('a', {}, '2026-11-18T11:00:00+05:30'),
      line('a', {}, '2026-11-19T11:00:01+05:30'),
      line('a', {}, '2026-11-20T10:00:01+05:30'),
      { ...line('b'), level: 'fatal' },
    )
    expect(await folder.errors.counts()).toEqual({
      total: 4,
      lastDay: 3,
      lastHour: 2,
      byLevel: { ERROR: 3, CRITICAL: 1 },
    })
  })

  it('are by what is equal but for numbers, times and addresses; frequent ones first', async () => {
    const folder = new Folder()
    folder.add(
      line(
        'x.y',
        { error: 'order 7 of 2026-11-20T09:15:00.5Z at 0xdeadBEEF failed' },
        '2026-11-20T10:00:00Z',
      ),
      line('x.y', { error: 'order  81 of 2026-11-21 10:15:00 at 0x1 failed' }, '2026-11-19T10:00:00Z'),
      line('x.y', { error: 'another' }),
      line(
        'z.y',
        { error: 'another', stack: 'TypeError: 1\n    at f (/a.js:1:2)' },
        '2026-11-20T11:00:01+05:30',
      ),
    )
    const { entries, groups, total } = await folder.errors.groups(50)
    expect([entries, total]).toEqual([4, 3])
    expect(groups.map(({ count, sample }) => [count, sample.logger, sample.message.slice(0, 7)])).toEqual([
      [2, 'x.y', 'order 7'],
      [1, 'z.y', 'another'],
      [1, 'x.y', 'another'],
    ])
    const [first] = groups
    expect([first?.firstAt, first?.lastAt]).toEqual([
      Date.parse('2026-11-19T10:00:00Z'),
      Date.parse('2026-11-20T10:00:00Z'),
    ])
    expect(groups.every(({ fingerprint }) => /^[0-9a-f]{12}$/.test(fingerprint))).toBe(true)
    expect((await folder.errors.groups(1)).groups).toHaveLength(1)
  })
})
