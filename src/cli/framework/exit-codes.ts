/** Exit statuses of `svc`. Scripts rely on them: they never change their meaning. */
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
 * Of several outcomes of one command the first of these is its exit status: what may have reached the broker or
 * was not tried before what was refused, and that before what was only asked wrongly.
 */
const GRAVEST_FIRST: readonly ExitStatus[] = [
  EXIT.unknown,
  EXIT.noDaemon,
  EXIT.failed,
  EXIT.refused,
  EXIT.denied,
  EXIT.rateLimited,
  EXIT.usage,
  EXIT.notFound,
]

/** The rule of several outcomes, for `svc help exit-codes`. */
export const GRAVEST_WINS = `Of several outcomes of one command (svc approval approve 41 42) the gravest is its status: ${GRAVEST_FIRST.join(', ')}, in this order.`

/** The gravest of what failed; undefined when nothing did. */
export function gravest<T extends { exit: ExitStatus }>(failures: readonly T[]): T | undefined {
  const rank = ({ exit }: T) => GRAVEST_FIRST.indexOf(exit) + 1 || GRAVEST_FIRST.length + 1
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
  { status: EXIT.denied, meaning: 'Not signed in, or not allowed.' },
  { status: EXIT.notFound, meaning: 'Not found.' },
  {
    status: EXIT.refused,
    meaning:
      'Refused by a rule, the risk gate, the sandbox or the broker. Nothing was executed; in a batch, not all of it.',
  },
  { status: EXIT.rateLimited, meaning: 'Rate limited: wait and try again.' },
  { status: EXIT.noDaemon, meaning: 'No daemon there.' },
  {
    status: EXIT.unknown,
    meaning:
      'Outcome unknown: it may have reached the broker, has not ended in time, or its answer was lost. Look; do not retry blindly.',
  },
  { status: EXIT.differences, meaning: 'Differences found (flow plan, flow drift).' },
  { status: EXIT.interrupted, meaning: 'Interrupted (Ctrl-C).' },
]
