import type { AnyList, ListView } from '../../views/table/column.js'
import type { Input } from '../framework/command/command.js'
import type { OptionSpec } from '../framework/command/option.js'
import type { Context } from '../framework/context.js'
import { EXIT, type ExitStatus } from '../framework/exit-codes.js'
import type { RowStream, StreamView } from './output.js'

export const WATCH_OPTIONS: readonly OptionSpec[] = [
  { flags: '-w, --watch', summary: 'refresh until Ctrl-C; in a pipe, one JSON line per changed row' },
  { flags: '--interval <duration>', summary: 'pause between refreshes (default: 2s)' },
]

const DEFAULT_INTERVAL_MS = 2000
/** The fields that tell rows with the same id apart: positions in one symbol, and refusals, which have no order id. */
const KEYS = ['exchange', 'product', 'symbol', 'request_id'] as const
const CLEAR = '\u001b[H\u001b[2J\u001b[3J'

/** Shows a list once, or with `--watch` repeatedly until Ctrl-C. */
export function watchable<Row extends object>(
  context: Context,
  input: Input,
  read: () => Promise<ListView<Row>>,
): Promise<ExitStatus> {
  return watchAny(context, input, read)
}

/** Shows a list with rows of any type, as {@link watchable} does. */
export async function watchAny(
  context: Context,
  input: Input,
  read: () => Promise<AnyList>,
): Promise<ExitStatus> {
  if (!input.flag('watch')) {
    await context.out.printList(await read())
    return EXIT.done
  }
  const interval = Math.max(200, input.duration('interval') ?? DEFAULT_INTERVAL_MS)
  const show = context.out.isHuman ? repaint(context) : changedRows(context)
  for (;;) {
    await show(await read())
    await context.io.sleep(interval)
  }
}

/** Repaints the whole screen. */
export function repaint(context: Context): (view: AnyList) => Promise<void> {
  return async (view) => {
    context.out.write(CLEAR)
    await context.out.printList(view)
  }
}

/**
 * Prints the rows that are new or changed since the last print, each as one JSON line with the record of the list. The
 * first print omits the rows for which `ended` is true. `stateOf` returns the part of a row whose change counts: by default its record.
 * The columns are those of the first print.
 */
export function changedRows<Row extends object>(
  context: Context,
  { ended = () => false, stateOf }: { ended?(row: Row): boolean; stateOf?(row: Row): unknown } = {},
): (view: Omit<StreamView, 'rows'> & { rows: readonly Row[] }) => Promise<void> {
  const printed = new Map<string, string>()
  let stream: RowStream | undefined
  return async (view) => {
    const { id, rows } = view
    const isFirst = stream === undefined
    stream ??= await context.out.begin(view)
    for (const row of rows) {
      const key = JSON.stringify([id, ...KEYS].map((name): unknown => Reflect.get(row, name)))
      const text = JSON.stringify(stateOf === undefined ? stream.document(row) : stateOf(row))
      if (printed.get(key) === text) continue
      printed.set(key, text)
      if (!(isFirst && ended(row))) await stream.write(row)
    }
  }
}
