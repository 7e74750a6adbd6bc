import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { contextFor, orderOf, SESSION } from './rig.js'

let directory: string
let child: ChildProcess | undefined
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-fake-kite-'))
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

async function startFake(ledger: string): Promise<{ api: string; process: ChildProcess }> {
  const started = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/fixtures/fake-kite/main.ts', '--port', '0', '--ledger', ledger],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  child = started
  const [line] = await once(createInterface({ input: started.stdout }), 'line')
  const { port }: { port: number } = JSON.parse(String(line))
  return { api: `http://127.0.0.1:${port}`, process: started }
}

async function control(api: string, path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`${api}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return answer.json()
}

describe('the fake broker as a process', () => {
  it('stores every accepted order in its file, also those it never answered, and keeps them after a kill', async () => {
    const ledger = join(directory, 'ledger.jsonl')
    const fake = await startFake(ledger)
    const { orders } = zerodha.connect(SESSION, contextFor({ api: fake.api }))
    await control(fake.api, '/_script', {
      route: 'place',
      actions: ['ok', 'drop_before', 'drop_after', '429'],
    })
    const outcomes: string[] = []
    for (const tag of ['A', 'B', 'C', 'D']) {
      outcomes.push(
        await orders.place(orderOf(), tag).then(
          () => 'accepted',
          (error) => error.sent,
        ),
      )
    }
    expect(outcomes).toEqual(['accepted', 'maybe', 'maybe', 'yes'])
    const shown = await fetch(`${fake.api}/_ledger`).then((answer) => answer.json())
    fake.process.kill('SIGKILL')
    await once(fake.process, 'exit')
    const lines = readFileSync(ledger, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((entry) => [entry.seq, entry.event, entry.tag])).toEqual([
      [1, 'placed', 'A'],
      [2, 'placed', 'C'],
    ])
    expect(shown).toMatchObject({ data: lines })

    const again = await startFake(ledger)
    const next = await zerodha.connect(SESSION, contextFor({ api: again.api })).orders.place(orderOf(), 'E')
    expect(lines.map((entry) => entry.orderId)).not.toContain(next.orderId)
  })

  it('returns an error for an invalid script', async () => {
    const fake = await startFake(join(directory, 'ledger.jsonl'))
    expect(await control(fake.api, '/_script', { route: 'place', actions: ['explode'] })).toMatchObject({
      status: 'error',
      message: 'RangeError: unknown action "explode"',
    })
  })
})
