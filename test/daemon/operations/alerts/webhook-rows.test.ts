import { expect, test } from 'vitest'
import { commitsIn } from '../../../support/files/wal.js'
import { SIGNALS, StrategyDesk } from '../strategies/strategy-desk.js'

/* The row of a call goes to the disk with the row of its order, and before the order leaves. */
const LONG = { action: 'long_entry', leg_id: 1 }
const EXIT = { action: 'long_exit', leg_id: 1 }
const ENTRY_FILLED = '1 entry BUY complete 10'
const EXIT_FILLED = '1 exit_signal SELL complete 10'

async function opened() {
  const desk = await StrategyDesk.open()
  const { token } = await desk.create(SIGNALS)
  const audit = async () =>
    (await desk.rows('select id, action, result from strategy_webhook_events order by id')).map(
      ({ action, id, result }) => `${id} ${action} ${result}`,
    )
  return { audit, desk, token }
}

test('an entry of a run that holds nothing commits no more than it has to wait for', async () => {
  const { audit, desk, token } = await opened()
  await desk.hook(token, LONG)
  await desk.hook(token, EXIT)
  const { sandbox, svc } = desk.service.databases
  const count = () => ({ svc: commitsIn(svc.file), sandbox: commitsIn(sandbox.file) })
  const before = count()
  expect(await desk.hook(token, LONG)).toMatchObject({ body: { result: 'ok' } })
  const after = count()
  // The call with the row of its order, and the fill; the order itself.
  expect({ svc: after.svc - before.svc, sandbox: after.sandbox - before.sandbox }).toEqual({
    svc: 2,
    sandbox: 1,
  })
  expect(await desk.orders()).toEqual([ENTRY_FILLED, EXIT_FILLED, ENTRY_FILLED])
  expect(await audit()).toEqual(['1 long_entry ok', '2 long_exit ok', '3 long_entry ok'])
})

test('calls keep their order in the audit, also those without an order', async () => {
  const { audit, desk, token } = await opened()
  for (const signal of [LONG, LONG, EXIT, EXIT]) await desk.hook(token, signal)
  await desk.hook(token, { action: 'nonsense' })
  const rows = ['1 long_entry ok', '2 long_entry ok', '3 long_exit ok', '4 long_exit ok']
  expect(await audit()).toEqual([...rows, '5 nonsense rejected_invalid_action'])
})

test('a disk that refuses the row of the call sends no entry of an open run, and lets an exit pass', async () => {
  const { audit, desk, token } = await opened()
  await desk.hook(token, LONG)
  await desk.hook(token, EXIT)
  const refuse = (name: string) =>
    desk.service.databases.svc.write((tx) =>
      tx.exec(`create trigger ${name} before insert on strategy_webhook_events when new.result = 'ok'
        begin select raise(abort, 'full'); end`),
    )
  const accept = (name: string) => desk.service.databases.svc.write((tx) => tx.exec(`drop trigger ${name}`))
  await refuse('first')
  expect(await desk.hook(token, LONG)).toMatchObject({
    status: 500,
    body: { result: 'rejected_engine_error', message: 'The signal was refused' },
  })
  expect(await desk.orders()).toEqual([ENTRY_FILLED, EXIT_FILLED])
  expect((await audit()).at(-1)).toMatch(/ long_entry rejected_engine_error$/)

  await accept('first')
  await desk.until(
    async () => (await desk.hook(token, LONG)).body.result === 'ok',
    'an entry is accepted',
    5_000,
  )
  expect((await desk.orders()).slice(2)).toEqual([ENTRY_FILLED])
  await refuse('second')
  expect(await desk.hook(token, EXIT)).toMatchObject({ body: { result: 'ok' } })
  await desk.until(async () => (await desk.orders()).length === 4, 'the row of the exit is stored', 5_000)
  expect((await desk.orders()).at(-1)).toBe(EXIT_FILLED)
})

test('a disk that refuses the row of a call that turns a position leaves the position as it is', async () => {
  const { audit, desk, token } = await opened()
  await desk.hook(token, LONG)
  await desk.service.databases.svc.write((tx) =>
    tx.exec(`create trigger refused before insert on strategy_webhook_events when new.result = 'ok'
      begin select raise(abort, 'full'); end`),
  )
  const turned = await desk.hook(token, { action: 'short_entry', leg_id: 1 })
  expect(turned).toMatchObject({ status: 500, body: { result: 'rejected_engine_error' } })
  expect(await desk.orders()).toEqual([ENTRY_FILLED])
  expect((await audit()).at(-1)).toMatch(/ short_entry rejected_engine_error$/)
})

test('an exit whose order cannot be stored yet has its row in the audit', async () => {
  const { audit, desk, token } = await opened()
  await desk.hook(token, LONG)
  const { svc } = desk.service.databases
  await svc.write((tx) =>
    tx.exec(`create trigger refused before insert on strategy_orders begin select raise(abort, 'full'); end`),
  )
  expect(await desk.hook(token, EXIT)).toMatchObject({ body: { result: 'ok' } })
  await svc.write((tx) => tx.exec('drop trigger refused'))
  await desk.until(async () => (await desk.orders()).length === 2, 'the row of the exit is stored', 8_000)
  expect(await audit()).toEqual(['1 long_entry ok', '2 long_exit ok'])
})
