/** An option of a command, or of all of them. */
export interface OptionSpec {
  /** `--price <price>`, `--yes`. */
  flags: string
  summary: string
  choices?: readonly string[]
  /** True when the option may be given several times; its value is then a list. */
  repeatable?: boolean
}
