/** Anything worth telling beside the name of the event. Secrets are masked by the logger, but do not rely on it. */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * What an area needs to tell the operator. `event` names what happened (`order.rejected`), the facts go into
 * `fields`. A call returns at once, never throws, and nothing on the order path waits for it.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

const nothing = (): void => undefined

/** A logger for code that runs without one. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** A logger that gives every line the same fields; those of a line win. */
export function withFields(log: Logger, common: LogFields): Logger {
  const write =
    (level: keyof Logger) =>
    (event: string, fields?: LogFields): void =>
      log[level](event, { ...common, ...fields })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
