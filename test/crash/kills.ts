import { onTestFinished } from 'vitest'
import { type Chance, rounds } from '../support/chance/chance.js'
import { pause } from '../support/eventually.js'
import type { DaemonProcess } from '../support/process/daemon-process.js'
import { History, type Operation } from '../support/traffic/history.js'
import { Traffic } from '../support/traffic/traffic.js'

/*
 * Traffic through kills, for promises 1, 3, 6 and 8 on the real process. A kill destroys the memory of the
 * process, but not its writes to the operating system. So these tests do not cover a power cut: WAL with
 * `synchronous=FULL` does, and every connection reads that setting back when it opens
 * (test/core/storage/database.test.ts).
 */
/** The number of kills in one run. */
export const KILLS = rounds(3, 400)
export const CLIENTS = 8
/**
 * The time range in which a start is killed: while it locks, migrates, loads, recovers or begins to accept.
 */
const START_MS = 900

/** Kills the daemon at random moments of the traffic; with one kill in four, it also kills the next start. */
async function killAtRandom(
  daemon: DaemonProcess,
  { traffic, orders, random }: { traffic: Traffic; orders: number; random: Chance },
): Promise<void> {
  const moments = Array.from({ length: KILLS }, () => random.between(1, orders - 1)).sort((a, b) => a - b)
  for (const moment of moments) {
    await traffic.reached(moment)
    await pause(random.between(0, 30))
    traffic.hold()
    await daemon.kill()
    if (random.next() < 0.25) {
      await daemon.start({ expectFailure: true })
      await pause(random.between(0, START_MS))
      await daemon.kill()
    }
    await daemon.start()
    traffic.goOn()
  }
}

export interface Run {
  operations: readonly Operation[]
  /** Returns the same fields for the same order, so that a retry is the same request. */
  fields(index: number): Record<string, unknown>
}

/** Runs the traffic with its kills, then kills the idle daemon once more. */
export async function survive(daemon: DaemonProcess, orders: number, random: Chance): Promise<Run> {
  const history = new History()
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') {
      process.stdout.write(`SEED=${random.seed}, history: ${history.save(`svc-kill-${random.seed}`)}\n`)
    }
  })
  const fields = (index: number) => ({ quantity: 1 + (index % 9) })
  const traffic = new Traffic({ daemon, history, clients: CLIENTS, orders, fields })
  await Promise.all([traffic.run(), killAtRandom(daemon, { traffic, orders, random })])
  await daemon.crash()
  return { operations: history.operations, fields }
}
