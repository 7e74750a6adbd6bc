/** Options whose values are secrets. Each of them also has a safer way to pass the value. */
const SECRET_OPTIONS: ReadonlySet<string> = new Set(['--apikey', '--totp'])
const HIDDEN = '…'
/** Fields and headers of `svc api` whose values are secrets. */
const SECRET_FIELD = /^(-[fFH])?(apikey|password|token|totp|otp|x-api-key|authorization|cookie)\s*[=:]/i

/**
 * Returns the arguments that the list of processes may show; undefined when none of them is secret. The typed
 * arguments are visible until the process has started, so this narrows the window but does not close it.
 */
export function withoutSecrets(argv: readonly string[]): string[] | undefined {
  const shown = argv.map((word, index) => {
    const [name = ''] = word.split('=', 1)
    if (word !== name && SECRET_OPTIONS.has(name)) return `${name}=${HIDDEN}`
    if (SECRET_FIELD.test(word)) return word.replace(/[=:].*$/s, (rest) => `${rest.charAt(0)}${HIDDEN}`)
    return SECRET_OPTIONS.has(argv[index - 1] ?? '') ? HIDDEN : word
  })
  return shown.some((word, index) => word !== argv[index]) ? shown : undefined
}
