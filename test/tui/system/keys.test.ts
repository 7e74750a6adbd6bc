import { expect, it } from 'vitest'
import type { AnyBinding } from '../../../src/tui/keys/bindings.js'
import { SECURITY_KEYS, SECURITY_TABS } from '../../../src/tui/security/keys.js'
import { FIELD_KEYS, PROBE_KEYS, SYSTEM_TABS, TABLE_KEYS } from '../../../src/tui/system/keys.js'

const SCREENS: readonly (readonly [string, readonly string[], readonly AnyBinding[]])[] = [
  ['security', SECURITY_TABS, SECURITY_KEYS],
  ['system', SYSTEM_TABS, [...FIELD_KEYS, ...PROBE_KEYS, ...TABLE_KEYS]],
]

const inPane = (bindings: readonly AnyBinding[], pane: string) =>
  bindings.filter((one) => one.in.some((place) => place === pane))

it.each(SCREENS)('no key of %s has two meanings in a tab', (_, tabs, bindings) => {
  for (const tab of tabs) {
    const keys = inPane(bindings, tab).flatMap((one) => one.keys)
    expect(new Set(keys).size).toBe(keys.length)
  }
})

it.each(SCREENS)('each change of %s names the command that does the same', (name, _, bindings) => {
  const shared = /^(list|tabs|details)\./
  const changes = bindings.filter(({ does, id }) => does !== undefined && !shared.test(id))
  expect(changes.length).toBeGreaterThan(0)
  for (const { command, id } of changes)
    expect([name, id, command]).toContainEqual(expect.stringMatching(/^svc /))
})
