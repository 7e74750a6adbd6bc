import type { Verification } from '../../core/audit/schema.js'

const LATEST = 8_640_000_000_000_000

/** Returns an instant as text. One that somebody has damaged is shown as it is. */
export const isoOf = (at: number) =>
  Number.isInteger(at) && Math.abs(at) <= LATEST ? new Date(at).toISOString() : String(at)

/** Returns the result of a check, as the API and `svc audit verify` show it. */
export function resultView({ checked, firstSeq, head, lastSeq, ok, problem }: Verification) {
  return {
    ok,
    checked,
    first: firstSeq,
    last: lastSeq,
    head,
    problem: problem
      ? {
          kind: problem.kind,
          id: problem.seq,
          at: problem.at === null ? null : isoOf(problem.at),
          message: problem.message,
        }
      : null,
  }
}
