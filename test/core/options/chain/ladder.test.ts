import { expect, it } from 'vitest'
import { CurrentDirectory, InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import { strikesWithin } from '../../../../src/core/options/chain/ladder.js'
import { strikeLadder } from '../../../../src/core/options/index.js'
import { contract, EXPIRY, ROWS } from '../support.js'

it('a ladder is kept until another master is loaded', () => {
  const current = new CurrentDirectory(InMemoryDirectory.of(ROWS))
  const strikes = () => strikeLadder(current, 'NIFTY', 'NFO', EXPIRY)
  const before = strikes()
  expect(strikes()).toBe(before)
  current.replace(InMemoryDirectory.of([...ROWS, contract('NFO', 'NIFTY', EXPIRY, 24750, 'CE')]))
  expect(strikes().map(({ strike }) => strike)).toEqual([...before.map(({ strike }) => strike), 24750])
})

it('the contracts of a range of strikes are one list, which nobody can change', () => {
  const ladder = strikeLadder(InMemoryDirectory.of(ROWS), 'NIFTY', 'NFO', EXPIRY)
  const { contracts, shown } = strikesWithin(ladder, 1, 3)
  expect(shown).toEqual(ladder.slice(1, 3))
  expect(contracts).toEqual(ladder.slice(1, 3).flatMap(({ CE, PE }) => [CE, PE].filter(Boolean)))
  expect(Object.isFrozen(contracts)).toBe(true)
  for (let to = 0; to < 100; to++) strikesWithin(ladder, 0, to)
  expect(strikesWithin(ladder, 1, 3).contracts).toEqual(contracts)
  expect(strikesWithin(ladder, 1, 3)).toBe(strikesWithin(ladder, 1, 3))
})
