/** Options whose values open something. There are safer ways to give each of them. */
const SECRET_OPTIONS: ReadonlySet<string> = new Set(['--apikey', '--totp'])
const HIDDEN = '…'

/**
 * The arguments as others may see them in a list of processes; undefined when nothing in them is secret. What was typed
 * can be seen until the process has begun, so this narrows the window and does not close it.
 */
export function withoutSecrets(argv: readonly string[]): string[] | undefined {
  const shown = argv.map((word, index) => {
    const [name = ''] = word.split('=', 1)
    if (word !== name && SECRET_OPTIONS.has(name)) return `${name}=${HIDDEN}`
    return SECRET_OPTIONS.has(argv[index - 1] ?? '') ? HIDDEN : word
  })
  return shown.some((word, index) => word !== argv[index]) ? shown : undefined
}
