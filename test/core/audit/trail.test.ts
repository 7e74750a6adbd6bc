import { expect, test } from 'vitest'
import { AuditTrail, changesOf } from '../../../src/core/audit/index.js'
import { SERVICE } from '../../../src/core/audit/schema.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { chance, rounds } from '../../support/chance/chance.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { ASHA, DAY_MS, openTrail, START, TrailDesk } from './support.js'

const COLUMNS = [
  ...['seq', 'at', 'act', 'actor', 'credential', 'credential_id', 'address', 'target'],
  ...['outcome', 'code', 'before', 'after', 'request_id', 'mac'],
]

test('a row says who did what, from where, and the values before and after', async () => {
  const desk = await TrailDesk.open(1)
  const [row] = await desk.trail.list({ limit: 1 })
  expect(row).toMatchObject({
    seq: 2,
    at: START + 1000,
    act: 'risk.set',
    actor: 'asha',
    credential: 'session',
    credentialId: 'f00d',
    address: '203.0.113.7',
    target: 'rule 1',
    outcome: 'done',
    code: null,
    before: '{"max_order_value":1}',
    after: '{"max_order_value":2}',
    requestId: 'r-1',
  })
  expect(await desk.trail.verify()).toMatchObject({ ok: true, checked: 2, firstSeq: 1, lastSeq: 2 })
})

test('a changed value in any column is found', async () => {
  for (const column of COLUMNS) {
    const desk = await TrailDesk.open(6)
    // Null becomes a text, a number grows by one, and of a text one bit changes.
    await desk.edit(
      `update audit_entries set "${column}" = case typeof("${column}")
         when 'null' then '' when 'integer' then "${column}" + 100
         else char(unicode("${column}") + 1) || substr("${column}", 2) end
       where seq = 4`,
    )
    expect([column, await desk.found()]).toEqual([column, column === 'seq' ? 'missing 4' : 'altered 4'])
  }
})

test('a value of another type is found', async () => {
  const desk = await TrailDesk.open(6)
  await desk.edit('update audit_entries set target = cast(target as blob) where seq = 4')
  expect(await desk.found()).toBe('altered 4')
})

test('missing rows are found: in the middle, at both ends, and all', async () => {
  const cases = [
    ['seq = 4', 'missing 4'],
    ['seq in (3, 4)', 'missing 3'],
    ['seq = 1', 'missing 1'],
    ['seq = 7', 'cut_off 7'],
    ['seq > 3', 'cut_off 4'],
    ['seq > 0', 'cut_off 1'],
  ] as const
  for (const [rows, found] of cases) {
    const desk = await TrailDesk.open(6)
    await desk.edit(`delete from audit_entries where ${rows}`)
    expect([rows, await desk.found()]).toEqual([rows, found])
  }
})

test('rows that are moved are found, also with their seals', async () => {
  const swap = 'update audit_entries set seq = case seq when -1 then 5 when 4 then -1 when 5 then 4 end'
  const desk = await TrailDesk.open(6)
  await desk.edit(`${swap} where seq = 4`)
  await desk.edit(`${swap} where seq = 5`)
  await desk.edit(`${swap} where seq = -1`)
  expect(await desk.found()).toBe('altered 4')
})

test('an added row is found: after the end, in place of another, and as a copy', async () => {
  const copy = (seq: number, from: number) =>
    `insert into audit_entries select ${seq}, at, act, actor, credential, credential_id, address, target,
       outcome, code, before, after, request_id, mac from audit_entries where seq = ${from}`
  const added = await TrailDesk.open(6)
  await added.edit(copy(8, 7))
  expect(await added.found()).toBe('unsealed 8')
  const replaced = await TrailDesk.open(6)
  await replaced.edit('delete from audit_entries where seq = 4')
  await replaced.edit(copy(4, 5))
  expect(await replaced.found()).toBe('altered 4')
})

test('a changed or missing seal is found, also after the next start', async () => {
  for (const column of ['floor_seq', 'floor_mac', 'seq', 'mac', 'signature']) {
    const desk = await TrailDesk.open(6)
    await desk.edit(`update audit_seal set ${column} = ${column} || '1'`)
    expect([column, await desk.found()]).toEqual([column, expect.stringMatching(/^seal /)])
    await desk.reopen()
    // A floor that is not signed shows nothing: the rows from there on look moved.
    expect([column, await desk.found()]).toEqual([
      column,
      expect.stringMatching(/^(resealed|altered|missing) /),
    ])
  }
  const desk = await TrailDesk.open(6)
  await desk.edit('delete from audit_seal')
  expect(await desk.found()).toBe('seal 0')
  await desk.reopen()
  expect(await desk.found()).toBe('resealed 8')
})

test('a cursor of orders that somebody moved or removed is found, also after the next start', async () => {
  const edits = [
    "update audit_cursors set position = '90' where source = 'live'",
    "delete from audit_cursors where source = 'live'",
    "insert into audit_cursors values ('other', '1')",
  ]
  for (const edit of edits) {
    const desk = await TrailDesk.open(3)
    await desk.trail.appendFrom({ source: 'live', position: '7' }, [])
    await desk.trail.appendFrom({ source: 'sandbox', position: '3' }, [])
    expect([edit, await desk.found()]).toEqual([edit, 'sound'])
    await desk.edit(edit)
    // The running service goes on from where it was.
    expect([edit, desk.trail.cursor('live')]).toEqual([edit, '7'])
    expect([edit, await desk.found()]).toEqual([edit, 'seal 4'])
    await desk.reopen()
    expect([edit, await desk.found()]).toEqual([edit, 'resealed 5'])
  }
})

test('a cursor that somebody moved is found after a start', async () => {
  const desk = await TrailDesk.open(3)
  await desk.trail.appendFrom({ source: 'live', position: '7' }, [])
  await desk.reopen()
  expect([await desk.found(), desk.trail.cursor('live')]).toEqual(['sound', '7'])
  await desk.edit("update audit_cursors set position = '90'")
  expect(await desk.found()).toBe('seal 4')
})

test('damage is still found after a start and further acts', async () => {
  const cases = [
    ['delete from audit_entries where seq > 5', 'missing 6'],
    [`update audit_entries set actor = 'ravi' where seq = 7`, 'altered 7'],
    [
      'insert into audit_entries (seq, at, act, actor, credential, outcome, mac) values (8, 1, 1, 1, 1, 1, 1)',
      'altered 8',
    ],
  ] as const
  for (const [edit, found] of cases) {
    const desk = await TrailDesk.open(6)
    await desk.edit(edit)
    await desk.reopen()
    await desk.act(7)
    await desk.act(8)
    expect([edit, await desk.found()]).toEqual([edit, found])
  }
})

test('without the key nobody can seal a row', async () => {
  const desk = await TrailDesk.open(3)
  const forger = await AuditTrail.open({
    db: desk.db,
    clock: desk.clock,
    log: silentLogger,
    secretBox: await boxFor('c'.repeat(64)),
  })
  await forger.append({ act: 'forged', actor: ASHA })
  expect(await desk.found()).toMatch(/^seal /)
  await desk.reopen()
  expect(await desk.found()).toBe('altered 5')
})

test('a noted head proves later that the trail was not replaced by an older or another one', async () => {
  const desk = await TrailDesk.open(3)
  const { head } = await desk.trail.verify()
  await desk.act(4)
  expect(await desk.found(head ?? '')).toBe('sound')
  expect(await desk.found(`4:${'x'.repeat(43)}`)).toBe('head 4')
  expect(await desk.found(`99:${'x'.repeat(43)}`)).toBe('head 99')
})

test('any random edit of rows or seal is found', async () => {
  const { between } = chance('audit edits')
  const desk = await TrailDesk.open(30)
  const sound = await desk.db.queryRaw('select * from audit_entries')
  for (let round = 0; round < rounds(150); round++) {
    const one = between(1, 31)
    const other = ((one + between(0, 29)) % 31) + 1
    const column = COLUMNS[between(1, COLUMNS.length - 1)]
    const edits = [
      `delete from audit_entries where seq between ${Math.min(one, other)} and ${Math.max(one, other)}`,
      `update audit_entries set "${column}" = coalesce("${column}", '') || '${between(0, 9)}' where seq = ${one}`,
      `update audit_entries set seq = seq + 1000 where seq >= ${one}`,
      `update audit_entries set (at, target, before, after, request_id, mac) =
         (select at, target, before, after, request_id, mac from audit_entries where seq = ${other}) where seq = ${one}`,
      `update audit_seal set seq = ${one - 1}, mac = coalesce((select mac from audit_entries where seq = ${one - 1}), 'genesis')`,
    ]
    await desk.edit('create table kept_seal as select * from audit_seal')
    await desk.edit(edits[between(0, edits.length - 1)] ?? '')
    expect(await desk.found()).not.toBe('sound')
    await desk.edit('delete from audit_entries')
    await desk.edit(
      `insert into audit_entries select ${COLUMNS.map((name) => `value ->> '${name}'`).join(', ')} from json_each(?)`,
      [JSON.stringify(sound)],
    )
    await desk.edit('delete from audit_seal')
    await desk.edit('insert into audit_seal select * from kept_seal')
    await desk.edit('drop table kept_seal')
  }
  expect(await desk.found()).toBe('sound')
})

test('old rows are removed past a signed floor, and the rest still verifies', async () => {
  const desk = await TrailDesk.open(2500)
  await desk.clock.advance(10 * DAY_MS)
  await desk.act(2501)
  expect(await desk.trail.prune(START + 5 * DAY_MS)).toBe(2501)
  expect(await desk.trail.verify()).toMatchObject({ ok: true, firstSeq: 2502, checked: 2 })
  const [pruned] = await desk.trail.list({ limit: 1 })
  expect(pruned).toMatchObject({ act: 'audit.prune', actor: 'svc' })
  expect(JSON.parse(pruned?.after ?? '')).toMatchObject({ from: 1, through: 2501, rows: 2501 })
  expect(await desk.trail.prune(START + 5 * DAY_MS)).toBe(0)
  await desk.reopen()
  expect(await desk.found()).toBe('sound')
  await desk.edit('delete from audit_entries where seq = 2502')
  expect(await desk.found()).toBe('missing 2502')
})

test('a damaged trail is not pruned, and the newest row stays', async () => {
  const desk = await TrailDesk.open(5)
  await desk.edit('delete from audit_entries where seq = 3')
  expect(await desk.trail.prune(START + DAY_MS)).toBe(0)
  const sound = await TrailDesk.open(5)
  expect(await sound.trail.prune(START + DAY_MS)).toBe(5)
  expect(await sound.found()).toBe('sound')
})

test('a check during appends and a removal reports no damage', async () => {
  const desk = await TrailDesk.open(1200)
  await desk.clock.advance(DAY_MS)
  const checks = Array.from({ length: 5 }, () =>
    desk.trail.verify('1:x').then((found) => found.problem?.kind),
  )
  const acts = Array.from({ length: 200 }, (_, one) => desk.trail.append({ act: `act.${one}`, actor: ASHA }))
  await Promise.all([...acts, desk.trail.prune(START + DAY_MS / 2)])
  // Only the head, which is not in the trail.
  expect(await Promise.all(checks)).toEqual(Array(5).fill('head'))
  expect(await desk.found()).toBe('sound')
})

test('an act whose end a crash prevented is in the trail, with an unknown outcome', async () => {
  const desk = await TrailDesk.open(1)
  const ended = await desk.trail.begin({ act: 'broker.use', actor: ASHA })
  const crashed = { act: 'mode.set', actor: ASHA, target: 'live', requestId: 'r-9' }
  await desk.trail.begin(crashed)
  await desk.trail.end(ended, { after: { broker: 'zerodha' } })
  await desk.trail.discard(await desk.trail.begin({ act: 'risk.set', actor: ASHA }))
  await desk.clock.advance(60_000)
  await desk.reopen()
  await desk.reopen()
  const rows = await desk.trail.list({ limit: 2 })
  expect(rows.map(({ act, outcome }) => [act, outcome])).toEqual([
    ['mode.set', 'unknown'],
    ['broker.use', 'done'],
  ])
  expect(rows[0]).toMatchObject({ at: START + 1000, actor: 'asha', target: 'live', requestId: 'r-9' })
  expect(await desk.found()).toBe('sound')
})

test('acts that nobody waits for keep their order, and are written before the close', async () => {
  const desk = await TrailDesk.open()
  for (let one = 0; one < 1000; one++) desk.trail.appendLater({ act: `later.${one}`, actor: SERVICE })
  await desk.trail.flush()
  const acts = (await desk.trail.list({ limit: 2000, after: 1 })).map(({ act }) => act)
  expect(acts).toEqual(Array.from({ length: 1000 }, (_, one) => `later.${one}`))
  expect(await desk.found()).toBe('sound')
})

test('two writers of one file never fork the trail', async () => {
  const desk = await TrailDesk.open(3)
  const other = await openTrail(desk.db, desk.clock)
  await desk.act(4)
  await expect(other.append({ act: 'other', actor: ASHA })).rejects.toThrow('another process has written')
  await other.append({ act: 'other', actor: ASHA })
  expect(await desk.found()).toBe('sound')
})

test('acts for which the disk has no room are written when it has', async () => {
  const desk = await TrailDesk.open(1)
  await desk.edit(
    `create trigger full before insert on audit_entries begin select raise(abort, 'no room'); end`,
  )
  for (const act of ['first', 'second']) desk.trail.appendLater({ act, actor: SERVICE })
  await desk.trail.flush()
  await desk.edit('drop trigger full')
  desk.trail.appendLater({ act: 'third', actor: SERVICE })
  await desk.clock.advance(1000)
  await desk.trail.flush()
  const acts = (await desk.trail.list({ limit: 3 })).map(({ act }) => act)
  expect(acts).toEqual(['third', 'second', 'first'])
})

test('hostile texts are stored as they are sealed, and secrets are not stored', async () => {
  const desk = await TrailDesk.open()
  const hostile = [
    '\u0000',
    '\ud800',
    'a\ud800b',
    '\u202e',
    "'; drop table audit_entries; --",
    '💣'.repeat(400),
    '%',
  ]
  for (const text of hostile) {
    await desk.trail.append(
      { act: text, actor: { ...ASHA, name: text, address: text }, target: text },
      { before: { [text]: text, __proto__: { polluted: 1 } }, after: text, code: text },
    )
  }
  await desk.trail.append(
    { act: 'smtp.set', actor: ASHA },
    { after: { password: 'hunter2hunter2', nested: { api_key: 'k'.repeat(64) }, long: 'x'.repeat(100_000) } },
  )
  expect(await desk.found()).toBe('sound')
  const [row] = await desk.trail.list({ limit: 1 })
  expect(row?.after).not.toMatch(/hunter2|kkkk/)
  expect(row?.after?.length).toBeLessThan(17_000)
})

test('rows are found by time, actor, act, group of acts and text', async () => {
  const desk = await TrailDesk.open(3)
  await desk.trail.append({ act: 'riskier', actor: { ...ASHA, name: 'ravi' }, target: 'NIFTY' })
  const seqs = async (filter: object) =>
    (await desk.trail.list({ limit: 9, ...filter })).map(({ seq }) => seq)
  expect(await seqs({ act: 'risk' })).toEqual([4, 3, 2])
  expect(await seqs({ act: 'risk.set', since: START + 2000, until: START + 3000 })).toEqual([3])
  expect(await seqs({ actor: 'ravi' })).toEqual([5])
  expect(await seqs({ search: 'nifty' })).toEqual([5])
  expect(await seqs({ search: 'RULE 2' })).toEqual([3])
  expect(await seqs({ before: 3 })).toEqual([2, 1])
  expect(await seqs({ after: 3 })).toEqual([4, 5])
})

test('the values of an act are only those that changed', () => {
  expect(changesOf({ a: 1, b: { c: 2 } }, { a: 2, b: { c: 2 }, d: 3 })).toEqual({
    before: { a: 1 },
    after: { a: 2, d: 3 },
  })
})
