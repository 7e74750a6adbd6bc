import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'
import { type EventFrame, followEvents } from '../../http/events.js'
import { colours } from '../../output/colours.js'
import { EVENT_NAMES, eventLine } from '../../output/text/event-words.js'
import { humanLine } from '../../output/text/log-line.js'

/** The fields of an event, which each one has. */
const FRAME = { type: '', seq: 0, event: '', data: {}, ts: 0 }

const follow: CommandSpec = {
  name: 'follow',
  summary:
    'Prints each event on a line: in words on a terminal, as a JSON object in a pipe. After a lost connection, it resumes after the last event.',
  examples: [
    'event follow',
    'event follow --event pending_order_created',
    'event follow --since 1200 | jq -c .data',
  ],
  options: [
    {
      flags: '--since <seq>',
      summary: 'start after this sequence number; 0 for all events that the daemon keeps',
    },
    {
      flags: '--event <name>',
      summary: 'only these events (may be repeated)',
      repeatable: true,
      complete: 'events',
    },
    { flags: '--count <n>', summary: 'stop after this many events' },
  ],
  async run(context, input) {
    const [since, names] = [input.number('since'), new Set(input.list('event'))]
    if (since !== undefined && !(Number.isSafeInteger(since) && since >= 0)) {
      throw usageError('--since must be the sequence number (seq) of an event.')
    }
    requireKnown(names)
    const count = input.number('count') ?? Infinity
    if (count < 1) throw usageError('--count must be at least 1.')
    let printed = 0
    const show = await printer(context)
    for await (const frame of followEvents(context, since)) {
      if (frame.event === 'connected' || (names.size > 0 && !names.has(frame.event))) continue
      await show(frame)
      printed += 1
      if (printed >= count) break
    }
    return EXIT.done
  },
}

/** @throws a usage error for a name that no event has: the command would wait for it without end */
function requireKnown(names: ReadonlySet<string>): void {
  const unknown = [...names].find((name) => !EVENT_NAMES.includes(name))
  if (unknown === undefined) return
  const near = nearest(unknown, EVENT_NAMES)
  const hint = near === undefined ? `Events: ${EVENT_NAMES.join(', ')}.` : `Did you mean ${near}?`
  throw usageError(`--event: no event is called "${unknown}".`, hint)
}

/** Returns the function that prints an event: for a person, or as JSON. */
async function printer({ out, io, settings }: Context): Promise<(frame: EventFrame) => Promise<void> | void> {
  if (!out.isHuman) {
    const { write } = await out.begin({ columns: [], id: 'seq', rows: [FRAME] })
    return ({ raw }) => write(raw)
  }
  const paint = await colours(io.stdout, io, settings)
  return ({ event: name, data, raw }) => {
    const { tone, ...line } = eventLine(name, data)
    const style = { human: true, utc: settings.utc, now: io.now() }
    const text = humanLine({ time: raw.ts, ...line }, style, io.stdout.columns)
    out.write(`${tone === undefined ? text : paint[tone](text)}\n`)
  }
}

export const event: NounSpec = {
  examples: follow.examples,
  verbs: [follow],
}
