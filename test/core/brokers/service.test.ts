import { expect, test } from 'vitest'
import { Plugins } from '../../../src/core/brokers/plugins.js'
import { simulatedPlugin } from '../../../src/core/brokers/simulated/index.js'
import { zerodha } from '../../../src/core/brokers/zerodha/index.js'
import { TestDesk } from '../../support/desk/desk.js'

/** A desk whose disk refuses every change of the broker accounts. */
async function withFullDisk() {
  const desk = await TestDesk.open()
  for (const change of ['insert', 'update']) {
    await desk.service.databases.svc.write((tx) =>
      tx.exec(
        `create trigger full_${change} before ${change} on broker_accounts begin select raise(abort, 'no room'); end`,
      ),
    )
  }
  return desk
}

test.each<{ name: string; change: (desk: TestDesk) => Promise<void> }>([
  { name: 'a choice of another broker', change: ({ service }) => service.brokers.use('zerodha') },
  { name: 'a sign-out', change: ({ service }) => service.brokers.logout() },
])('$name that cannot be stored changes nothing: orders still reach the broker', async ({ change }) => {
  const desk = await withFullDisk()
  await expect(change(desk)).rejects.toThrow('broker_accounts')
  expect([desk.service.brokers.brokerId, desk.service.brokers.connected()]).toEqual(['simulated', true])
  expect((await desk.place()).code).toBe('ok')
  expect(await desk.ledger()).toHaveLength(1)
})

test('faults are those of a plugin that takes them, whichever broker is active; without one they are unsupported', () => {
  const simulated = simulatedPlugin()
  expect(new Plugins([zerodha, simulated], undefined).faults()).toBe(simulated.faults)
  expect(() => new Plugins([zerodha], undefined).faults()).toThrow(
    expect.objectContaining({ code: 'unsupported' }),
  )
})

test('a broker is open at all hours if its manifest says so: the simulated exchange as it is configured', () => {
  expect(simulatedPlugin().manifest.alwaysOpen).toBe(true)
  expect(simulatedPlugin({ sessions: 'market' }).manifest.alwaysOpen).toBeUndefined()
  expect(zerodha.manifest.alwaysOpen).toBeUndefined()
})
