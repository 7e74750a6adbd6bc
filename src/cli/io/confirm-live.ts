import type { Input } from '../framework/command.js'
import type { Context } from '../framework/context.js'
import type { OptionSpec } from '../framework/option.js'

/** The option of all commands that can let orders reach the broker. */
export const LIVE_OPTION: OptionSpec = { flags: '--confirm <word>', summary: 'LIVE, for scripts' }

/**
 * Asks for the word LIVE; `--confirm LIVE` or `--yes` answers it. @throws CliError (exit 2) when no prompt is
 * possible
 */
export async function confirmLive(context: Context, input: Input, question: string): Promise<void> {
  if (context.settings.yes && input.text('confirm') === undefined) return
  await context.prompts.confirmWord(question, 'LIVE', input.text('confirm'))
}

/** Asks only while orders are live, not in Analyzer mode. */
export async function confirmWhileLive(context: Context, input: Input, question: string): Promise<void> {
  const { body } = await context.read('GET /auth/whoami')
  if (!body.data.analyze_mode) await confirmLive(context, input, question)
}
