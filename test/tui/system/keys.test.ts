import { expect, it } from 'vitest'
import type { AnyBinding } from '../../../src/tui/keys/bindings.js'
import type { Screen } from '../../../src/tui/screen/screen.js'
import { security } from '../../../src/tui/security/screen.js'
import { system } from '../../../src/tui/system/screen.js'

const SCREENS: readonly (readonly [string, Screen])[] = [
  ['security', security],
  ['system', system],
]

const inPane = (bindings: readonly AnyBinding[], pane: string) =>
  bindings.filter((one) => one.in.some((place) => place === pane))

it.each(SCREENS)('no key of %s has two meanings in a tab', (_, { keys: bindings }) => {
  for (const tab of new Set(bindings.flatMap((one) => one.in))) {
    const keys = inPane(bindings, tab).flatMap((one) => one.keys)
    expect(new Set(keys).size).toBe(keys.length)
  }
})

it.each(SCREENS)('each change of %s names the command that does the same', (name, { keys: bindings }) => {
  const shared = /^(list|tabs|details)\./
  const changes = bindings.filter(({ does, id }) => does !== undefined && !shared.test(id))
  expect(changes.length).toBeGreaterThan(0)
  for (const { command, id } of changes)
    expect([name, id, command]).toContainEqual(expect.stringMatching(/^svc /))
})
