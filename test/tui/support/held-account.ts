import { setImmediate as turn } from 'node:timers/promises'
import { vi } from 'vitest'
import type { LiveDaemon } from '../../../src/tui/live/daemon.js'

/** Holds the answers of the daemon about the account back. @returns the release, which waits until they have come */
export function heldAccount(desk: LiveDaemon): () => Promise<void> {
  const accountNow = desk.accountNow.bind(desk)
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const answers: Promise<unknown>[] = []
  vi.spyOn(desk, 'accountNow').mockImplementation(() => {
    const answer = held.then(accountNow)
    answers.push(answer)
    return answer
  })
  return async () => {
    release()
    await Promise.allSettled(answers)
    for (let turns = 0; turns < 20; turns += 1) await turn()
  }
}
