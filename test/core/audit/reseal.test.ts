import { describe, expect, it } from 'vitest'
import { AuditTrail, isTrailSignedBy, resealIn, verifyStopped } from '../../../src/core/audit/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { SecretBox } from '../../../src/core/secrets/index.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { ASHA, DAY_MS, START, TrailDesk } from './support.js'

/* A change of the keys seals the trail again, and a check finds afterwards what it would have found before. */

const newBox = (): Promise<SecretBox> => boxFor('c'.repeat(64), 'd'.repeat(32))

/** Seals the trail of a desk with other keys. @returns the new head */
async function reseal({ db, clock }: TrailDesk): Promise<string | null> {
  const keys = { from: await boxFor(), to: await newBox() }
  return db.write((tx) => resealIn(tx, keys, { sealed: 3 }, clock.now()))
}

/** Opens the trail as the next start does, with the new keys. */
const openWithNewKeys = async ({ db, clock }: TrailDesk): Promise<AuditTrail> =>
  AuditTrail.open({ db, clock, log: silentLogger, secretBox: await newBox() })

async function foundBy({ db }: TrailDesk, box: SecretBox): Promise<string> {
  const { problem } = (await verifyStopped(db, box)) ?? {}
  return problem ? `${problem.kind} ${problem.seq}` : 'sound'
}

describe('a whole trail', () => {
  it('is whole with the new keys, with a row of the change, and goes on', async () => {
    const desk = await TrailDesk.open(1300)
    await desk.trail.appendFrom({ source: 'live', position: '7' }, [])
    const head = await reseal(desk)
    expect(await foundBy(desk, await boxFor())).toMatch(/^seal /)
    expect(await verifyStopped(desk.db, await newBox())).toMatchObject({ ok: true, checked: 1302, head })
    const trail = await openWithNewKeys(desk)
    const [row] = await trail.list({ limit: 1 })
    expect(row).toMatchObject({ seq: 1302, act: 'keys.rotate', actor: 'svc', after: '{"sealed":3}' })
    expect(trail.cursor('live')).toBe('7')
    await trail.append({ act: 'risk.set', actor: ASHA })
    expect(await trail.verify(head ?? '')).toMatchObject({ ok: true, checked: 1303 })
  })

  it('is pruned again', async () => {
    const desk = await TrailDesk.open(5)
    await desk.trail.prune(START + 3000)
    await desk.clock.advance(10 * DAY_MS)
    await reseal(desk)
    const trail = await openWithNewKeys(desk)
    expect(await trail.prune(START + DAY_MS)).toBeGreaterThan(0)
    expect(await trail.verify()).toMatchObject({ ok: true })
  })

  it('is signed by its own keys only', async () => {
    const desk = await TrailDesk.open(1)
    const signed = async () => [
      await isTrailSignedBy(desk.db, await boxFor()),
      await isTrailSignedBy(desk.db, await newBox()),
    ]
    expect(await signed()).toEqual([true, false])
    await reseal(desk)
    expect(await signed()).toEqual([false, true])
  })
})

const copyOf = (seq: number, from: number) =>
  `insert into audit_entries select ${seq}, at, act, actor, credential, credential_id, address, target,
     outcome, code, before, after, request_id, mac from audit_entries where seq = ${from}`

describe('a trail that somebody with the file has changed', () => {
  it.each([
    ['a value', "update audit_entries set target = 'rule 9' where seq = 4"],
    ['two values', "update audit_entries set actor = 'eve' where seq in (4, 5)"],
    ['a MAC', "update audit_entries set mac = 'x' || mac where seq = 4"],
    ['a MAC of another type', 'update audit_entries set mac = cast(mac as blob) where seq = 4'],
    ['a row that is removed', 'delete from audit_entries where seq = 4'],
    ['the first row, removed', 'delete from audit_entries where seq = 1'],
    ['the last row, removed', 'delete from audit_entries where seq = 7'],
    ['all rows, removed', 'delete from audit_entries'],
    ['a row after the end', copyOf(8, 7)],
    ['the signature', "update audit_seal set signature = 'x' || signature"],
    ['the sealed end', 'update audit_seal set seq = 5, mac = (select mac from audit_entries where seq = 5)'],
    [
      'the floor',
      'update audit_seal set floor_seq = 3, floor_mac = (select mac from audit_entries where seq = 3)',
    ],
    ['a cursor', "insert into audit_cursors values ('other', '1')"],
    ['no seal', 'delete from audit_seal'],
  ])('stays so: %s', async (_, edit) => {
    const desk = await TrailDesk.open(6)
    await desk.edit(edit)
    const found = await foundBy(desk, await boxFor())
    expect(found).not.toBe('sound')
    await reseal(desk)
    // The row of the change follows the sealed end, so rows that were cut off there are missing before it.
    expect(await foundBy(desk, await newBox())).toBe(found.replace('cut_off', 'missing'))
    const trail = await openWithNewKeys(desk)
    expect((await trail.verify()).ok).toBe(false)
    expect(await trail.prune(START + DAY_MS)).toBe(0)
  })

  it('says where its seal was missing once', async () => {
    const desk = await TrailDesk.open(6)
    await desk.edit('delete from audit_seal')
    await desk.reopen()
    expect(await desk.found()).toBe('resealed 8')
    await reseal(desk)
    expect(await foundBy(desk, await newBox())).toBe('resealed 8')
  })
})
