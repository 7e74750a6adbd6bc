import { afterAll } from 'vitest'
import { killLeftovers } from './children.js'

/** A test that leaves a process behind has a fault, even if everything it checked was right. */
afterAll(async () => {
  const left = await killLeftovers()
  if (left.length > 0) throw new Error(`left running by this file:\n${left.join('\n')}`)
})
