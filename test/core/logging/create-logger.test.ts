import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createLogger,
  type LoggerOptions,
  type LogSink,
  MASK,
  withFields,
} from '../../../src/core/logging/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'

const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

function collect(): LogSink & { lines: () => Record<string, unknown>[] } {
  const written: string[] = []
  return {
    write: (line) => void written.push(line),
    flushSync: () => undefined,
    close: async () => undefined,
    lines: () => written.map((line) => JSON.parse(line)),
  }
}

function replacedByFile(dir: string): void {
  rmSync(dir, { recursive: true })
  writeFileSync(dir, '')
}

function raise(error: Error): never {
  throw error
}

/** Replaces the log by another file. */
function replaced(file: string): void {
  writeFileSync(`${file}.theirs`, '{"event":"theirs"}\n', { mode: 0o600 })
  renameSync(`${file}.theirs`, file)
}

function open(options: Partial<LoggerOptions> = {}, clock = new VirtualClock('2026-03-02T10:00:00+05:30')) {
  const home = options.home ?? tempDir()
  const console = collect()
  const output = createLogger(
    { level: 'INFO', dir: 'log', home, toFile: false, retention: 14, console, ...options },
    clock,
  )
  const dir = join(home, 'log')
  const read = (name: string) =>
    existsSync(join(dir, name))
      ? readFileSync(join(dir, name), 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      : undefined
  return { ...output, console, dir, read, clock }
}

describe('a line', () => {
  test('is one JSON object with level, time in UTC, event and fields', async () => {
    const { log, console, close } = open()
    log.info('order.placed', { symbol: 'SBIN', quantity: 5 })
    expect(console.lines()).toEqual([
      { level: 'info', time: '2026-03-02T04:30:00.000Z', symbol: 'SBIN', quantity: 5, event: 'order.placed' },
    ])
    await close()
  })

  test('keeps its own fields apart from fields of the same name', async () => {
    const { log, console, close } = open()
    log.warn('x', { level: 'L2', time: 'T', event: 'E' })
    expect(console.lines()[0]).toMatchObject({
      level: 'warn',
      event: 'x',
      level_: 'L2',
      time_: 'T',
      event_: 'E',
    })
    await close()
  })

  test.each([
    ['DEBUG', ['debug', 'info', 'warn', 'error']],
    ['INFO', ['info', 'warn', 'error']],
    ['WARNING', ['warn', 'error']],
    ['ERROR', ['error']],
    ['CRITICAL', []],
  ] as const)(
    'at LOG_LEVEL %s is shown for %j, and errors always reach the error log',
    async (level, shown) => {
      const { log, console, close, read } = open({ level })
      for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name](name)
      await close()
      expect(console.lines().map((line) => line.event)).toEqual(shown)
      expect(read('errors.jsonl')?.map((line) => line.event)).toEqual(['error'])
    },
  )

  test('contains no secret, by name, by pattern, in an error, in the event or as a known key', async () => {
    const secret = 'fd61a03af4f77d870fc21e05e7e80678'
    const { log, console, close, dir } = open({ secrets: [secret, ''], toFile: true })
    log.error(`failed with ${secret}`, {
      apikey: 'canary-key-one',
      headers: { authorization: 'Bearer canary-two-222', cookie: 'session=canary-three' },
      body: { orders: [{ totp_code: '123456', note: `see ${HEX}` }] },
      error: Object.assign(new Error(`password=canary-four ${secret}`), { api_key: 'canary-five' }),
      url: 'http://x/?token=canary-six&a=1',
      text: 'line one\nFAKE {"level":"info"}\u001b[2J',
    })
    await close()
    const files = readdirSync(dir).map((name) => readFileSync(join(dir, name), 'utf8'))
    expect(files).toHaveLength(2)
    for (const text of [...files, JSON.stringify(console.lines())]) {
      expect(text).not.toMatch(/canary|123456/)
      expect(text).not.toContain('\u001b')
      expect(text).not.toContain(secret)
      expect(text).not.toContain(HEX)
      expect(text).toContain(MASK)
    }
    for (const text of files) expect(text.trimEnd().split('\n')).toHaveLength(1)
  })

  test('never throws, for any input', async () => {
    const { log, console, close } = open()
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    log.info('x', { hostile })
    log.info('y', hostile)
    expect(console.lines().map((line) => line.event)).toEqual(['x', 'y'])
    await close()
  })
})

test('withFields adds the same fields to every line, and the fields of a line override them', async () => {
  const { log, console, close } = open()
  const broker = withFields(log, { broker: 'zerodha', attempt: 0 })
  broker.warn('broker.feed_failed', { attempt: 2 })
  broker.info('broker.up')
  expect(console.lines()).toMatchObject([
    { level: 'warn', event: 'broker.feed_failed', broker: 'zerodha', attempt: 2 },
    { level: 'info', event: 'broker.up', broker: 'zerodha', attempt: 0 },
  ])
  await close()
})

describe('files', () => {
  test('that cannot be written keep the service from starting, with a message that names the setting', () => {
    const home = tempDir()
    writeFileSync(join(home, 'taken'), '')
    const options = {
      home,
      dir: 'taken/log',
      level: 'INFO',
      toFile: false,
      retention: 14,
      console: false,
    } as const
    expect(() => createLogger(options, new VirtualClock('2026-11-20T11:00:00+05:30'))).toThrow(
      /^LOG_DIR cannot be/,
    )
  })

  test('without LOG_TO_FILE only the error log is written; both are readable only by the owner', async () => {
    const { log, close, dir } = open()
    log.info('x')
    log.error('y')
    await close()
    expect(readdirSync(dir)).toEqual(['errors.jsonl'])
    expect([statSync(dir).mode & 0o777, statSync(join(dir, 'errors.jsonl')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
  })

  test('a new day starts at midnight IST, whatever the time zone of the host', async () => {
    const { log, close, read, clock } = open({ toFile: true }, new VirtualClock('2026-03-02T23:59:59+05:30'))
    log.info('before')
    await clock.advance(999)
    log.info('last')
    await clock.advance(1)
    log.info('first')
    await clock.advanceTo('2026-03-05T00:30:00+05:30')
    log.info('later')
    await close()
    const events = (day: string) => read(`svc_${day}.log`)?.map((line) => line.event)
    expect(events('2026-03-02')).toEqual(['before', 'last'])
    expect(events('2026-03-03')).toEqual(['first'])
    expect(events('2026-03-04')).toBeUndefined()
    expect(events('2026-03-05')).toEqual(['later'])
  })

  test('a restart continues the file of the day', async () => {
    const home = tempDir()
    for (const event of ['one', 'two']) {
      const { log, close } = open({ toFile: true, home })
      log.info(event)
      await close()
    }
    const { read, close } = open({ toFile: true, home })
    await close()
    expect(read('svc_2026-03-02.log')?.map((line) => line.event)).toEqual(['one', 'two'])
  })

  test('LOG_RETENTION counts files and days; other files in the folder are not touched', async () => {
    const home = tempDir()
    mkdirSync(join(home, 'log'))
    const older = ['2026-02-20', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01']
    for (const day of older) writeFileSync(join(home, 'log', `svc_${day}.log`), '')
    writeFileSync(join(home, 'log', 'svc_notes.log'), '')
    const { log, close, dir, clock } = open({ toFile: true, home, retention: 3 })
    const kept = () =>
      readdirSync(dir)
        .filter((name) => name.startsWith('svc_'))
        .sort()
    log.info('x')
    expect(kept().filter((name) => name !== 'svc_2026-03-02.log')).toEqual([
      'svc_2026-02-28.log',
      'svc_2026-03-01.log',
      'svc_notes.log',
    ])
    await clock.advanceTo('2026-03-03T09:00:00+05:30')
    log.info('y')
    await close()
    expect(kept()).toEqual([
      'svc_2026-03-01.log',
      'svc_2026-03-02.log',
      'svc_2026-03-03.log',
      'svc_notes.log',
    ])
  })

  test('the error log is trimmed to its last 1000 lines at start', async () => {
    const home = tempDir()
    mkdirSync(join(home, 'log'))
    const lines = Array.from({ length: 1500 }, (_, i) => JSON.stringify({ event: `e${i}` }))
    writeFileSync(join(home, 'log', 'errors.jsonl'), `${lines.join('\n')}\n`)
    const { log, close, read } = open({ home })
    log.error('new')
    await close()
    const events = read('errors.jsonl')?.map((line) => line.event)
    expect([events?.length, events?.[0], events?.at(-1)]).toEqual([1001, 'e500', 'new'])
  })

  test.each([
    ['full', (path: string) => symlinkSync('/dev/full', path)],
    ['no file', (path: string) => mkdirSync(path)],
  ])(
    'a disk that is %s loses lines, but stops neither the service nor other outputs',
    async (_name, spoil) => {
      const home = tempDir()
      mkdirSync(join(home, 'log'))
      spoil(join(home, 'log', 'errors.jsonl'))
      const { log, close, console, clock } = open({ home })
      for (const event of ['a', 'b', 'c']) {
        log.error(event)
        await clock.advance(1)
      }
      await close()
      expect(console.lines().map((line) => line.event)).toEqual(['a', 'b', 'c'])
    },
  )

  test('the next line tries again to open a file that could not be opened', async () => {
    const home = tempDir()
    mkdirSync(join(home, 'log', 'errors.jsonl'), { recursive: true })
    const { log, close, read, clock, dir } = open({ home })
    await clock.advance(1)
    rmdirSync(join(dir, 'errors.jsonl'))
    log.error('again')
    await close()
    expect(read('errors.jsonl')?.map((line) => line.event)).toEqual(['again'])
  })

  test.each([
    ['removed', (dir: string) => rmSync(join(dir, 'errors.jsonl')), ['after', 'later']],
    [
      'moved away',
      (dir: string) => renameSync(join(dir, 'errors.jsonl'), join(dir, 'old')),
      ['after', 'later'],
    ],
    ['removed with its folder', (dir: string) => rmSync(dir, { recursive: true }), ['after', 'later']],
    [
      'replaced by another',
      (dir: string) => replaced(join(dir, 'errors.jsonl')),
      ['theirs', 'after', 'later'],
    ],
    ['emptied', (dir: string) => truncateSync(join(dir, 'errors.jsonl')), ['after', 'later']],
  ])('an error log that is %s is written again with the next line', async (_name, spoil, expected) => {
    const { log, close, read, dir } = open()
    log.error('before')
    spoil(dir)
    log.error('after')
    log.error('later')
    await close()
    expect(read('errors.jsonl')?.map((line) => line.event)).toEqual(expected)
    expect(statSync(join(dir, 'errors.jsonl')).mode & 0o777).toBe(0o600)
  })

  test('an error is in the error log before the call returns, even if the process dies after it', async () => {
    const { log, flushSync, close, read } = open()
    log.error('last words')
    flushSync()
    expect(read('errors.jsonl')?.map((line) => line.event)).toEqual(['last words'])
    await close()
  })

  test.each([
    ['removed', (file: string) => rmSync(file)],
    ['moved away', (file: string) => renameSync(file, `${file}.old`)],
    ['removed with its folder', (file: string) => rmSync(dirname(file), { recursive: true })],
  ])('a daily log that is %s is written again within a second', async (_name, spoil) => {
    const { log, close, read, dir, clock, console } = open({ toFile: true })
    const file = join(dir, 'svc_2026-03-02.log')
    log.info('before')
    await clock.advance(1000)
    spoil(file)
    for (const event of ['after', 'later']) log.info(event)
    await close()
    expect(read('svc_2026-03-02.log')?.map((line) => line.event)).toEqual(['after', 'later'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(console.lines()).toHaveLength(3)
  })

  test.each([
    ['removed', (dir: string) => rmSync(dir, { recursive: true }), ['first', 'second', 'third']],
    ['now a file', (dir: string) => replacedByFile(dir), undefined],
    [
      'one with an old log that cannot be deleted',
      (dir: string) => mkdirSync(join(dir, 'svc_2026-01-01.log', 'x'), { recursive: true }),
      ['first', 'second', 'third'],
    ],
  ])(
    'midnight over a folder that is %s stops neither the service nor other outputs',
    async (_name, spoil, expected) => {
      const { log, close, read, dir, clock, console } = open({ toFile: true })
      log.info('before')
      await clock.advance(1)
      spoil(dir)
      await clock.advanceTo('2026-03-03T00:00:01+05:30')
      for (const event of ['first', 'second', 'third']) {
        log.info(event)
        await clock.advance(1)
      }
      await close()
      expect(console.lines().map((line) => line.event)).toEqual(['before', 'first', 'second', 'third'])
      expect(read('svc_2026-03-03.log')?.map((line) => line.event)).toEqual(expected)
    },
  )

  test('an output that throws does not stop the others, and closing twice does nothing', async () => {
    const console = { ...collect(), write: () => raise(new Error('gone')) }
    const { log, close, read, flushSync } = open({ toFile: true, console })
    log.error('x')
    await close()
    await close()
    flushSync()
    log.error('too late')
    expect(read('svc_2026-03-02.log')).toHaveLength(1)
    expect(read('errors.jsonl')).toHaveLength(1)
  })

  test('the error log is trimmed to its newest 1000 lines after it grew past 10 MB', async () => {
    const { log, close, read, dir } = open({ console: false })
    const text = 'palaver '.repeat(512)
    const sizes: number[] = []
    for (let n = 1; n <= 2600; n++) {
      log.error(`e${n}`, { text })
      if (n % 20 === 0) sizes.push(statSync(join(dir, 'errors.jsonl')).size)
    }
    log.error('last')
    await close()
    const events = read('errors.jsonl')?.map((line) => line.event) ?? []
    expect(events.length).toBeLessThan(1100)
    expect(events).toEqual([
      ...Array.from({ length: events.length - 1 }, (_, i) => `e${2602 - events.length + i}`),
      'last',
    ])
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10 * 1024 * 1024)
    expect(readdirSync(dir)).toEqual(['errors.jsonl'])
  })

  test('the error log is never longer than 10 MB, however long its lines', async () => {
    const home = tempDir()
    mkdirSync(join(home, 'log'))
    const long = JSON.stringify({ event: 'x'.repeat(20_000) })
    writeFileSync(join(home, 'log', 'errors.jsonl'), `${`${long}\n`.repeat(900)}{"half":`)
    const { log, close, read, dir } = open({ home })
    expect(statSync(join(dir, 'errors.jsonl')).size).toBeLessThanOrEqual(5 * 1024 * 1024)
    log.error('last')
    await close()
    expect(read('errors.jsonl')?.at(-1)?.event).toBe('last')
  })
})
