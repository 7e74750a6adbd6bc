import type { SecretBox } from '../secrets/index.js'
import type { Database, Tx } from '../storage/index.js'
import { Chain, GENESIS } from './chain.js'
import { readerOf } from './copy.js'
import { entryOf } from './entry.js'
import {
  type ActEnd,
  type AuditEntry,
  type AuditRow,
  type NewAct,
  SERVICE,
  type Seal,
  type Verification,
} from './schema.js'
import { addRows, hasTrail, lastIn, readPage, readSeal, replaceMacs, storeSeal } from './store.js'
import { headOf, VERIFY_PAGE, verifyTrail } from './verify.js'

type Macs = Pick<SecretBox, 'mac'>

/** The keys before and after a change. */
export interface KeyPair {
  from: Macs
  to: Macs
}

/** Checks the trail of a stopped home. Undefined if its database has none. */
export async function verifyStopped(db: Database, keys: Macs): Promise<Verification | undefined> {
  return (await hasTrail(db)) ? verifyTrail(readerOf(db), new Chain(keys)) : undefined
}

/** Returns whether the ends of the trail of a stopped home are signed with these keys. */
export async function isTrailSignedBy(db: Database, keys: Macs): Promise<boolean> {
  const seal = (await hasTrail(db)) ? await readSeal(db) : undefined
  return seal !== undefined && new Chain(keys).isSigned(seal)
}

/**
 * Seals a trail with other keys, in the transaction of the change of the keys, and adds a row `keys.rotate`. A check with
 * the new keys finds what a check with the old ones finds: a MAC that is wrong stays as it is, and ends that are not signed
 * get no signature, so nobody can pass a tampered trail off as whole.
 * @returns the new last row as text; null if the trail has no row that its seal covers
 */
export async function resealIn(
  tx: Tx,
  { from, to }: KeyPair,
  after: ActEnd['after'],
  now: number,
): Promise<string | null> {
  const [old, next] = [new Chain(from), new Chain(to)]
  const seal = await readSeal({ read: tx })
  const moved = await resealRows(tx, old, next, seal)
  if (!seal || !old.isSigned(seal)) return null
  const entry = entryOf({ act: 'keys.rotate', actor: SERVICE }, { after }, now)
  return headOf(await addRow(tx, next, { ...seal, mac: moved }, entry))
}

/**
 * Adds a row to the trail of a stopped home, in the transaction of its act. A trail whose ends are not signed with these keys
 * gets none.
 */
export async function recordStopped(
  tx: Tx,
  keys: Macs,
  { act, target }: Pick<NewAct, 'act' | 'target'>,
  now: number,
): Promise<void> {
  const chain = new Chain(keys)
  const seal = await readSeal({ read: tx })
  if (!seal || !chain.isSigned(seal)) return
  await addRow(tx, chain, seal, entryOf({ act, actor: SERVICE, ...(target && { target }) }, {}, now))
}

/**
 * Adds a row after the sealed end, and seals it. Rows after that end are not of the trail: then it adds none, and the next
 * start goes on after them.
 * @returns the new end
 */
async function addRow(
  tx: Tx,
  chain: Chain,
  { signature: _, ...ends }: Seal,
  entry: AuditEntry,
): Promise<Pick<Seal, 'seq' | 'mac'>> {
  const last = await lastIn({ read: tx })
  const rows = (last?.seq ?? ends.seq) <= ends.seq ? chain.extend(ends, [entry]) : []
  await addRows(tx, rows)
  const end = rows.at(-1) ?? ends
  await storeSeal(tx, chain.sign({ ...ends, seq: end.seq, mac: end.mac }))
  return end
}

/**
 * Replaces each MAC that is right after the row before it. A row after one that stays wrong is sealed to that one, as it
 * was.
 * @returns the MAC of the sealed end
 */
async function resealRows(tx: Tx, old: Chain, next: Chain, seal: Seal | undefined): Promise<string> {
  let end = seal?.mac ?? GENESIS
  let [was, is] = [seal?.floorMac ?? GENESIS, seal?.floorMac ?? GENESIS]
  let after = seal?.floorSeq ?? 0
  for (;;) {
    const rows = await readPage({ read: tx }, { after, limit: VERIFY_PAGE })
    const resealed: Pick<AuditRow, 'seq' | 'mac'>[] = []
    for (const row of rows) {
      const isRight = old.macOf(was, row.seq, row) === row.mac
      was = row.mac
      is = isRight ? next.macOf(is, row.seq, row) : row.mac
      if (isRight) resealed.push({ seq: row.seq, mac: is })
      if (row.seq === seal?.seq && row.mac === seal.mac) end = is
      after = row.seq
    }
    await replaceMacs(tx, resealed)
    if (rows.length < VERIFY_PAGE) return end
  }
}
