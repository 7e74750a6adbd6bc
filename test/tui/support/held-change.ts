import type { Change } from '../../../src/tui/live/changes/changes.js'

/** A change that waits for its answer until `answer()`. */
export function heldChange(name: string): Change & { answer(): void } {
  let answer: () => void = () => undefined
  const answered = new Promise<string>((resolve) => {
    answer = () => resolve('done.')
  })
  return { name, check: 'svc status', send: () => answered, answer: () => answer() }
}
