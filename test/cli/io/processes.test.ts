import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { comesTrue, isAlive, startOf, stopProcess } from '../../../src/cli/io/processes.js'

const io = { sleep: (ms: number) => wait(ms) }

/** Starts a process that does something at SIGTERM. */
async function started(atStop: string): Promise<number> {
  const script = `process.on('SIGTERM', () => { ${atStop} }); setInterval(() => 0, 1000); console.log('')`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child.pid ?? 0
}

describe('a process that is stopped', () => {
  it('is waited for until it is gone', async () => {
    const pid = await started('setTimeout(() => process.exit(), 200)')
    expect(await stopProcess(io, pid, 60_000)).toBe(true)
    expect(isAlive(pid)).toBe(false)
    expect(await stopProcess(io, pid, 60_000)).toBe(true)
  })

  it('is asked once, and not before it may be', async () => {
    const pid = await started(
      'if (globalThis.asked) process.exit(1); globalThis.asked = true; setTimeout(() => process.exit(), 200)',
    )
    let looks = 0
    expect(await stopProcess(io, pid, 60_000, async () => ++looks > 2)).toBe(true)
    expect(looks).toBe(3)
  })

  it('is not called stopped while it runs', async () => {
    const pid = await started('')
    expect(await stopProcess(io, pid, 1)).toBe(false)
    expect(isAlive(pid)).toBe(true)
  })
})

it.runIf(process.platform === 'linux')('a process is known by its start, too', async () => {
  const pid = await started('')
  expect(startOf(pid)).toMatch(/^\d+$/)
  expect(startOf(pid)).toBe(startOf(pid))
  expect(startOf(pid)).not.toBe(startOf(process.pid))
  expect(startOf(2 ** 22 + 1)).toBeUndefined()
})

it('a condition is looked at before its time is over, and at least once', async () => {
  expect(await comesTrue(io, 0, async () => true)).toBe(true)
  expect(await comesTrue(io, 0, async () => false)).toBe(false)
})
