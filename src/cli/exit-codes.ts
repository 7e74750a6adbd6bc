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
