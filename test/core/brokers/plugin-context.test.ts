import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { CallBudgets } from '../../../src/core/brokers/kit/budget/call-budgets.js'
import { pluginContext } from '../../../src/core/brokers/plugin-context.js'
import { InMemoryDirectory } from '../../../src/core/instruments/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { recordingLogger } from '../logging/recording-logger.js'

it('gives the redirect address to the broker that it names, and to no other one', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-plugin-context-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true }))
  const clock = new VirtualClock(0)
  const sources = {
    clock,
    log: recordingLogger(),
    instruments: () => InMemoryDirectory.of([]),
    stateDir,
    endpoints: { upstox: { api: 'http://127.0.0.1:1' } },
    redirect: { broker: 'upstox', url: 'https://desk.example/upstox/callback' },
  }
  const contextOf = (id: string) =>
    pluginContext(sources, { id, budgets: new CallBudgets({}, clock), sessionRefused: undefined })
  expect(contextOf('upstox')).toMatchObject({
    redirectUrl: 'https://desk.example/upstox/callback',
    endpoints: { api: 'http://127.0.0.1:1' },
  })
  expect([contextOf('zerodha').redirectUrl, contextOf('zerodha').endpoints]).toEqual([undefined, {}])
})
