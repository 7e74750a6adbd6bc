import { setImmediate } from 'node:timers/promises'
import type { Chain } from './chain.js'
import type { AuditProblem, AuditRow, Seal, Verification } from './schema.js'

/** The rows and the seal of a trail, from the database of the service or from a copy. */
export interface TrailReader {
  seal(): Promise<Seal | undefined>
  /** Returns some rows after a row, oldest first. */
  rows(after: number): Promise<readonly AuditRow[]>
}

/** Rows that are read at a time. */
export const VERIFY_PAGE = 500

/** The act that marks a start at which the seal was missing or wrong. */
export const RESEALED = 'audit.resealed'

/** Returns a row as the short text by which a later check finds it. */
export const headOf = ({ seq, mac }: Pick<AuditRow, 'seq' | 'mac'>): string => `${seq}:${mac}`

class Broken extends Error {
  constructor(
    readonly kind: AuditProblem,
    readonly seq: number,
    message: string,
    readonly at: number | null = null,
  ) {
    super(message)
  }
}

/**
 * Checks a trail from its floor to its end, one page at a time. It stops at the first row that is altered,
 * missing, in another place, or not sealed.
 *
 * @param head a row that the trail must contain, as {@link headOf} writes it
 */
export async function verifyTrail(reader: TrailReader, chain: Chain, head?: string): Promise<Verification> {
  const check = new Check(reader, chain, head)
  try {
    await check.run()
    return { ok: true, ...check.result() }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    const { at, kind, message, seq } = error
    return { ok: false, ...check.result(), problem: { kind, seq, at, message } }
  }
}

class Check {
  #seal: Seal = { floorSeq: 0, floorMac: '', seq: 0, mac: '', cursors: [], signature: '' }
  #first = 0
  #seq = 0
  #mac = ''
  #checked = 0
  readonly #expected: { seq: number; mac: string } | undefined
  #foundExpected = false

  constructor(
    private readonly reader: TrailReader,
    private readonly chain: Chain,
    head: string | undefined,
  ) {
    if (head === undefined) return
    const at = head.indexOf(':')
    this.#expected = { seq: Number(head.slice(0, at)), mac: head.slice(at + 1) }
  }

  result(): Omit<Verification, 'ok' | 'problem'> {
    const last = { seq: this.#seq, mac: this.#mac }
    return {
      checked: this.#checked,
      firstSeq: this.#first,
      lastSeq: this.#seq,
      head: this.#checked > 0 ? headOf(last) : null,
    }
  }

  async run(): Promise<void> {
    await this.#readSeal()
    this.#goTo(this.#seal)
    for (;;) {
      const rows = await this.reader.rows(this.#seq)
      if (rows.length === 0 && (await this.#isAtEnd())) break
      for (const row of rows) await this.#take(row)
      // Orders must not wait for the check.
      await setImmediate()
    }
    if (this.#expected && !this.#foundExpected) this.#refuseHead(this.#expected)
  }

  async #readSeal(): Promise<void> {
    const seal = await this.reader.seal()
    if (!seal) throw new Broken('seal', this.#seq, 'The seal of the trail is missing.')
    if (!this.chain.isSigned(seal)) {
      throw new Broken(
        'seal',
        seal.seq,
        'The seal of the trail or a cursor of its orders was altered, or the trail belongs to another APP_KEY.',
      )
    }
    this.#seal = seal
  }

  #goTo({ floorSeq, floorMac }: Seal): void {
    this.#first = floorSeq + 1
    this.#seq = floorSeq
    this.#mac = floorMac
    this.#see()
  }

  /** Returns whether the last row is the sealed end. Rows may have been added since the seal was read. */
  async #isAtEnd(): Promise<boolean> {
    await this.#readSeal()
    const { mac, seq } = this.#seal
    if (seq === this.#seq && mac === this.#mac) return true
    if (seq > this.#seq && (await this.reader.rows(this.#seq)).length > 0) return false
    const message = `The trail ends at row ${this.#seq}, but its seal says ${seq}: rows are cut off at the end.`
    throw new Broken('cut_off', this.#seq + 1, message)
  }

  async #take(row: AuditRow): Promise<void> {
    if (row.seq !== this.#seq + 1) await this.#skipRemoved(row)
    // Rows of the page may have been removed at the old end, since it was read.
    if (row.seq <= this.#seq) return
    const mac = this.chain.macOf(this.#mac, row.seq, row)
    if (mac !== row.mac) {
      if (row.seq > this.#seal.seq) await this.#readSeal()
      if (row.seq > this.#seal.seq) throw unsealed(row)
      const message = `Row ${row.seq} was altered, or is not in its place.`
      throw new Broken('altered', row.seq, message, row.at)
    }
    if (row.act === RESEALED) {
      const message = `At the start that row ${row.seq} records, the seal was missing or altered: rows may have been cut off before it.`
      throw new Broken('resealed', row.seq, message, row.at)
    }
    this.#seq = row.seq
    this.#mac = row.mac
    this.#checked += 1
    this.#see()
  }

  /** Goes on after the rows that the service removed during the check. @throws Broken when rows are missing */
  async #skipRemoved(row: AuditRow): Promise<void> {
    await this.#readSeal()
    if (this.#seal.floorSeq > this.#seq) this.#goTo(this.#seal)
    if (row.seq <= this.#seq + 1) return
    const [from, to] = [this.#seq + 1, row.seq - 1]
    const message = from === to ? `Row ${from} is missing.` : `Rows ${from} to ${to} are missing.`
    throw new Broken('missing', from, message)
  }

  #see(): void {
    const expected = this.#expected
    if (expected?.seq === this.#seq && expected.mac === this.#mac) this.#foundExpected = true
  }

  #refuseHead({ seq }: { seq: number }): never {
    const message =
      seq < this.#seal.floorSeq
        ? `Row ${seq} was removed by retention, so the head cannot be checked.`
        : `The trail does not contain the head of row ${seq}: it was replaced by another one.`
    throw new Broken('head', seq, message)
  }
}

function unsealed(row: AuditRow): Broken {
  return new Broken(
    'unsealed',
    row.seq,
    `Row ${row.seq} is after the sealed end: it was not added by svc.`,
    row.at,
  )
}
