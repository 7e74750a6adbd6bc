import type { CommandSpec } from '../../framework/command.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { followEvents } from '../../http/events.js'

const follow: CommandSpec = {
  name: 'follow',
  summary:
    'Prints each event as one JSON object per line. After a lost connection, it resumes after the last event.',
  examples: [
    'event follow',
    'event follow --event pending_order_created',
    'event follow --since 1200 | jq -c .data',
  ],
  options: [
    { flags: '--since <seq>', summary: 'start after this sequence number' },
    { flags: '--event <name>', summary: 'only these events (may be repeated)', repeatable: true },
    { flags: '--count <n>', summary: 'stop after this many events' },
  ],
  async run(context, input) {
    const [since, names] = [input.number('since'), new Set(input.list('event'))]
    if (since !== undefined && !(Number.isSafeInteger(since) && since >= 0)) {
      throw usageError('--since must be the sequence number (seq) of an event.')
    }
    const count = input.number('count') ?? Infinity
    if (count < 1) throw usageError('--count must be at least 1.')
    let printed = 0
    for await (const { event, raw } of followEvents(context, since)) {
      if (event === 'connected' || (names.size > 0 && !names.has(event))) continue
      await context.out.line(raw)
      printed += 1
      if (printed >= count) break
    }
    return EXIT.done
  },
}

export const event: CommandSpec = {
  name: 'event',
  summary: 'Live events.',
  examples: follow.examples,
  verbs: [follow],
}
