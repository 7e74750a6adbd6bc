import { afterAll } from 'vitest'
import { killLeftovers } from './children.js'

/** Fails a test that leaves a process behind, even if all its checks passed. */
afterAll(async () => {
  const left = await killLeftovers()
  if (left.length > 0) throw new Error(`left running by this file:\n${left.join('\n')}`)
})
