/** Facts about the event. The logger masks secrets, but callers must not rely on it. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * The log as the areas of the core use it. `event` is a name (`order.rejected`); `fields` has the facts. A
 * call returns at once and never throws, and the order path never waits for it.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const nothing = (): void => undefined

/** A logger that writes nothing. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Returns a logger that adds the same fields to every line. The fields of a line override them. */
export function withFields(log: Logger, common: LogFields): Logger {
  const write =
    (level: keyof Logger) =>
    (event: string, fields?: LogFields): void =>
      log[level](event, { ...common, ...fields })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
