/** An option of a command, or of all of them. */
export interface OptionSpec {
  /** `--price <price>`, `--yes`. */
  flags: string
  summary: string
  choices?: readonly string[]
  /** May be given several times; its value is a list. */
  repeatable?: boolean
}
