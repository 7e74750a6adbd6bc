import { type SecretBox, safeEqual } from '../secrets/index.js'
import type { AuditEntry, AuditRow, Seal } from './schema.js'

/** The seal of the row before the first one. */
export const GENESIS = 'genesis'

type Unsigned = Omit<Seal, 'signature'>

/**
 * Seals rows with a key that is derived from APP_KEY, so that nobody who has only the file can write a row or
 * compute a seal again.
 */
export class Chain {
  constructor(private readonly box: Pick<SecretBox, 'mac'>) {}

  /** Returns the seal of a row: it covers every column, its place and the seal of the row before. */
  macOf(previous: string, seq: number, entry: AuditEntry): string {
    return this.box.mac(
      'audit.entry',
      JSON.stringify([
        previous,
        seq,
        entry.at,
        entry.act,
        entry.actor,
        entry.credential,
        entry.credentialId,
        entry.address,
        entry.target,
        entry.outcome,
        entry.code,
        entry.before,
        entry.after,
        entry.requestId,
      ]),
    )
  }

  /** Returns the rows that continue the trail after a row. */
  extend(end: { seq: number; mac: string }, entries: readonly AuditEntry[]): AuditRow[] {
    let { seq, mac } = end
    return entries.map((entry) => {
      seq += 1
      mac = this.macOf(mac, seq, entry)
      return { ...entry, seq, mac }
    })
  }

  sign(ends: Unsigned): Seal {
    return { ...ends, signature: this.#signatureOf(ends) }
  }

  isSigned(seal: Seal): boolean {
    return safeEqual(seal.signature, this.#signatureOf(seal))
  }

  #signatureOf({ floorSeq, floorMac, seq, mac, cursors }: Unsigned): string {
    const sealed = [floorSeq, floorMac, seq, mac, cursors.map(({ position, source }) => [source, position])]
    return this.box.mac('audit.seal', JSON.stringify(sealed))
  }
}
