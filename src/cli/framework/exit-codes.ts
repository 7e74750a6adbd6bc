/** Exit statuses of `svc`. Scripts rely on them, so their meaning never changes. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  notFound: 4,
  refused: 5,
  rateLimited: 6,
  noDaemon: 7,
  unknown: 8,
  differences: 9,
  interrupted: 130,
} as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

/**
 * The order of severity. With several outcomes, the first status in this list is the exit status of the
 * command: outcomes that may have reached the broker or were not tried, then refusals, then wrong requests.
 */
const WORST_FIRST: readonly ExitStatus[] = [
  EXIT.unknown,
  EXIT.noDaemon,
  EXIT.failed,
  EXIT.refused,
  EXIT.denied,
  EXIT.rateLimited,
  EXIT.usage,
  EXIT.notFound,
]

/** The rule for several outcomes, as `svc help exit-codes` shows it. */
export const WORST_EXIT_RULE = `With several ids (svc approval approve 41 42), the most severe failure decides the exit status, in this order: ${WORST_FIRST.join(', ')}.`

/** Returns the most severe failure; undefined when nothing failed. */
export function worstFailure<T extends { exit: ExitStatus }>(failures: readonly T[]): T | undefined {
  const rank = ({ exit }: T) => WORST_FIRST.indexOf(exit) + 1 || WORST_FIRST.length + 1
  return failures.reduce<T | undefined>(
    (worst, one) => (worst && rank(worst) <= rank(one) ? worst : one),
    undefined,
  )
}

/** The table behind `svc help exit-codes`. */
export const EXIT_MEANINGS: readonly { status: ExitStatus; meaning: string }[] = [
  { status: EXIT.done, meaning: 'Done, queued, or nothing to do.' },
  { status: EXIT.failed, meaning: 'Failed.' },
  { status: EXIT.usage, meaning: 'Wrong usage: an argument or a field is missing, unknown or out of range.' },
  {
    status: EXIT.denied,
    meaning: 'Not signed in, or not allowed; or another daemon answers than the context knows.',
  },
  { status: EXIT.notFound, meaning: 'Not found.' },
  {
    status: EXIT.refused,
    meaning:
      'Refused by a rule, the risk gate, the sandbox or the broker. Nothing was executed; in a batch, at least one item was refused.',
  },
  { status: EXIT.rateLimited, meaning: 'Rate limited: wait and try again.' },
  { status: EXIT.noDaemon, meaning: 'No daemon answers.' },
  {
    status: EXIT.unknown,
    meaning:
      'Outcome unknown: the order may have reached the broker, the order is still open, or the answer was lost. Check it before you retry.',
  },
  {
    status: EXIT.differences,
    meaning: 'Differences found (flow plan, flow drift), or a newer version (version --check).',
  },
  { status: EXIT.interrupted, meaning: 'Interrupted (Ctrl-C).' },
]
