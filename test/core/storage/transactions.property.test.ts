import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Database, type Tx } from '../../../src/core/storage/index.js'
import { BatchStatement } from '../../../src/core/storage/statements/batch.js'
import { chance, rounds } from '../../support/chance/chance.js'
import { tempFile } from '../../support/files/temp.js'

/* Promise 2: a failing caller never removes another's acknowledged write. */
const RUNS = rounds(15)
const CALLERS = 50
const ACCOUNTS = 4
/** An entry that always exists, so that a duplicate conflicts with it. */
const TAKEN = 'taken'

/** The sum of the entries and the sum of the accounts. If they differ, a reader sees half a transaction. */
const DIFFERENCE = `select (select coalesce(sum(amount), 0) from entries)
  - (select coalesce(sum(balance), 0) from accounts) as difference`

const SCHEMA = [
  'create table accounts (id integer primary key, balance integer not null)',
  'create table entries (id text primary key, account integer not null, amount integer not null check (amount < 100))',
  ...Array.from({ length: ACCOUNTS }, (_, id) => `insert into accounts values (${id}, 0)`),
  `insert into entries values ('${TAKEN}', 0, 0)`,
]

const ENTRIES = new BatchStatement({ table: 'entries', columns: ['id', 'account', 'amount'] })
const BALANCES = new BatchStatement({
  table: 'accounts',
  columns: ['id', 'balance'],
  onConflict: 'on conflict (id) do update set balance = balance + excluded.balance',
})

/** The error a transaction makes on the way. */
const FAILURES: Record<string, (tx: Tx) => Promise<unknown>> = {
  throws: async () => {
    throw new Error('changed my mind')
  },
  'a key that is taken': (tx) => tx.exec('insert into entries values (?, 0, 0)', [TAKEN]),
  'a null where none may be': (tx) => tx.exec('insert into entries values (?, null, 0)', ['null']),
  'a value that is checked': (tx) => tx.exec('insert into entries values (?, 0, 100)', ['check']),
  'a table that does not exist': (tx) => tx.exec('insert into nowhere values (1)'),
}

interface Step {
  account: number
  amount: number
  /** Event-loop turns between its reads and its writes. */
  turns: number
}

interface Caller {
  kind: 'transaction' | 'rows' | 'script'
  steps: readonly Step[]
  /** The step where it fails, and how; `caught` continues after the error. */
  failure: { at: number; how: string; caught: boolean } | undefined
  /** Event-loop turns before it starts. */
  delay: number
}

const STEP: fc.Arbitrary<Step> = fc.record({
  account: fc.nat(ACCOUNTS - 1),
  amount: fc.integer({ min: -99, max: 99 }),
  turns: fc.nat(2),
})
const CALLER: fc.Arbitrary<Caller> = fc.record({
  kind: fc.constantFrom('transaction', 'transaction', 'rows', 'script'),
  steps: fc.array(STEP, { minLength: 1, maxLength: 4 }),
  failure: fc.oneof(
    fc.constant(undefined),
    fc.record({ at: fc.nat(4), how: fc.constantFrom(...Object.keys(FAILURES)), caught: fc.boolean() }),
  ),
  delay: fc.nat(6),
})

const idOf = (caller: number, step: number) => `${caller}.${step}`

/** Reads, waits and writes the values it read, as code does that must not be interrupted. */
async function transact(tx: Tx, caller: number, { steps, failure }: Caller): Promise<void> {
  const at = Math.min(failure?.at ?? -1, steps.length)
  for (const [index, step] of [...steps, undefined].entries()) {
    if (failure && index === at) {
      const failed = FAILURES[failure.how]?.(tx) ?? Promise.resolve()
      await (failure.caught ? failed.catch(() => undefined) : failed)
    }
    if (!step) return
    const { account, amount, turns } = step
    expect(await tx.query(DIFFERENCE), 'half of another transaction').toEqual([{ difference: 0 }])
    const [row] = await tx.query('select balance from accounts where id = ?', [account])
    await tx.exec('insert into entries values (?, ?, ?)', [idOf(caller, index), account, amount])
    for (let turn = 0; turn < turns; turn++) await setImmediate()
    await tx.exec('update accounts set balance = ? where id = ?', [Number(row?.balance) + amount, account])
  }
}

function ask(db: Database, number: number, caller: Caller): Promise<void> {
  if (caller.kind === 'transaction') return db.write((tx) => transact(tx, number, caller))
  const entries = caller.steps.map(({ account, amount }, index) => [idOf(number, index), account, amount])
  if (caller.failure) entries.push([TAKEN, 0, 0])
  // Rows alone change no balance, because their amounts are zero.
  if (caller.kind === 'rows') {
    return db.batch({ statement: ENTRIES, rows: entries.map(([id = '', account = 0]) => [id, account, 0]) })
  }
  const balances = caller.steps.map(({ account, amount }) => [account, amount])
  return db.script(() => [
    { statement: BALANCES, rows: balances },
    { statement: ENTRIES, rows: entries },
  ])
}

const succeeds = ({ kind, failure }: Caller) => !failure || (kind === 'transaction' && failure.caught)

/** The expected state if each of these callers succeeded and all others left nothing. */
function modelOf(callers: readonly Caller[]): { entries: Map<string, number>; balances: number[] } {
  const entries = new Map([[TAKEN, 0]])
  const balances = Array<number>(ACCOUNTS).fill(0)
  for (const [number, caller] of callers.entries()) {
    if (!succeeds(caller)) continue
    for (const [index, { account, amount }] of caller.steps.entries()) {
      const counted = caller.kind === 'rows' ? 0 : amount
      entries.set(idOf(number, index), counted)
      balances[account] = (balances[account] ?? 0) + counted
    }
  }
  return { entries, balances }
}

async function stored(db: Database): Promise<ReturnType<typeof modelOf>> {
  const entries = await db.queryRaw('select id, amount from entries')
  const accounts = await db.queryRaw('select balance from accounts order by id')
  return {
    entries: new Map(entries.map(({ id, amount }) => [String(id), Number(amount)])),
    balances: accounts.map(({ balance }) => Number(balance)),
  }
}

/** Reads the file all the time: it must never see half a transaction, and always every acknowledged one. */
async function watch(db: Database, acknowledged: ReadonlySet<string>, over: () => boolean): Promise<void> {
  while (!over()) {
    const known = [...acknowledged]
    expect(await db.queryRaw(DIFFERENCE), 'half of a transaction').toEqual([{ difference: 0 }])
    const found = new Set((await db.queryRaw('select id from entries')).map(({ id }) => String(id)))
    expect(
      known.filter((id) => !found.has(id)),
      'acknowledged and gone',
    ).toEqual([])
    await setImmediate()
  }
}

test(`of ${CALLERS} callers at once, some of which fail, all that was acknowledged is there and nothing else (${RUNS} runs)`, async () => {
  const callers = fc.array(CALLER, { minLength: CALLERS, maxLength: CALLERS })
  const seen = { kept: 0, undone: 0 }
  const property = fc.asyncProperty(callers, async (cast) => {
    const file = tempFile()
    const db = await Database.open({ file, schema: undefined })
    await db.write(async (tx) => {
      for (const statement of SCHEMA) await tx.exec(statement)
    })
    const acknowledged = new Set<string>()
    let left = cast.length
    const run = async (caller: Caller, number: number) => {
      for (let turn = 0; turn < caller.delay; turn++) await setImmediate()
      try {
        await ask(db, number, caller)
        for (const index of caller.steps.keys()) acknowledged.add(idOf(number, index))
      } finally {
        left -= 1
      }
    }
    try {
      const [outcomes] = await Promise.all([
        Promise.allSettled(cast.map(run)),
        watch(db, acknowledged, () => left === 0),
      ])
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(cast.map(succeeds))
      expect(await stored(db)).toEqual(modelOf(cast))
    } finally {
      await db.close()
    }
    const again = await Database.open({ file, schema: undefined })
    expect(await stored(again)).toEqual(modelOf(cast))
    await again.close()
    for (const caller of cast) seen[succeeds(caller) ? 'kept' : 'undone'] += 1
  })
  await fc.assert(property, { numRuns: RUNS, seed: chance('transactions').seed })
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan((RUNS * CALLERS) / 5)
})
