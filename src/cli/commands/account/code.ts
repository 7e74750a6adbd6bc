import { isObject } from '../../../client/answers/json.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

/** The options that pass a code of the authenticator app. Without them, a terminal asks for it. */
export const CODE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--totp <code>',
    summary: 'code of the authenticator app. Other users can see it in ps, so prefer to type it when asked',
  },
  { flags: '--totp-stdin', summary: 'read the code from the last line of stdin' },
]

/** The password and the code that the options give, before any question. */
interface Given {
  password: string | undefined
  code: string | undefined
}

/** Reads stdin once: the password, the code, or the password and then the code on a line of its own. */
export async function givenSecrets(context: Context, input: Input): Promise<Given> {
  const [passwordStdin, totpStdin] = [input.flag('passwordStdin'), input.flag('totpStdin')]
  const code = input.text('totp')
  if (totpStdin && code !== undefined) throw usageError('Pass --totp or --totp-stdin, not both.')
  if (!totpStdin) {
    const password = passwordStdin
      ? await context.prompts.secret(true, 'Password', { twice: false })
      : undefined
    return { password, code }
  }
  if (!passwordStdin) {
    return {
      password: undefined,
      code: await context.prompts.secret(true, 'Authenticator code', { twice: false }),
    }
  }
  const lines = await context.prompts.secretLines('Password and code')
  const [password = '', last = ''] = lines
  if (lines.length !== 2) throw usageError('Stdin must have two lines: the password, then the code.')
  return { password, code: last }
}

/** Wrong codes that a terminal accepts before the command fails. */
const MOST_TRIES = 3

/** Sends a code. A terminal asks for it, and asks again when it was wrong. */
export async function withCode<T>(
  context: Context,
  given: string | undefined,
  send: (code: string) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const code = await context.prompts.text(given, 'Authenticator code', '--totp-stdin and the code on stdin')
    try {
      return await send(code)
    } catch (thrown) {
      if (!(thrown instanceof CliError) || !isWrongCode(thrown)) throw thrown
      if (given !== undefined || tries >= MOST_TRIES) throw wrongCode(thrown)
      context.io.stderr.write('The code is wrong, or it was used before. Wait for the next one.\n')
    }
  }
}

const isWrongCode = ({ response }: CliError) => isObject(response) && response.error === 'invalid_totp'

function wrongCode({ message, code, requestId, response }: CliError): CliError {
  return new CliError(EXIT.denied, message, {
    hint: 'Each code works once, for about a minute. Wait for the next one; check the clock of the phone.',
    code,
    ...(requestId !== undefined && { requestId }),
    response,
  })
}
