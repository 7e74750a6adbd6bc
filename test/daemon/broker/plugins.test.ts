import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BROKER_PLUGINS } from '../../../src/daemon/broker/plugins.js'
import { EVERY_FAKE_BROKER } from '../../support/process/fake-brokers.js'

it('every plugin has a fake that the crash tests start as a process', () => {
  expect(EVERY_FAKE_BROKER.map(({ id }) => id)).toEqual(BROKER_PLUGINS.map(({ manifest }) => manifest.id))
  for (const { program } of EVERY_FAKE_BROKER) expect(existsSync(program), program).toBe(true)
})

it.each(EVERY_FAKE_BROKER)('the row of $id names fields and endpoints of its plugin', ({ id, ...row }) => {
  const plugin = BROKER_PLUGINS.find(({ manifest }) => manifest.id === id)
  const known = plugin?.manifest.credentialFields.map(({ name }) => name)
  for (const field of Object.keys(row.fields)) expect(known).toContain(field)
  for (const name of Object.keys(row.endpoints('127.0.0.1:1'))) expect(name.startsWith(`${id}.`)).toBe(true)
})
