import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expandedLine } from '../../../src/cli/aliases/expand.js'
import { commandOf } from '../../../src/cli/completion/candidates.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import type { CommandAccess } from '../../../src/tui/command/access.js'
import { decisionOn } from '../../../src/tui/command/decision.js'
import { LiveDaemon } from '../../../src/tui/live/daemon.js'
import { tempDir } from '../../support/files/temp.js'
import { liveDesk } from '../support/live-desk.js'

/** The real commands of `svc`, with these aliases, and a program in place of `svc`. */
function commands(aliases: Readonly<Record<string, string>>, script = ''): CommandAccess {
  const folder = join(tempDir(), 'config')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'aliases.json'), JSON.stringify({ version: 1, aliases }), { mode: 0o600 })
  const io = { env: { SVC_CONFIG_DIR: folder }, userHome: '/nonexistent' }
  return {
    program: [process.execPath, '-e', script],
    env: {},
    expanded: async (words) => expandedLine(words, io, NOUNS).words,
    commandOf: (words) => commandOf(words, NOUNS),
    complete: async () => [],
  }
}

/** Decides about lines, over a daemon in a mode. */
async function deciding(
  mode: 'live' | 'analyze',
  aliases: Readonly<Record<string, string>> = {},
  prepare: (desk: Awaited<ReturnType<typeof liveDesk>>) => Promise<void> = async () => undefined,
) {
  const desk = await liveDesk()
  await desk.http.desk.service.settings.setAnalyzeMode(mode === 'analyze')
  await prepare(desk)
  const daemon = new LiveDaemon(desk.access)
  const access = commands(aliases)
  return async (line: string) => {
    const decided = await decisionOn(line, access, daemon)
    if ('refusal' in decided) return { refusal: decided.refusal }
    const { question, words } = decided
    return { words: words.join(' '), title: question?.title, lines: question?.lines, word: question?.word }
  }
}

describe('a line for another daemon', () => {
  it.each([
    ['--context', 'order place SBIN NSE BUY 5000 --context prod'],
    ['--context', '--context=prod order place SBIN NSE BUY 5000'],
    ['--url', 'svc order place SBIN NSE BUY 5000 --url https://desk.example.com'],
    ['--home', 'order --home=/srv/svc place SBIN NSE BUY 5000'],
    ['--context', 'order list --context prod'],
    ['--context', 'prod SBIN 5000'],
    ['--url', 'there SBIN'],
  ])('is refused for its %s: %s', async (option, line) => {
    const decide = await deciding('analyze', {
      prod: 'order place $1 NSE BUY $2 --context prod',
      there: 'quote $1 NSE --url=https://desk.example.com',
    })
    expect(await decide(line)).toEqual({
      refusal: `${option} leads to another daemon. Open another svc tui for it.`,
    })
  })
})

describe('an alias', () => {
  it('is asked about, and runs, as the command that it stands for', async () => {
    const decide = await deciding('live', { five: 'order place $1 NSE BUY 5', mine: 'order list' })
    expect(await decide('five SBIN --product CNC')).toEqual({
      words: 'order place SBIN NSE BUY 5 --product CNC',
      title: 'Run this in LIVE mode at simulated?',
      lines: ['svc order place SBIN NSE BUY 5 --product CNC'],
      word: 'live',
    })
    expect(await decide('mine')).toEqual({ words: 'order list -o table' })
  })

  it('without its words is refused, and its help is that of its command', async () => {
    const decide = await deciding('live', { five: 'order place $1 NSE BUY 5' })
    expect(await decide('five')).toEqual({
      refusal: 'five needs one word after it: svc order place $1 NSE BUY 5',
    })
    expect(await decide('five --help')).toMatchObject({
      words: 'order place --help -o table',
      title: undefined,
    })
  })
})

describe('in LIVE mode', () => {
  it.each([
    ...['order place SBIN NSE BUY 1', 'do "b 1 sbin"', 'order smart SBIN NSE --position-size 0'],
    ...['approval approve 3', 'strategy start 3 --mode live', 'risk resume', 'position close-all --yes'],
    'unknown thing',
  ])('svc %s needs the word live', async (line) => {
    const decide = await deciding('live')
    expect(await decide(line)).toMatchObject({ title: 'Run this in LIVE mode at simulated?', word: 'live' })
  })

  it.each(['order cancel 7', 'position close SBIN', 'strategy stop 3', 'risk kill', 'approval reject 3'])(
    'svc %s, which lowers risk, needs y alone',
    async (line) => {
      const decide = await deciding('live')
      const asked = await decide(line)
      expect(asked).toMatchObject({ title: 'Run this in LIVE mode at simulated?', word: undefined })
    },
  )
})

describe('the question of a command that places orders', () => {
  const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', product: 'CNC' } as const

  /** Decides about a line while the dry run of `svc` has an answer: a text on its output, or on its errors. */
  async function rehearsed(line: string, answer: unknown, { exit = 0, on = 'stdout' } = {}) {
    const desk = await liveDesk()
    const script = `
      const isDry = ['--dry-run', '--json'].every((word) => process.argv.includes(word))
      if (isDry && !process.argv.includes('table')) process.${on}.write(${JSON.stringify(JSON.stringify(answer))})
      process.exitCode = ${exit}`
    const access = commands({}, script)
    const decided = await decisionOn(line, access, new LiveDaemon(desk.access))
    return 'refusal' in decided ? decided : { ...decided.question, words: decided.words.join(' ') }
  }

  /** Returns what the daemon says of an order that is not sent. */
  async function previewOf(quantity: number) {
    const { client } = await liveDesk()
    const body = { ...SBIN, strategy: 'cli', quantity, pricetype: 'LIMIT', price: 800 } as const
    return client.call('placeorder', body, { dryRun: true })
  }

  it('has the review of the order, and the word', async () => {
    const line = 'order place SBIN NSE BUY 10 --price 800 --product CNC'
    expect(await rehearsed(line, await previewOf(10))).toMatchObject({
      words: line,
      word: 'live',
      lines: [
        `svc ${line}`,
        'mode LIVE, broker simulated',
        'BUY 10 NSE:SBIN, LIMIT at ₹800.00, CNC',
        expect.stringMatching(/^last price ₹/),
        'estimated value ₹8,000.00',
        expect.stringMatching(/^margin ₹/),
        expect.stringMatching(/^risk checks: all \d+ passed$/),
      ],
    })
  })

  it('needs the value typed from ten lakhs on', async () => {
    const line = 'order place SBIN NSE BUY 2000 --price 800 --product CNC'
    expect(await rehearsed(line, await previewOf(2000))).toMatchObject({ word: '1600000' })
  })

  it('asks the dry run for JSON, whatever the output of the command is', async () => {
    const line = 'order place SBIN NSE BUY 10 --price 800 -o table'
    expect(await rehearsed(line, await previewOf(10))).toMatchObject({
      words: line,
      lines: expect.arrayContaining(['estimated value ₹8,000.00']),
    })
  })

  it('names each order of several, with their value', async () => {
    const row = { ...SBIN, pricetype: 'LIMIT', price: 800, quantity: 5, status: 'ok', value: 4000 }
    const refused = { ...row, status: 'refused', rule: 'max_value', message: 'too large' }
    expect(await rehearsed('order basket orders.json', [row, refused])).toMatchObject({
      lines: expect.arrayContaining([
        'BUY 5 NSE:SBIN, LIMIT at ₹800.00, CNC',
        'BUY 5 NSE:SBIN, LIMIT at ₹800.00, CNC: REFUSED by max_value: too large',
        'estimated value ₹8,000.00',
      ]),
    })
  })

  it('is not asked for a line that the dry run refuses', async () => {
    const error = { status: 'error', message: 'The order has no quantity.', hint: 'Example: svc order place' }
    expect(await rehearsed('order place SBIN NSE BUY', error, { exit: 2, on: 'stderr' })).toEqual({
      refusal: 'The order has no quantity. Example: svc order place',
    })
  })

  it('says of a dry run without an answer no more than the command', async () => {
    expect(await rehearsed('order modify 7 --price 800', await previewOf(10))).toMatchObject({
      lines: ['svc order modify 7 --price 800'],
      word: 'live',
    })
  })
})

describe('in a mode that is not known', () => {
  it('svc order place needs the word live', async () => {
    const decide = await deciding('live', {}, async (desk) => desk.lose())
    expect(await decide('order place SBIN NSE BUY 1')).toMatchObject({
      title: 'Run this? The daemon did not say its mode: it may be LIVE.',
      word: 'live',
    })
  })
})

describe('in ANALYZE mode', () => {
  it.each([
    'strategy close 3',
    'strategy stop 3 --json',
    'api POST /strategy/api/strategies/3/stop',
    'out 3',
  ])('svc %s is asked for: the exits of a live run reach the broker', async (line) => {
    const decide = await deciding('analyze', { out: 'strategy close $1' })
    expect(await decide(line)).toMatchObject({
      title: 'Run this? In ANALYZE mode, too, the exits of a live run reach simulated.',
    })
  })

  it.each(['strategy list', 'strategy events 3', 'order place SBIN NSE BUY 1', 'unknown thing'])(
    'svc %s is not',
    async (line) => {
      const decide = await deciding('analyze')
      expect(await decide(line)).toMatchObject({ title: undefined })
    },
  )
})
