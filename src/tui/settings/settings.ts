import { z } from 'zod'
import type { UndoWindow } from '../approvals/decisions.js'
import type { KeyMap } from '../keys/KeysProvider.js'
import { isKeyName } from '../keys/key-press.js'
import { THEMES, type ThemeName } from '../terminal/theme.js'
import { changedKeys } from './own-keys.js'

/** The user's own settings of the terminal program. */
export interface TuiSettings {
  theme: ThemeName
  /** True when no bell rings for a new approval. */
  isMuted: boolean
  undo: UndoWindow
  keys: KeyMap
}

/** One key or a list of keys. */
const keys = z
  .unknown()
  .transform((given) => (Array.isArray(given) ? given : [given]))
  .pipe(
    z
      .array(
        z.custom<string>((one) => typeof one === 'string' && isKeyName(one), {
          error: 'is no key: write a character, or a name such as enter, space, tab, pgdn, ctrl-k, alt-x',
        }),
      )
      .min(1, 'must name a key'),
  )
const themeNames = Object.keys(THEMES)

const UNDO: UndoWindow = { seconds: 3, from: 0 }
const SECONDS = 'must be whole seconds from 0 to 60'
const RUPEES = 'must be rupees, 0 or more'

const schema = z.strictObject({
  theme: z
    .custom<ThemeName>((value) => typeof value === 'string' && Object.hasOwn(THEMES, value), {
      error: `must be one of: ${themeNames.join(', ')}`,
    })
    .default('dark'),
  bell: z.boolean('must be true or false').default(true),
  undo: z
    .strictObject({
      seconds: z.int(SECONDS).min(0, SECONDS).max(60, SECONDS).default(UNDO.seconds),
      from: z.number(RUPEES).min(0, RUPEES).default(UNDO.from),
    })
    .default(UNDO),
  keys: z.record(z.string(), keys, 'must name acts, each with its key').default({}),
})

/**
 * Reads the settings from the text of `tui.yaml`.
 * @throws Error that names the entry and the rule
 */
export async function readSettings(text: string): Promise<TuiSettings> {
  const { parse } = await import('yaml')
  const result = schema.safeParse(parse(text) ?? {})
  if (!result.success) throw new Error(result.error.issues.map(issueText).join('; '))
  const { theme, bell, undo, keys: given } = result.data
  return { theme, isMuted: !bell, undo, keys: changedKeys(given) }
}

/** The settings without a file. */
export const DEFAULTS: TuiSettings = { theme: 'dark', isMuted: false, undo: UNDO, keys: new Map() }

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}
