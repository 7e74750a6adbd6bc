import { expect, it } from 'vitest'
import { CurrentDirectory, InMemoryDirectory } from '../../../src/core/instruments/index.js'
import { strikeLadder } from '../../../src/core/options/index.js'
import { contract, EXPIRY, ROWS } from './support.js'

it('a ladder is kept until another master is loaded', () => {
  const current = new CurrentDirectory(InMemoryDirectory.of(ROWS))
  const strikes = () => strikeLadder(current, 'NIFTY', 'NFO', EXPIRY)
  const before = strikes()
  expect(strikes()).toBe(before)
  current.replace(InMemoryDirectory.of([...ROWS, contract('NFO', 'NIFTY', EXPIRY, 24750, 'CE')]))
  expect(strikes().map(({ strike }) => strike)).toEqual([...before.map(({ strike }) => strike), 24750])
})
