import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Context } from '../../../framework/context.js'
import { homeFile } from '../../../io/home.js'
import { settingsOf } from '../../control/config.js'

const DAILY = /^svc_\d{4}-\d{2}-\d{2}\.log$/

/**
 * Returns a function that lists the files of the application log, the oldest first: the daily files, or the
 * output of `svc up --detach` where the daemon writes no daily files, or the error log where it writes neither.
 */
export async function appLogFiles(context: Context, errorsOnly: boolean): Promise<() => readonly string[]> {
  const { home } = context.settings
  const settings = await settingsOf(context)
  const settingOf = (name: string) => settings.find(({ key }) => key === name)?.value ?? ''
  const dir = resolve(home, settingOf('LOG_DIR'))
  const daily = () => dailyFiles(dir)
  const output = () => [join(homeFile(home, 'log'), 'daemon.out')].filter((path) => existsSync(path))
  const errors = () => [join(dir, 'errors.jsonl')].filter((path) => existsSync(path))
  if (errorsOnly) return errors
  if (settingOf('LOG_TO_FILE') === 'true') return daily
  const found = [output, daily].find((list) => list().length > 0)
  if (found) return found
  context.out.note(
    'The daemon writes no log files but the errors; svc config set LOG_TO_FILE=true adds them.',
  )
  return errors
}

function dailyFiles(dir: string): readonly string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => DAILY.test(name))
    .sort()
    .map((name) => join(dir, name))
}
